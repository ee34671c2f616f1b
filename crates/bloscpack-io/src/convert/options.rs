//! What a container is converted to, and how: what was asked for, else what the input says.

use blosc_core::{CParams, Codec, FilterPipeline, Limits, SplitMode};
use bloscpack_format::Json;
use bloscpack_format::bcolz::{self, Cparams, Shuffle, Storage};
use bloscpack_format::numpy::{Dtype, NumpyMeta};

use crate::formats::bcolz::CarrayParams;
use crate::formats::frame::{ArrayOptions, FrameParams};
use crate::numpy::for_items;
use crate::options::{Event, Observer};
use crate::{Cancel, Error, OpenOptions, PackOptions, Threads, Typing, UnpackOptions};

/// How to convert. What is not set is as the input has it, or as the target's writers have it.
#[derive(Debug, Clone, Default)]
pub struct ConvertOptions {
    /// The dtype of the items.
    pub dtype: Option<Dtype>,
    /// Items along each axis; one of them may be `None`, which is what the bytes make it.
    pub shape: Option<Vec<Option<u64>>>,
    /// Takes the input as raw bytes, also if it looks like a container. With a dtype, an input that is not recognised is
    /// raw bytes anyway.
    pub raw: bool,
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
    /// Everything else about a bloscpack file, and who is told what happens.
    pub pack: PackOptions,
    /// What reading the input may cost.
    pub limits: Limits,
    /// Whether an output that exists is replaced.
    pub overwrite: bool,
    /// Who works.
    pub threads: Threads,
    /// A switch that calls it off.
    pub cancel: Cancel,
}

impl ConvertOptions {
    /// Somebody to be told what happens: [`Event::Begin`], then [`Event::Plain`] until there are as many bytes.
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        self.pack = self.pack.observe(observer);
        self
    }

    /// The dtype and shape that were asked for.
    pub(super) fn typing(&self) -> Typing {
        Typing { dtype: self.dtype.clone(), shape: self.shape.clone(), raw: self.raw }
    }

    /// How the chunks of an array are compressed: its items are the typesize.
    pub(super) fn array_params(&self, old: Option<FrameParams>, itemsize: u64) -> Result<FrameParams, Error> {
        match self.typesize {
            Some(typesize) if u64::from(typesize) != itemsize => {
                Err(Error::FrameParams { what: "the typesize of an array is that of its items" })
            }
            _ => self.frame_params(old, itemsize),
        }
    }

    /// How the chunks of a frame are compressed: as was asked for, else as the input's are, but for filters that lose bits,
    /// which lose others as soon as items or blocks are others.
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

    /// What a carray is to be: as was asked for, else as the input's `meta/storage` says, if it has one. Floats are not
    /// rounded, as they were already. Rows are as many in a chunk as before, unless they become others.
    pub(super) fn carray_params(&self, meta: &NumpyMeta, old: Option<&Storage>) -> Result<CarrayParams, Error> {
        let refuse = |what| Err(Error::CarrayParams { what });
        let Some((rows, atom_shape)) = meta.shape.split_first() else {
            return refuse("an array without axes has no rows");
        };
        let itemsize = meta.dtype.itemsize();
        if self.typesize.is_some_and(|typesize| u64::from(typesize) != itemsize) {
            return refuse("the typesize of an array is that of its items");
        }
        let mut cparams = old.map_or(Cparams::default(), |old| Cparams { quantize: 0, ..old.cparams.clone() });
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
            Some(_) => return refuse("bcolz has one of the filters shuffle and bitshuffle, or none"),
        };
        let dtype = bcolz::Dtype::from(meta.dtype.clone());
        let old = old.filter(|old| old.dtype == dtype);
        let dflt = old.map(|old| &old.dflt).filter(|dflt| bcolz::dflt::check(dflt, &dtype, atom_shape).is_ok());
        let mut params = CarrayParams::new(dtype.clone()).atom_shape(atom_shape).cparams(cparams).expectedlen(*rows);
        if let Some(chunklen) = self.array.rows().or(old.filter(|_| self.shape.is_none()).map(|old| old.chunklen)) {
            params = params.chunklen(chunklen);
        }
        Ok(match dflt {
            Some(dflt) => params.dflt(dflt.clone()),
            None => params,
        })
    }

    pub(super) fn observer(&self) -> &Observer {
        &self.pack.observer
    }

    /// How the input is opened.
    pub(super) fn open_options(&self) -> OpenOptions {
        OpenOptions::new().limits(self.limits).cancel(self.cancel.clone()).typing(self.typing())
    }

    /// How the input is read.
    pub(super) fn unpack_options(&self) -> UnpackOptions {
        UnpackOptions::new().limits(self.limits).threads(self.threads.clone()).cancel(self.cancel.clone())
    }

    pub(super) fn pack_options(&self, array: Option<&NumpyMeta>, typesize: u64, metadata: Option<Json>) -> PackOptions {
        let typesize = self.typesize.map_or(typesize, u64::from);
        let typesize = usize::try_from(typesize).ok().filter(|size| (1..=255).contains(size)).unwrap_or(1);
        let params = CParams::new().codec(self.codec.unwrap_or(Codec::BloscLz)).clevel(self.clevel.unwrap_or(7));
        let params = params.filters(self.filters.unwrap_or(FilterPipeline::shuffle())).typesize(typesize);
        let params = params.split(self.split.unwrap_or_default());
        let pack = self.pack.clone().params(params).threads(self.threads.clone()).cancel(self.cancel.clone());
        let pack = pack.overwrite(self.overwrite);
        match (array, &pack.metadata) {
            // Filters take items apart, unless somebody wants something else.
            (Some(array), None) if self.typesize.is_some() => {
                for_items(&pack, &array.dtype).params(params).metadata(metadata)
            }
            (Some(array), None) => for_items(&pack, &array.dtype).metadata(metadata),
            (None, None) => pack.metadata(metadata),
            _ => pack,
        }
    }
}
