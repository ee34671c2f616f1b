//! The keys and values of one array.

use blosc_core::{CParams, Chunk, DecodeError, Decoder, Header, Limits, OutOfMemory, memory};
use bloscpack_format::zarr::ArrayMeta;

use super::params::ZarrParams;
use super::positions::Positions;
use super::store::KeyStore;
use crate::Error;

/// Minimum expansion of a copied chunk that is checked for fill values. A chunk of zeros is expanded more by all codecs.
const MIN_EXPANSION: usize = 16;
/// Chunks up to this size in bytes are always checked: they may be stored uncompressed.
const SMALL: usize = 4096;

/// Writes the chunks of one array.
pub(crate) struct ArrayWriter<'a, S> {
    store: &'a S,
    /// The path of the array in the store, with a trailing `/`; empty for the array of the whole store.
    prefix: String,
    meta: &'a ArrayMeta,
    /// The fill value; empty for zeros.
    fill: Vec<u8>,
    params: CParams,
    write_empty_chunks: bool,
}

impl<'a, S: KeyStore> ArrayWriter<'a, S> {
    /// Creates the writer of the array at `path`, which is empty for the array of the whole store.
    pub(crate) fn new(store: &'a S, path: &str, meta: &'a ArrayMeta, params: &ZarrParams) -> Result<Self, OutOfMemory> {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let itemsize = usize::try_from(meta.dtype.itemsize()).unwrap_or(usize::MAX);
        let fill = if meta.fill.is_zeros() { Vec::new() } else { meta.fill.to_item(itemsize)? };
        let ZarrParams { params, write_empty_chunks, .. } = *params;
        Ok(ArrayWriter { store, prefix, meta, fill, params, write_empty_chunks })
    }

    pub(super) fn fill(&self) -> &[u8] {
        &self.fill
    }

    pub(super) fn meta(&self) -> &'a ArrayMeta {
        self.meta
    }

    pub(super) fn params(&self) -> CParams {
        self.params
    }

    /// Returns whether a chunk is left out, because readers take a missing chunk for fill values.
    pub(super) fn leaves_out(&self, plain: &[u8]) -> bool {
        !self.write_empty_chunks && repeats(plain, &self.fill)
    }

    /// Stores a compressed chunk.
    pub(super) fn put(&self, position: &[u64], chunk: &[u8]) -> Result<(), Error> {
        self.store.put(&format!("{}{}", self.prefix, self.meta.keys.key(position)), chunk)
    }

    /// Stores chunk `number`, which was copied; an empty one is missing. A chunk of fill values is left out. Only chunks
    /// that compress very well can be one, and of those mostly the first block is decoded.
    ///
    /// # Errors
    /// [`Error::Chunk`] if that block is damaged.
    pub(crate) fn put_copied(&self, number: u64, chunk: &[u8], limits: &Limits) -> Result<(), Error> {
        if chunk.is_empty() {
            return Ok(());
        }
        let refuse = |source| Error::Chunk { chunk: number, offset: 0, source };
        if !self.write_empty_chunks && decodes_to(&self.fill, chunk, limits).map_err(refuse)? {
            return Ok(());
        }
        let position = Positions::new(&self.meta.shape, &self.meta.chunkshape, number).next().unwrap_or_default();
        self.put(&position, chunk)
    }
}

/// Returns whether a chunk consists of one value.
fn decodes_to(value: &[u8], chunk: &[u8], limits: &Limits) -> Result<bool, DecodeError> {
    let parsed = Chunk::parse(chunk)?;
    let (nbytes, cbytes) = (parsed.header().nbytes(), parsed.header().cbytes());
    let is_expanded = cbytes.saturating_sub(Header::LEN).saturating_mul(MIN_EXPANSION) <= nbytes;
    if nbytes == 0 || nbytes > SMALL && !is_expanded {
        return Ok(false);
    }
    limits.check_chunk(nbytes as u64)?;
    let (mut decoder, mut start) = (Decoder::new().limits(*limits), memory::zeroed(nbytes.min(value.len().max(8)))?);
    let first = 0..start.len();
    decoder.decode_ranges(&parsed, std::slice::from_ref(&first), &mut start)?;
    let is_start = repeats(start.get(..value.len()).filter(|start| !start.is_empty()).unwrap_or(&start), value);
    Ok(is_start && repeats(&decoder.decompress(&parsed)?, value))
}

/// Returns whether the bytes repeat a value; an empty one means zeros.
fn repeats(plain: &[u8], value: &[u8]) -> bool {
    if !value.is_empty() {
        return plain.chunks(value.len()).all(|item| item == value);
    }
    // Wide pieces without an early exit are vectorised.
    plain.chunks(256).all(|piece| piece.iter().fold(0, |all, byte| all | byte) == 0)
}
