//! From one container to another: the plain bytes go over, and what makes them an array, where both sides have it.

use std::io::{self, Read, Write};
use std::path::Path;

use blosc_core::{CParams, Codec, FilterPipeline, SplitMode};
use bloscpack_format::frame::FrameType;
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order, npy};
use bloscpack_format::{Format, FormatError, detect};

use crate::atomic::AtomicFile;
use crate::frame::{ArchiveItems, ArrayItems, ArrayOptions, FrameParams, FrameWriter, PlainItems};
use crate::numpy::for_array;
use crate::pack::pack_to_file;
use crate::source::Sequential;
use crate::{Archive, Cancel, Error, LocalSource, PackOptions, ReadAt, Threads, UnpackOptions};

/// What a container is converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A bloscpack file, `.blp`.
    Bloscpack,
    /// A contiguous frame, `.b2frame`.
    Frame,
    /// An array in a contiguous frame, `.b2nd`.
    Array,
    /// A NumPy file, `.npy`.
    Npy,
}

impl Target {
    /// What a file of this name is to be; `None` if the name does not say.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Target> {
        match path.extension()?.to_str()? {
            "blp" => Some(Target::Bloscpack),
            "b2frame" | "b2f" | "b2" => Some(Target::Frame),
            "b2nd" => Some(Target::Array),
            "npy" => Some(Target::Npy),
            _ => None,
        }
    }
}

/// How to convert. What is not set is as the input has it, or as the target's writers have it.
#[derive(Debug, Clone, Default)]
pub struct ConvertOptions {
    /// The dtype of the items.
    pub dtype: Option<Dtype>,
    /// Items along each axis.
    pub shape: Option<Vec<u64>>,
    /// How an array is cut.
    pub array: ArrayOptions,
    /// Bytes of an item.
    pub typesize: Option<u32>,
    /// The codec.
    pub codec: Option<Codec>,
    /// Its level.
    pub clevel: Option<u8>,
    /// The filters.
    pub filters: Option<FilterPipeline>,
    /// Bytes of a block of a frame, 0 for automatic.
    pub blocksize: Option<u32>,
    /// Whether blocks are split.
    pub split: Option<SplitMode>,
    /// Whether the blocks of a frame's chunk share a dictionary.
    pub dictionary: bool,
    /// Plain bytes of a chunk of a frame.
    pub chunk_size: Option<u32>,
    /// Everything else about a bloscpack file.
    pub pack: PackOptions,
    /// Whether an output that exists is replaced.
    pub overwrite: bool,
    /// Who works.
    pub threads: Threads,
    /// A switch that calls it off.
    pub cancel: Cancel,
}

/// What was converted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertReport {
    /// Plain bytes.
    pub nbytes: u64,
    /// What they are, if that is known.
    pub array: Option<NumpyMeta>,
}

/// Converts what `input` holds to the file `output`, which appears whole or not at all. Memory is bounded by a few chunks;
/// an array that comes as plain bytes in chunks of another shape goes through a temporary file.
///
/// # Errors
/// [`Error::NotANumpyArray`] if shape and bytes do not go together; what reading the input and writing the output answer.
pub fn convert(
    input: LocalSource,
    output: &Path,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    crate::files::refuse_same_file(input.file(), output)?;
    let mut prefix = vec![0; input.len().map_err(Error::io("reading the input"))?.min(16) as usize];
    input.read_exact_at(0, &mut prefix).map_err(Error::io("reading the input"))?;
    if detect(&prefix, None) == Some(Format::Npy) {
        return from_npy(&input, output, target, options);
    }
    let archive = Archive::open(input)?;
    let unpack = UnpackOptions::new().threads(options.threads.clone()).cancel(options.cancel.clone());
    let nbytes = archive.nbytes();
    // An array without a dtype has its shape all the same.
    let untyped = |array: &bloscpack_format::frame::B2nd| -> Result<NumpyMeta, Error> {
        Ok(NumpyMeta { shape: array.shape.clone(), ..plain_meta(archive.typesize() as u64, nbytes)? })
    };
    let known = match (archive.numpy(), archive.array()) {
        (None, Some(array)) => Some(untyped(array)?),
        (numpy, _) => numpy.cloned(),
    };
    let known = options.array_meta(known.as_ref(), archive.typesize() as u64, nbytes)?;
    let (meta, fits) = match known {
        Some(meta) => (meta, true),
        None => (plain_meta(options.typesize.map_or(archive.typesize() as u64, u64::from), nbytes)?, false),
    };
    let array = fits.then(|| meta.clone());
    match target {
        Target::Bloscpack => {
            let metadata = archive.metadata().cloned();
            let pack = options.pack_options(array.as_ref(), archive.typesize() as u64, metadata);
            pack_to_file(archive.reader(&unpack), Some(nbytes), output, &pack)?;
        }
        Target::Npy => write_npy(archive.reader(&unpack), output, &meta, nbytes, options)?,
        Target::Frame => {
            let typesize = array.as_ref().map_or(archive.typesize() as u64, |meta| meta.dtype.itemsize());
            let params = options
                .frame_params(archive.frame().and_then(|frame| FrameParams::of(&frame.header).ok()), typesize)?;
            write_frame(archive.reader(&unpack), output, params, options)?;
        }
        Target::Array => {
            let old = archive.frame().and_then(|frame| FrameParams::of(&frame.header).ok());
            let params = options.frame_params(old, meta.dtype.itemsize())?;
            if archive.array().is_some_and(|array| array.shape == meta.shape) {
                write_array(&ArchiveItems(&archive), output, &meta, params, options)?;
            } else {
                let mut spool = tempfile::tempfile().map_err(Error::io("creating a temporary file"))?;
                archive.unpack(&mut spool, &unpack)?;
                write_array(&PlainItems::new(spool, 0, &meta)?, output, &meta, params, options)?;
            }
        }
    }
    Ok(ConvertReport { nbytes, array })
}

