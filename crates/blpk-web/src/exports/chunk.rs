//! Chunks: decompress, describe.

use std::cell::Cell;

use blosc_core::{Chunk, DecodeError, Decoder, ErrorKind, Filter, Limits};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::copy;
use super::error::{error, invalid};

thread_local! {
    /// The decoder, and the plain bytes of the last chunk. Memory of WebAssembly is never given back, so keeping it costs
    /// nothing, and it need not be zeroed again. A call takes both, because JavaScript runs during it.
    static DECODED: Cell<(Decoder, Vec<u8>)> = Cell::new((Decoder::new(), Vec::new()));
}

fn refuse(found: &DecodeError) -> JsValue {
    error(found.kind(), &blosc_core::Report::new(found).to_string())
}

/// Returns the plain bytes of a chunk. A chunk of more than `most` plain bytes is refused.
///
/// # Errors
/// The damage.
#[wasm_bindgen]
pub fn decompress(chunk: &[u8], most: f64) -> Result<Uint8Array, JsValue> {
    let parsed = Chunk::parse(chunk).map_err(|found| refuse(&found))?;
    if !is_in_blocks(&parsed, most) {
        return decoded(&parsed, most, |plain| Ok(Uint8Array::from(plain)));
    }
    let into = Uint8Array::new_with_length(u32::try_from(parsed.header().nbytes()).unwrap_or(u32::MAX));
    block_by_block(&parsed, most, &into)?;
    Ok(into)
}

/// Decodes a chunk into an array of exactly the size of its plain bytes.
///
/// # Errors
/// The damage; an array of another size.
#[wasm_bindgen(js_name = decompressInto)]
pub fn decompress_into(chunk: &[u8], into: &Uint8Array) -> Result<(), JsValue> {
    let most = f64::from(into.length());
    let chunk = Chunk::parse(chunk).map_err(|found| refuse(&found))?;
    if chunk.header().nbytes() != into.length() as usize {
        return Err(invalid(&format!("the chunk has {} bytes, the array {}", chunk.header().nbytes(), into.length())));
    }
    if is_in_blocks(&chunk, most) {
        return block_by_block(&chunk, most, into);
    }
    decoded(&chunk, most, |plain| copy::put(into, 0, plain))
}

/// Decodes a chunk in the memory of this module.
fn decoded<T>(chunk: &Chunk<'_>, most: f64, take: impl FnOnce(&[u8]) -> Result<T, JsValue>) -> Result<T, JsValue> {
    with_decoder(most, |decoder, plain| {
        decoder.decompress_to(chunk, plain).map_err(|found| refuse(&found))?;
        take(plain)
    })
}

fn with_decoder<T>(most: f64, call: impl FnOnce(&mut Decoder, &mut Vec<u8>) -> T) -> T {
    let (decoder, mut plain) = DECODED.take();
    let mut decoder = decoder.limits(Limits::new().max_nbytes(most.max(0.0) as usize));
    let result = call(&mut decoder, &mut plain);
    DECODED.set((decoder, plain));
    result
}

/// The largest block that stays in the cache of a CPU until it is copied to JavaScript.
const MAX_BLOCK: usize = 1 << 20;

/// Returns whether a chunk is decoded block by block: one whose blocks do not need each other.
fn is_in_blocks(chunk: &Chunk<'_>, most: f64) -> bool {
    let header = chunk.header();
    let is_simple = !header.has_vl_blocks() && !header.has_dictionary() && !header.filters().contains(Filter::Delta);
    let is_earned = header.nbytes() / Limits::EARNED <= header.cbytes();
    let fits = header.nbytes() as f64 <= most && header.blocksize() <= MAX_BLOCK;
    is_simple && is_earned && fits && header.nblocks() > 1 && chunk.repeated_value().is_none()
}

/// Decodes a chunk block by block into an array of its size. Each block is copied while it is in the cache.
fn block_by_block(chunk: &Chunk<'_>, most: f64, into: &Uint8Array) -> Result<(), JsValue> {
    with_decoder(most, |decoder, plain| {
        let (blocksize, nblocks) = (chunk.header().blocksize(), chunk.header().nblocks());
        if plain.len() < blocksize {
            blosc_core::memory::resize(plain, blocksize, 0)
                .map_err(|found| error(ErrorKind::OutOfMemory, &found.to_string()))?;
        }
        let mut at = 0_usize;
        for block in 0..nblocks {
            let len = decoder.decode_block(chunk, block, plain).map_err(|found| refuse(&found))?;
            copy::put(into, at, plain.get(..len).unwrap_or_default())?;
            at += len;
        }
        Ok(())
    })
}

/// Returns the sizes in the header of a chunk: plain bytes, stored bytes, block size, typesize.
///
/// # Errors
/// A damaged header.
#[wasm_bindgen(js_name = chunkSizes)]
pub fn chunk_sizes(chunk: &[u8]) -> Result<Vec<f64>, JsValue> {
    let header = blosc_core::Header::parse(chunk).map_err(|found| refuse(&found))?;
    let sizes = [header.nbytes(), header.cbytes(), header.blocksize(), header.typesize()];
    Ok(sizes.map(|size| size as f64).to_vec())
}
