//! Parameters of each writer, from the options or else from the input.

use std::borrow::Cow;

use blosc_core::{Auto, BlockSize, CParams, Codec, FilterPipeline, Goal};
use bloscpack_format::Json;
use bloscpack_format::bcolz::{self, Cparams, Shuffle, Storage};
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::zarr::Version;

use super::copied::Copied;
use crate::formats::bcolz::CarrayParams;
use crate::formats::frame::{ArrayOptions, FrameParams};
use crate::numpy::for_items;
use crate::target::Target;
use crate::{Archive, ConvertOptions, Error, OpenOptions, PackOptions, UnpackOptions};

/// Number of chunks among which the first compressed one is searched for.
const SEARCHED_CHUNKS: u64 = 64;

impl ConvertOptions {
    /// Returns the compression parameters of an array. The typesize is the size of an item.
    pub(super) fn array_params(&self, old: Option<FrameParams>, itemsize: u64) -> Result<FrameParams, Error> {
        match self.typesize {
            Some(typesize) if u64::from(typesize) != itemsize => {
                Err(Error::FrameParams { what: "the typesize of an array must be its itemsize" })
            }
            _ => self.frame_params(old, itemsize),
        }
    }

    /// Returns the compression parameters of a frame, from the options or else from the input. Lossy filters of the
    /// input are dropped, because with different items or blocks they would lose further bits.
    pub(super) fn frame_params(&self, old: Option<FrameParams>, typesize: u64) -> Result<FrameParams, Error> {
        let typesize = self.typesize.map_or(typesize, u64::from).max(1);
        let typesize = u32::try_from(typesize).map_err(|_| Error::FrameParams { what: "items are too large" })?;
        let mut params = old.map_or(FrameParams::new(typesize), |old| old.typesize(typesize).blocksize(0).lossless());
        params = self.codec.map_or(params, |codec| params.codec(codec));
        params = self.clevel.map_or(params, |clevel| params.clevel(clevel));
        params = self.filters.map_or(params, |filters| params.filters(filters));
        params = self.blocksize.map_or(params, |blocksize| params.blocksize(blocksize));
        params = self.split.map_or(params, |split| params.split(split));
        Ok(if self.dictionary { params.dictionary(true) } else { params })
    }

    /// Returns the parameters of a carray, from the options or else from the input's `meta/storage`, if it has one.
    /// Floats are not rounded again. The number of rows in a chunk stays the same unless the dtype or shape changes, or
    /// is that of copied chunks.
    pub(super) fn carray_params(
        &self,
        meta: &NumpyMeta,
        old: Option<&Storage>,
        copied: Option<&Copied<'_>>,
    ) -> Result<CarrayParams, Error> {
        let refuse = |what| Err(Error::CarrayParams { what });
        let Some((rows, atom_shape)) = meta.shape.split_first() else {
            return refuse("a zero-dimensional array has no rows");
        };
        let itemsize = meta.dtype.itemsize();
        if self.typesize.is_some_and(|typesize| u64::from(typesize) != itemsize) {
            return refuse("the typesize of an array must be its itemsize");
        }
        let default = || copied.map_or_else(Cparams::default, Copied::cparams);
        let mut cparams = old.map_or_else(default, |old| old.cparams.clone());
        cparams.quantize = 0;
        if cparams.codec().is_none() {
            cparams.cname = Cparams::default().cname;
        }
        cparams.cname = self.codec.map_or(cparams.cname, |codec| codec.name().into());
        cparams.clevel = self.clevel.unwrap_or(cparams.clevel);
        cparams.shuffle = match self.filters {
            None => cparams.shuffle,
            Some(filters) if filters == FilterPipeline::none() => Shuffle::None,
            Some(filters) if filters == FilterPipeline::shuffle() => Shuffle::Byte,
            Some(filters) if filters == FilterPipeline::bitshuffle() => Shuffle::Bit,
            Some(_) => return refuse("bcolz supports shuffle, bitshuffle or no filter"),
        };
        let dtype = bcolz::Dtype::from(meta.dtype.clone());
        let old = old.filter(|old| old.dtype == dtype);
        let dflt = old.map(|old| &old.dflt).filter(|dflt| bcolz::dflt::check(dflt, &dtype, atom_shape).is_ok());
        let mut params = CarrayParams::new(dtype.clone()).atom_shape(atom_shape).cparams(cparams).expectedlen(*rows);
        let kept = copied.and_then(|copied| copied.chunk_nbytes().checked_div(meta.row_nbytes()));
        let kept = kept.or(old.filter(|_| self.typing.shape.is_none()).map(|old| old.chunklen));
        if let Some(chunklen) = self.array_options().rows().or(kept) {
            params = params.chunklen(chunklen);
        }
        Ok(match dflt {
            Some(dflt) => params.dflt(dflt.clone()),
            None => params,
        })
    }

    /// Returns the size in bytes of a chunk of rows, if the options set it.
    pub(super) fn chunk_rows_nbytes(&self, meta: &NumpyMeta) -> Option<u64> {
        self.array_options().rows().map(|rows| rows.saturating_mul(meta.row_nbytes()))
    }

