//! The chunks of an array, assembled from its items and compressed in parallel.

use blosc_core::{Auto, CParams, Encoder, Limits};
use bloscpack_format::frame::Region;

use super::array::ArrayWriter;
use super::padding::padded;
use super::positions::Positions;
use super::store::KeyStore;
use crate::choice::Choice;
use crate::formats::frame::ArrayItems;
use crate::options::Observer;
use crate::run::pipeline::{self, Weight};
use crate::{Cancel, Error, Threads};

/// How the chunks of an array are compressed.
pub(crate) struct Run<'a> {
    /// The choice for each chunk, instead of the array's parameters.
    pub(crate) auto: Option<Auto>,
    pub(crate) observer: &'a Observer,
    pub(crate) limits: &'a Limits,
    pub(crate) threads: &'a Threads,
    pub(crate) cancel: &'a Cancel,
}

/// A chunk in the pipeline.
struct Item {
    position: Vec<u64>,
    region: Region,
    params: CParams,
    /// Its uncompressed bytes, if parameters were chosen for them.
    plain: Option<Vec<u8>>,
}

impl<S: KeyStore> ArrayWriter<'_, S> {
    /// Writes the chunks of the grid from number `first` on, in C order of the grid.
    pub(crate) fn write_items(&self, items: &impl ArrayItems, first: u64, run: &Run<'_>) -> Result<(), Error> {
        let Run { auto, observer, limits, threads, cancel } = *run;
        let chunk_nbytes = self.meta().chunk_nbytes();
        let weigh = |item: &Item| Weight::of_new_chunk(chunk_nbytes, items.held(&item.region), threads, limits);
        let auto = auto.map(|auto| auto.typesize(self.params().get_typesize()));
        let mut choice = Choice::new(self.params(), auto);
        let mut positions = Positions::new(&self.meta().shape, &self.meta().chunkshape, first);
        let mut number = 0;
        pipeline::run_within(
            (limits, &weigh),
            threads,
            cancel,
            || Ok(Encoder::new(self.params())?.cancel(cancel.clone())),
            || {
                let Some(position) = positions.next() else { return Ok(None) };
                let region = self.region_of(&position);
                let plain = if choice.is_due() { Some(self.plain(items, &region)?) } else { None };
                let params = match &plain {
                    Some(plain) => choice.next(number, plain, (observer, cancel))?,
                    None => choice.params(),
                };
                number += 1;
                Ok(Some(Item { position, region, params, plain }))
            },
            |encoder: &mut Encoder, Item { position, region, params, plain }| {
                let plain = plain.map_or_else(|| self.plain(items, &region), Ok)?;
                if self.leaves_out(&plain) {
                    return Ok(());
                }
                if params != *encoder.params() {
                    encoder.set_params(params)?;
                }
                self.put(&position, &encoder.compress(&plain)?)
            },
            Ok,
        )
    }

    /// Returns the items of a chunk within the array.
    fn region_of(&self, position: &[u64]) -> Region {
        let axes = position.iter().zip(&self.meta().chunkshape);
        let start: Vec<u64> = axes.map(|(number, len)| number.saturating_mul(*len)).collect();
        let axes = start.iter().zip(&self.meta().chunkshape).zip(&self.meta().shape);
        let stop = axes.map(|((start, chunk), len)| start.saturating_add(*chunk).min(*len)).collect();
        Region { start, stop }
    }

    /// Returns the uncompressed bytes of a chunk.
    fn plain(&self, items: &impl ArrayItems, region: &Region) -> Result<Vec<u8>, Error> {
        let meta = self.meta();
        let found = items.read(region)?;
        let item = (meta.dtype.itemsize(), self.fill());
        Ok(padded(found, &region.extents(), &meta.chunkshape, item, meta.chunk_nbytes())?)
    }
}
