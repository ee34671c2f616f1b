//! Chunks: compress, decompress, describe.

use std::cell::RefCell;

use blosc_core::{Chunk, DecodeError, Decoder, Limits};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::error::{error, invalid};

thread_local! {
    /// The decoder, and the plain bytes of the last chunk. Memory of WebAssembly is never given back, so keeping it costs
    /// nothing, and it need not be zeroed again.
    static DECODED: RefCell<(Decoder, Vec<u8>)> = RefCell::new((Decoder::new(), Vec::new()));
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
    decoded(chunk, most, |plain| Ok(Uint8Array::from(plain)))
}

/// Decodes a chunk into an array of exactly the size of its plain bytes.
///
/// # Errors
/// The damage; an array of another size.
#[wasm_bindgen(js_name = decompressInto)]
pub fn decompress_into(chunk: &[u8], into: &Uint8Array) -> Result<(), JsValue> {
    let most = f64::from(into.length());
    decoded(chunk, most, |plain| {
        if plain.len() != into.length() as usize {
            return Err(invalid(&format!("the chunk has {} bytes, the array {}", plain.len(), into.length())));
        }
        into.copy_from(plain);
        Ok(())
    })
}

fn decoded<T>(chunk: &[u8], most: f64, take: impl FnOnce(&[u8]) -> Result<T, JsValue>) -> Result<T, JsValue> {
    let chunk = Chunk::parse(chunk).map_err(|found| refuse(&found))?;
    DECODED.with_borrow_mut(|(decoder, plain)| {
        let limits = Limits::new().max_nbytes(most.max(0.0) as usize);
        let mut used = std::mem::take(decoder).limits(limits);
        let done = used.decompress_to(&chunk, plain);
        *decoder = used;
        done.map_err(|found| refuse(&found))?;
        take(plain)
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

/// Returns `plain` as a chunk.
///
/// # Errors
/// Parameters that are refused; too many bytes for a chunk.
#[cfg(feature = "compress")]
#[wasm_bindgen]
pub fn compress(
    plain: &[u8],
    codec: &str,
    clevel: u8,
    filters: &str,
    typesize: u32,
    blocksize: u32,
    blosc2: bool,
) -> Result<Uint8Array, JsValue> {
    thread_local!(static ENCODED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
    let params = crate::params::parse(codec, clevel, filters, typesize as usize, blocksize, blosc2);
    let params = params.map_err(|problem| invalid(&problem))?;
    let refuse = |found: blosc_core::EncodeError| error(found.kind(), &blosc_core::Report::new(&found).to_string());
    let mut encoder = blosc_core::Encoder::new(params).map_err(refuse)?;
    ENCODED.with_borrow_mut(|chunk| {
        encoder.compress_to(plain, chunk).map_err(refuse)?;
        Ok(Uint8Array::from(chunk.as_slice()))
    })
}