fn from_npy(
    input: &LocalSource,
    output: &Path,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    let (meta, at) = read_npy_header(input)?;
    // Says if the bytes are too few.
    PlainItems::new(input, at, &meta)?;
    let nbytes = meta.nbytes().unwrap_or(0);
    let array = options.array_meta(Some(&meta), meta.dtype.itemsize(), nbytes)?.unwrap_or(meta);
    let bytes = || -> Result<_, Error> {
        let bytes = Sequential::new(input, at).map_err(Error::io("reading the input"))?;
        Ok(io::BufReader::with_capacity(1 << 16, bytes.take(nbytes)))
    };
    let itemsize = array.dtype.itemsize();
    match target {
        Target::Bloscpack => {
            pack_to_file(bytes()?, Some(nbytes), output, &options.pack_options(Some(&array), itemsize, None))?;
        }
        Target::Npy => write_npy(bytes()?, output, &array, nbytes, options)?,
        Target::Frame => write_frame(bytes()?, output, options.frame_params(None, itemsize)?, options)?,
        Target::Array => {
            let params = options.frame_params(None, itemsize)?;
            write_array(&PlainItems::new(input, at, &array)?, output, &array, params, options)?;
        }
    }
    Ok(ConvertReport { nbytes, array: Some(array) })
}

/// What a `.npy` file holds, and where its items start.
fn read_npy_header(input: &LocalSource) -> Result<(NumpyMeta, u64), Error> {
    let len = input.len().map_err(Error::io("reading the input"))?;
    let mut needed = len.min(4096);
    loop {
        let mut head = vec![0; needed as usize];
        input.read_exact_at(0, &mut head).map_err(Error::io("reading the input"))?;
        match npy::parse(&head) {
            Ok((meta, at)) => return Ok((meta, at as u64)),
            Err(error) => match error.bytes_needed().filter(|more| *more > needed && *more <= len) {
                Some(more) => needed = more,
                None => return Err(error.into()),
            },
        }
    }
}

/// Bytes of which nothing is known but the size of an item: as many unsigned integers, or items without a type.
fn plain_meta(typesize: u64, nbytes: u64) -> Result<NumpyMeta, Error> {
    let text = match typesize {
        size if size == 0 || !nbytes.is_multiple_of(size) => "|u1".to_owned(),
        1 => "|u1".to_owned(),
        2 | 4 | 8 => format!("<u{typesize}"),
        _ => format!("|V{typesize}"),
    };
    let dtype = Dtype::from_type_string(&text).map_err(FormatError::from)?;
    let shape = vec![nbytes.checked_div(dtype.itemsize()).unwrap_or(0)];
    Ok(NumpyMeta { dtype, shape, order: Order::C })
}

fn write_npy(
    mut bytes: impl Read,
    output: &Path,
    meta: &NumpyMeta,
    nbytes: u64,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let mut file = AtomicFile::create(output, options.overwrite)?;
    let head = npy::to_bytes(meta)?;
    let copied = file.write_all(&head).and_then(|()| io::copy(&mut bytes, &mut file));
    match copied.map_err(Error::io("writing the output"))? {
        found if found != nbytes => Err(Error::InputChanged { expected: nbytes, found }),
        _ => file.commit(),
    }
}