    /// Returns the choice to make: everything that the options do not set. `typesize` is that of known items.
    pub(super) fn chosen(&self, typesize: Option<u64>) -> Option<Auto> {
        let typesize = self.typesize.map(u64::from).or(typesize);
        let typesize = typesize.and_then(|size| usize::try_from(size).ok()).filter(|size| (1..=255).contains(size));
        let blocksize = self.blocksize.filter(|size| *size > 0).map(|size| BlockSize::Fixed(size as usize));
        let set = |auto: Auto| -> Auto {
            let auto = self.codec.map_or(auto, |codec| auto.codec(codec));
            let auto = self.clevel.map_or(auto, |clevel| auto.clevel(clevel));
            let auto = self.filters.map_or(auto, |filters| auto.filters(filters));
            let auto = self.split.map_or(auto, |split| auto.split(split));
            let auto = blocksize.map_or(auto, |blocksize| auto.blocksize(blocksize));
            typesize.map_or(auto, |typesize| auto.typesize(typesize))
        };
        self.auto.map(set)
    }

    /// Returns the options for an input. If its chunks do not have the parameters of its header, they were chosen, and
    /// so are those of the output: the header is for chunks to come, which may be much larger.
    pub(super) fn for_input(&self, archive: &Archive<'_>, target: Target) -> Result<Cow<'_, ConvertOptions>, Error> {
        let is_free = self.auto.is_none() && self.codec.is_none() && self.clevel.is_none() && self.filters.is_none();
        let has_choice = matches!(target, Target::Frame | Target::Array | Target::Zarr);
        let header = archive.frame().filter(|_| is_free && has_choice).map(|frame| &frame.header);
        let Some(params) = header.and_then(|header| FrameParams::of(header).ok()).map(|params| params.cparams()) else {
            return Ok(Cow::Borrowed(self));
        };
        for number in 0..archive.nchunks().min(SEARCHED_CHUNKS) {
            let facts = archive.chunk_facts(number)?;
            if let Some(codec) = facts.codec.filter(|_| !facts.is_stored_plain) {
                // Shuffle does not change single bytes.
                let has_other_filters = archive.typesize() > 1 && facts.filters != params.get_filters();
                let is_chosen = has_other_filters || codec != params.get_codec();
                let chosen = || self.clone().auto(Auto::new(Goal::Balanced));
                return Ok(if is_chosen { Cow::Owned(chosen()) } else { Cow::Borrowed(self) });
            }
        }
        Ok(Cow::Borrowed(self))
    }

    /// Returns the version of a Zarr output.
    pub(super) fn zarr_version(&self) -> Version {
        self.zarr_format.unwrap_or(Version::V3)
    }

    /// Returns the options for opening the input.
    pub(super) fn open_options(&self) -> OpenOptions {
        OpenOptions::new().limits(self.limits).cancel(self.cancel.clone()).typing(self.typing.clone())
    }

    /// Returns the options for reading the input.
    pub(super) fn unpack_options(&self) -> UnpackOptions {
        UnpackOptions::new().limits(self.limits).threads(self.threads.clone()).cancel(self.cancel.clone())
    }

    /// Returns the chunk and block shapes of an array in a frame.
    pub(super) fn array_options(&self) -> ArrayOptions {
        ArrayOptions::new().chunkshape(self.chunkshape.clone()).blockshape(self.blockshape.clone())
    }

    /// Returns the options for packing a bloscpack file. `metadata` are those of the input. Metadata in the options
    /// replace them.
    pub(super) fn pack_options(&self, array: Option<&NumpyMeta>, typesize: u64, metadata: Option<Json>) -> PackOptions {
        let typesize = self.typesize.map_or(typesize, u64::from);
        let typesize = usize::try_from(typesize).ok().filter(|size| (1..=255).contains(size)).unwrap_or(1);
        let params = CParams::new().codec(self.codec.unwrap_or(Codec::BloscLz)).clevel(self.clevel.unwrap_or(7));
        let params = params.filters(self.filters.unwrap_or(FilterPipeline::shuffle())).typesize(typesize);
        let params = params.split(self.split.unwrap_or_default());
        let known = array.map(|array| array.dtype.itemsize());
        let mut pack = self.file_options().params(params).auto(self.chosen(known));
        if self.metadata.is_some() {
            pack.metadata.clone_from(&self.metadata);
            return pack;
        }
        match array {
            // Filters work on items unless the options set a typesize.
            Some(array) if self.typesize.is_some() => for_items(&pack, &array.dtype).params(params).metadata(metadata),
            Some(array) => for_items(&pack, &array.dtype).metadata(metadata),
            None => pack.metadata(metadata),
        }
    }

    /// Returns the options of a bloscpack file other than compression and metadata.
    fn file_options(&self) -> PackOptions {
        let default = PackOptions::new();
        PackOptions {
            chunk_size: self.chunk_size.map_or(default.chunk_size, u64::from),
            checksum: self.checksum.unwrap_or(default.checksum),
            offsets: self.offsets.unwrap_or(default.offsets),
            max_app_chunks: self.max_app_chunks.unwrap_or(default.max_app_chunks),
            metadata_args: self.metadata_args.unwrap_or(default.metadata_args),
            verify: self.verify,
            overwrite: self.overwrite,
            threads: self.threads.clone(),
            cancel: self.cancel.clone(),
            observer: self.observer.clone(),
            ..default
        }
    }
}
