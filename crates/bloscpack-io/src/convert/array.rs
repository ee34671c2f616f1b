//! Converts one array, or the uncompressed bytes of one container, to each kind of output.

use std::io;

use blosc_core::Codec;
use bloscpack_format::numpy::NumpyMeta;

use super::copied::{Copied, Wanted};
use super::destination::Destination;
use super::metadata::Metadata;
use super::observed::Observed;
use super::report::ConvertReport;
use super::spooled::spooled;
use super::write::{write_array, write_carray, write_frame, write_npy};
use super::zarr;
use crate::array::{RowReader, View, are_in_order, known, plain_meta};
use crate::formats::bcolz::RowStream;
use crate::formats::bloscpack::content::PlainBytes;
use crate::formats::bloscpack::pack::pack_to_file;
use crate::formats::frame::FrameParams;
use crate::open::open;
use crate::options::Event;
use crate::target::Target;
use crate::{AnySource, Archive, Array, ConvertOptions, DroppedAttribute, Error, PlainReader};

/// Converts an array or uncompressed bytes.
pub(super) fn convert(
    input: AnySource,
    output: Destination<'_>,
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
    output: Destination<'_>,
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
    let options = &*options.for_input(archive, target)?;
    let conversion = Conversion { archive, array: array.as_ref(), meta: &meta, output, options };
    let mut report = ConvertReport { nbytes, ..ConvertReport::default() };
    report.dropped = match target {
        Target::Bloscpack => conversion.to_bloscpack(metadata)?,
        Target::Npy => conversion.to_npy(metadata)?,
        Target::Bcolz => conversion.to_bcolz(metadata)?,
        Target::Frame => conversion.to_frame(metadata, &mut report)?,
        Target::Array => conversion.to_array(metadata, &mut report)?,
        Target::Zarr => conversion.to_zarr(metadata)?,
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
    output: Destination<'a>,
    options: &'a ConvertOptions,
}

impl Conversion<'_> {
    fn to_bloscpack(&self, metadata: Metadata<'_>) -> Result<Vec<DroppedAttribute>, Error> {
        // Metadata from the options replace those of the input.
        let (metadata, dropped) = match self.options.metadata {
            Some(_) => (None, Vec::new()),
            None => metadata.into_bloscpack(self.array)?,
        };
        let mut pack = self.options.pack_options(self.array, self.typesize(), metadata);
        match self.copied(1, self.options.chunk_size.map(u64::from), |_| true)? {
            Some(copied) => {
                pack.params = pack.params.typesize(copied.params().get_typesize());
                pack_to_file(&copied, self.output.path()?, &pack.chunk_size(copied.chunk_nbytes()))?;
            }
            None => {
                let content = PlainBytes { input: self.bytes(), size: Some(self.archive.nbytes()) };
                pack_to_file(content, self.output.path()?, &pack)?;
            }
        }
        Ok(dropped)
    }

    fn to_npy(&self, metadata: Metadata<'_>) -> Result<Vec<DroppedAttribute>, Error> {
        write_npy(self.bytes(), self.output.path()?, self.meta, self.archive.nbytes(), self.options)?;
        Ok(metadata.into_nothing(Target::Npy)?)
    }

    /// Converts to a carray, whose rows are in C order.
    fn to_bcolz(&self, metadata: Metadata<'_>) -> Result<Vec<DroppedAttribute>, Error> {
        let (attrs, dropped) = metadata.into_attrs()?;
        let (output, meta, options) = (self.output.path()?, self.meta, self.options);
        let copied = match are_in_order(meta) {
            true => self.copied(meta.row_nbytes(), self.options.chunk_rows_nbytes(meta), |_| true)?,
            false => None,
        };
        let old = self.archive.carray().map(|(storage, _)| storage);
        let kept = (&options.carray_params(meta, old, copied.as_ref())?, attrs);
        if let Some(copied) = &copied {
            write_carray(copied, output, meta, kept, options)?;
        } else if are_in_order(meta) {
            write_carray(RowStream(self.bytes()), output, meta, kept, options)?;
        } else if self.archive.has_cheap_items() {
            let items = Observed::new(self.view(), &options.observer);
            write_carray(RowStream(RowReader::new(&items, meta)), output, meta, kept, options)?;
        } else {
            let items =
                Observed::half(Array::plain(spooled(self.archive, options)?, 0, meta.clone())?, &options.observer);
            write_carray(RowStream(RowReader::new(&items, meta)), output, meta, kept, options)?;
        }
        Ok(dropped)
    }

    fn to_frame(&self, metadata: Metadata<'_>, report: &mut ConvertReport) -> Result<Vec<DroppedAttribute>, Error> {
        let (layers, dropped) = metadata.into_layers(false, self.array)?;
        report.vlmetalayers = layers.vlmetalayers.iter().len();
        let params = self.options.frame_params(self.old_params(), self.typesize())?;
        write_frame(self.bytes(), self.output.path()?, params, layers, self.options)?;
        Ok(dropped)
    }

    /// Converts to an array in a frame. The items of the input are read in the order of the output's chunks. This would
    /// decode chunks of consecutive items many times, so such inputs go through a temporary file.
    fn to_array(&self, metadata: Metadata<'_>, report: &mut ConvertReport) -> Result<Vec<DroppedAttribute>, Error> {
        let (output, meta, options) = (self.output.path()?, self.meta, self.options);
        let (layers, dropped) = metadata.into_layers(true, Some(meta))?;
        report.vlmetalayers = layers.vlmetalayers.iter().len();
        let params = options.array_params(self.old_params(), meta.dtype.itemsize())?;
        if self.archive.has_cheap_items() || self.view().has_same_shape() {
            let items = Observed::new(self.view(), &options.observer);
            write_array(&items, output, meta, (params, layers), options)?;
        } else {
            let items =
                Observed::half(Array::plain(spooled(self.archive, options)?, 0, meta.clone())?, &options.observer);
            write_array(&items, output, meta, (params, layers), options)?;
        }
        Ok(dropped)
    }

    fn to_zarr(&self, metadata: Metadata<'_>) -> Result<Vec<DroppedAttribute>, Error> {
        let (attributes, dropped) = metadata.into_attrs()?;
        zarr::to_array(self.view(), self.output, attributes, self.options)?;
        Ok(dropped)
    }

    /// Returns the chunks of the input if they can be copied: whole rows of `row` bytes in chunks of `chunk_nbytes`, if
    /// that is set.
    fn copied(
        &self,
        row: u64,
        chunk_nbytes: Option<u64>,
        knows: fn(Codec) -> bool,
    ) -> Result<Option<Copied<'_>>, Error> {
        let wanted = Wanted { nbytes: self.archive.nbytes(), row, chunk_nbytes, knows };
        Copied::of(self.archive, &wanted, self.options)
    }

    fn view(&self) -> View<'_> {
        View { archive: self.archive, meta: self.meta }
    }

    /// Returns the plain bytes in the order in which they are stored.
    fn bytes(&self) -> Observed<'_, PlainReader<'_>> {
        Observed::new(self.archive.reader(&self.options.unpack_options()), &self.options.observer)
    }

    fn typesize(&self) -> u64 {
        self.array.map_or(self.archive.typesize() as u64, |meta| meta.dtype.itemsize())
    }

    /// Returns the compression parameters of the input, if it is a frame.
    fn old_params(&self) -> Option<FrameParams> {
        self.archive.frame().and_then(|frame| FrameParams::of(&frame.header).ok())
    }
}
