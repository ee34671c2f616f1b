//! One container to each kind of output.

use std::fs::File;
use std::path::Path;

use bloscpack_format::numpy::NumpyMeta;

use super::metadata::{Metadata, NPY};
use super::observed::Observed;
use super::options::ConvertOptions;
use super::report::ConvertReport;
use super::write::{write_array, write_carray, write_frame, write_npy};
use crate::array::{RowReader, View, are_in_order};
use crate::formats::bloscpack::pack::pack_to_file;
use crate::formats::frame::FrameParams;
use crate::{Archive, Array, Error, PlainReader, Unkept};

/// One conversion. Each method returns the attributes that its output cannot keep.
pub(super) struct Conversion<'a> {
    pub(super) archive: &'a Archive<'a>,
    /// The array that the plain bytes are, if it is known.
    pub(super) array: Option<&'a NumpyMeta>,
    /// The same; items of the typesize if it is not known.
    pub(super) meta: &'a NumpyMeta,
    pub(super) output: &'a Path,
    pub(super) options: &'a ConvertOptions,
}

impl Conversion<'_> {
    pub(super) fn to_bloscpack(&self, metadata: Metadata<'_>) -> Result<Vec<Unkept>, Error> {
        // Metadata that were asked for replace those of the input.
        let (metadata, unkept) = match self.options.pack.metadata {
            Some(_) => (None, Vec::new()),
            None => metadata.into_bloscpack(self.array)?,
        };
        let pack = self.options.pack_options(self.array, self.typesize(), metadata);
        pack_to_file(self.bytes(), Some(self.archive.nbytes()), self.output, &pack)?;
        Ok(unkept)
    }

    pub(super) fn to_npy(&self, metadata: Metadata<'_>) -> Result<Vec<Unkept>, Error> {
        write_npy(self.bytes(), self.output, self.meta, self.archive.nbytes(), self.options)?;
        Ok(metadata.into_nothing(NPY)?)
    }

    /// The rows of a carray are in C order.
    pub(super) fn to_bcolz(&self, metadata: Metadata<'_>) -> Result<Vec<Unkept>, Error> {
        let (attrs, unkept) = metadata.into_attrs()?;
        let (output, meta, options) = (self.output, self.meta, self.options);
        let kept = (self.archive.carray().map(|(storage, _)| storage), attrs);
        if are_in_order(meta) {
            write_carray(self.bytes(), output, meta, kept, options)?;
        } else if self.archive.uncompressed().is_some() {
            let items = Observed::new(self.view(), options.observer());
            write_carray(RowReader::new(&items, meta), output, meta, kept, options)?;
        } else {
            let items = Observed::half(Array::plain(self.spooled()?, 0, meta.clone())?, options.observer());
            write_carray(RowReader::new(&items, meta), output, meta, kept, options)?;
        }
        Ok(unkept)
    }

    pub(super) fn to_frame(&self, metadata: Metadata<'_>, report: &mut ConvertReport) -> Result<Vec<Unkept>, Error> {
        let (layers, unkept) = metadata.into_layers(false, self.array)?;
        report.vlmetalayers = layers.vlmetalayers.iter().len();
        let params = self.options.frame_params(self.old_params(), self.typesize())?;
        write_frame(self.bytes(), self.output, params, layers, self.options)?;
        Ok(unkept)
    }

    /// The items of the input are read chunk by chunk of the output. Chunks of plain bytes would be decoded many times for
    /// that: they go through a temporary file.
    pub(super) fn to_array(&self, metadata: Metadata<'_>, report: &mut ConvertReport) -> Result<Vec<Unkept>, Error> {
        let (output, meta, options) = (self.output, self.meta, self.options);
        let (layers, unkept) = metadata.into_layers(true, Some(meta))?;
        report.vlmetalayers = layers.vlmetalayers.iter().len();
        let params = options.array_params(self.old_params(), meta.dtype.itemsize())?;
        if self.archive.uncompressed().is_some() || self.view().has_same_shape() {
            let items = Observed::new(self.view(), options.observer());
            write_array(&items, output, meta, (params, layers), options)?;
        } else {
            let items = Observed::half(Array::plain(self.spooled()?, 0, meta.clone())?, options.observer());
            write_array(&items, output, meta, (params, layers), options)?;
        }
        Ok(unkept)
    }

    fn view(&self) -> View<'_> {
        View { archive: self.archive, meta: self.meta }
    }

    /// The plain bytes as they are stored.
    fn bytes(&self) -> Observed<'_, PlainReader<'_>> {
        Observed::new(self.archive.reader(&self.options.unpack_options()), self.options.observer())
    }

    /// The plain bytes in a temporary file.
    fn spooled(&self) -> Result<File, Error> {
        let mut spool = tempfile::tempfile().map_err(Error::io("creating a temporary file"))?;
        let output = Observed::half(&mut spool, self.options.observer());
        self.archive.unpack(output, &self.options.unpack_options())?;
        Ok(spool)
    }

    fn typesize(&self) -> u64 {
        self.array.map_or(self.archive.typesize() as u64, |meta| meta.dtype.itemsize())
    }

    /// How the chunks of the input are compressed, if it is a frame.
    fn old_params(&self) -> Option<FrameParams> {
        self.archive.frame().and_then(|frame| FrameParams::of(&frame.header).ok())
    }
}
