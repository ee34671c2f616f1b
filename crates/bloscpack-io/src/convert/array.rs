//! Converts one array, or the uncompressed bytes of one container, to each kind of output.

use std::fs::File;
use std::io;
use std::path::Path;

use bloscpack_format::numpy::NumpyMeta;

use super::metadata::Metadata;
use super::observed::Observed;
use super::report::ConvertReport;
use super::write::{write_array, write_carray, write_frame, write_npy};
use crate::array::{RowReader, View, are_in_order, known, plain_meta};
use crate::formats::bloscpack::pack::pack_to_file;
use crate::formats::frame::FrameParams;
use crate::open::open;
use crate::options::Event;
use crate::target::Target;
use crate::{AnySource, Archive, Array, ConvertOptions, DroppedAttribute, Error, PlainReader};

/// Converts an array or uncompressed bytes.
pub(super) fn convert(
    input: AnySource,
    output: &Path,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    let archive = open(input.into(), options.typing.accepted(), &options.open_options())?;
    convert_archive(&archive, None, output, target, options)
}

/// Converts an open container. Its plain bytes are the array `given`, or else what options and container say.
pub(super) fn convert_archive(
    archive: &Archive<'_>,
    given: Option<&NumpyMeta>,
    output: &Path,
    target: Target,
    options: &ConvertOptions,
) -> Result<ConvertReport, Error> {
    let nbytes = archive.nbytes();
    if nbytes == 0 {
        // Nothing will be read from this input, but its chunks could be damaged.
        archive.unpack(io::sink(), &options.unpack_options())?;
    }
    options.observer.tell(Event::Begin { nbytes });
    let mut metadata = Metadata::of(archive, target)?;
    let known = match known(archive)? {
        None if archive.frame().is_some() => metadata.take_array(nbytes)?,
        known => known,
    };
    let typesize = archive.typesize() as u64;
    let array = match given {
        Some(array) => Some(array.clone()),
        None => options.typing.resolve(known.as_ref(), typesize, nbytes)?,
    };
    let meta = match &array {
        Some(array) => array.clone(),
        None => plain_meta(options.typesize.map_or(typesize, u64::from), nbytes)?,
    };
    let conversion = Conversion { archive, array: array.as_ref(), meta: &meta, output, options };
    let mut report = ConvertReport { nbytes, ..ConvertReport::default() };
    report.dropped = match target {
        Target::Bloscpack => conversion.to_bloscpack(metadata)?,
        Target::Npy => conversion.to_npy(metadata)?,
        Target::Bcolz => conversion.to_bcolz(metadata)?,
        Target::Frame => conversion.to_frame(metadata, &mut report)?,
        Target::Array => conversion.to_array(metadata, &mut report)?,
        // Only tables have columns, and CSV is written by a separate function.
        Target::Columns(_) | Target::Csv => return Err(Error::Unsupported { format: archive.format() }),
    };
    report.array = array;
    Ok(report)
}

/// One conversion. Each method returns the attributes that its output cannot store.
struct Conversion<'a> {
    archive: &'a Archive<'a>,
    /// The array in the plain bytes, if it is known.
    array: Option<&'a NumpyMeta>,
    /// The same array, or one of items of the typesize if it is not known.
    meta: &'a NumpyMeta,
    output: &'a Path,
    options: &'a ConvertOptions,
}

impl Conversion<'_> {
    fn to_bloscpack(&self, metadata: Metadata<'_>) -> Result<Vec<DroppedAttribute>, Error> {
        // Metadata from the options replace those of the input.
        let (metadata, dropped) = match self.options.metadata {
            Some(_) => (None, Vec::new()),
            None => metadata.into_bloscpack(self.array)?,
        };
        let pack = self.options.pack_options(self.array, self.typesize(), metadata);
        pack_to_file(self.bytes(), Some(self.archive.nbytes()), self.output, &pack)?;
        Ok(dropped)
    }

    fn to_npy(&self, metadata: Metadata<'_>) -> Result<Vec<DroppedAttribute>, Error> {
        write_npy(self.bytes(), self.output, self.meta, self.archive.nbytes(), self.options)?;
        Ok(metadata.into_nothing(Target::Npy)?)
    }

    /// Converts to a carray, whose rows are in C order.
    fn to_bcolz(&self, metadata: Metadata<'_>) -> Result<Vec<DroppedAttribute>, Error> {
        let (attrs, dropped) = metadata.into_attrs()?;
        let (output, meta, options) = (self.output, self.meta, self.options);
        let kept = (self.archive.carray().map(|(storage, _)| storage), attrs);
        if are_in_order(meta) {
            write_carray(self.bytes(), output, meta, kept, options)?;
        } else if self.archive.uncompressed().is_some() {
            let items = Observed::new(self.view(), &options.observer);
            write_carray(RowReader::new(&items, meta), output, meta, kept, options)?;
        } else {
            let items = Observed::half(Array::plain(self.spooled()?, 0, meta.clone())?, &options.observer);
            write_carray(RowReader::new(&items, meta), output, meta, kept, options)?;
        }
        Ok(dropped)
    }

    fn to_frame(&self, metadata: Metadata<'_>, report: &mut ConvertReport) -> Result<Vec<DroppedAttribute>, Error> {
        let (layers, dropped) = metadata.into_layers(false, self.array)?;
        report.vlmetalayers = layers.vlmetalayers.iter().len();
        let params = self.options.frame_params(self.old_params(), self.typesize())?;
        write_frame(self.bytes(), self.output, params, layers, self.options)?;
        Ok(dropped)
    }

    /// Converts to an array in a frame. The items of the input are read in the order of the output's chunks. This would
    /// decode chunks of consecutive items many times, so such inputs go through a temporary file.
    fn to_array(&self, metadata: Metadata<'_>, report: &mut ConvertReport) -> Result<Vec<DroppedAttribute>, Error> {
        let (output, meta, options) = (self.output, self.meta, self.options);
        let (layers, dropped) = metadata.into_layers(true, Some(meta))?;
        report.vlmetalayers = layers.vlmetalayers.iter().len();
        let params = options.array_params(self.old_params(), meta.dtype.itemsize())?;
        if self.archive.uncompressed().is_some() || self.view().has_same_shape() {
            let items = Observed::new(self.view(), &options.observer);
            write_array(&items, output, meta, (params, layers), options)?;
        } else {
            let items = Observed::half(Array::plain(self.spooled()?, 0, meta.clone())?, &options.observer);
            write_array(&items, output, meta, (params, layers), options)?;
        }
        Ok(dropped)
    }

    fn view(&self) -> View<'_> {
        View { archive: self.archive, meta: self.meta }
    }

    /// Returns the plain bytes in the order in which they are stored.
    fn bytes(&self) -> Observed<'_, PlainReader<'_>> {
        Observed::new(self.archive.reader(&self.options.unpack_options()), &self.options.observer)
    }

    /// Decodes the plain bytes to a temporary file.
    fn spooled(&self) -> Result<File, Error> {
        let mut spool = tempfile::tempfile().map_err(Error::io("creating a temporary file"))?;
        let output = Observed::half(&mut spool, &self.options.observer);
        self.archive.unpack(output, &self.options.unpack_options())?;
        Ok(spool)
    }

    fn typesize(&self) -> u64 {
        self.array.map_or(self.archive.typesize() as u64, |meta| meta.dtype.itemsize())
    }

    /// Returns the compression parameters of the input, if it is a frame.
    fn old_params(&self) -> Option<FrameParams> {
        self.archive.frame().and_then(|frame| FrameParams::of(&frame.header).ok())
    }
}