fn write_frame(bytes: impl Read, output: &Path, params: FrameParams, options: &ConvertOptions) -> Result<(), Error> {
    let mut writer = FrameWriter::create(output, FrameType::Contiguous, options.overwrite, params)?;
    writer.append_stream(bytes, options.chunk_size, &options.threads, &options.cancel)?;
    writer.finish()
}

fn write_array(
    items: &impl ArrayItems,
    output: &Path,
    meta: &NumpyMeta,
    params: FrameParams,
    options: &ConvertOptions,
) -> Result<(), Error> {
    let array = options.array.array(meta)?;
    let mut writer = FrameWriter::create_array(output, FrameType::Contiguous, options.overwrite, array, params)?;
    writer.write_items(items, &options.threads, &options.cancel)?;
    writer.finish()
}

impl ConvertOptions {
    /// The array that the bytes are: as was asked for, else as the input says, if it does. What was asked for has to fit.
    fn array_meta(&self, known: Option<&NumpyMeta>, typesize: u64, nbytes: u64) -> Result<Option<NumpyMeta>, Error> {
        if self.dtype.is_none() && self.shape.is_none() {
            return Ok(known.filter(|known| known.nbytes() == Some(nbytes)).cloned());
        }
        let dtype = match (&self.dtype, known) {
            (Some(dtype), _) => dtype.clone(),
            (None, Some(known)) => known.dtype.clone(),
            (None, None) => plain_meta(typesize, nbytes)?.dtype,
        };
        let itemsize = dtype.itemsize();
        let order = known.map_or(Order::C, |known| known.order);
        let shape = match (&self.shape, known) {
            (Some(shape), _) => shape.clone(),
            (None, Some(known)) if known.dtype.itemsize() == itemsize => known.shape.clone(),
            (None, _) => vec![nbytes.checked_div(itemsize).unwrap_or(0)],
        };
        // In another shape, items in Fortran order would be others.
        let same = known.is_some_and(|known| known.shape == shape);
        if order == Order::F && !same && shape.len() > 1 {
            let what = "its items are in Fortran order, so its shape cannot be changed".into();
            return Err(Error::NotANumpyArray { what });
        }
        let meta = NumpyMeta { dtype, shape, order };
        match meta.nbytes() {
            Some(found) if found == nbytes => Ok(Some(meta)),
            found => {
                let found = found.map_or("more than fit a file".into(), |found| found.to_string());
                Err(Error::NotANumpyArray { what: format!("{nbytes} bytes, but dtype and shape make {found}") })
            }
        }
    }

    fn frame_params(&self, old: Option<FrameParams>, typesize: u64) -> Result<FrameParams, Error> {
        let typesize = self.typesize.map_or(typesize, u64::from).max(1);
        let typesize = u32::try_from(typesize).map_err(|_| Error::FrameParams { what: "items are too large" })?;
        let mut params = old.map_or(FrameParams::new(typesize), |old| old.typesize(typesize).blocksize(0));
        params = self.codec.map_or(params, |codec| params.codec(codec));
        params = self.clevel.map_or(params, |clevel| params.clevel(clevel));
        params = self.filters.map_or(params, |filters| params.filters(filters));
        params = self.blocksize.map_or(params, |blocksize| params.blocksize(blocksize));
        params = self.split.map_or(params, |split| params.split(split));
        Ok(if self.dictionary { params.dictionary(true) } else { params })
    }

    fn pack_options(
        &self,
        array: Option<&NumpyMeta>,
        typesize: u64,
        metadata: Option<bloscpack_format::Json>,
    ) -> PackOptions {
        let typesize = self.typesize.map_or(typesize, u64::from);
        let typesize = usize::try_from(typesize).ok().filter(|size| (1..=255).contains(size)).unwrap_or(1);
        let params = CParams::new().codec(self.codec.unwrap_or(Codec::BloscLz)).clevel(self.clevel.unwrap_or(7));
        let params = params.filters(self.filters.unwrap_or(FilterPipeline::shuffle())).typesize(typesize);
        let params = params.split(self.split.unwrap_or_default());
        let pack = self.pack.clone().params(params).threads(self.threads.clone()).cancel(self.cancel.clone());
        let pack = pack.overwrite(self.overwrite);
        match (array, &pack.metadata) {
            (Some(array), None) => for_array(&pack, array),
            (None, None) => pack.metadata(metadata),
            _ => pack,
        }
    }
}
