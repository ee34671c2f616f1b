//! Chunks: compress.

use std::cell::Cell;

use blosc_core::{EncodeError, Encoder, ErrorKind, Report, memory};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::copy;
use super::error::{error, invalid};
use crate::params;

thread_local! {
    /// Room for the largest chunk so far, with the last chunk, and the size of that. A call takes both, because
    /// JavaScript runs during it.
    static ENCODED: Cell<(Vec<u8>, usize)> = const { Cell::new((Vec::new(), 0)) };
}

/// Compresses `plain` to the start of `into`, or to memory of this module, from which `compressed` then copies the chunk.
/// Returns the size of the chunk. If that is more than `into` has, only a part of the chunk was written. The arrays must
/// not overlap.
///
/// # Errors
/// Parameters that are refused; too many bytes for a chunk; an array that becomes shorter during the call.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments, reason = "wasm-bindgen passes no structures")]
pub fn compress(
    plain: &Uint8Array,
    into: Option<Uint8Array>,
    codec: &str,
    clevel: u8,
    filters: &str,
    typesize: u32,
    blocksize: u32,
    blosc2: bool,
) -> Result<u32, JsValue> {
    let params = params::parse(codec, clevel, filters, typesize as usize, blocksize, blosc2);
    let params = params.map_err(|problem| invalid(&problem))?;
    let mut encoder = Encoder::new(params).map_err(|found| refuse(&found))?;
    let size = match into {
        Some(into) => compress_into(&mut encoder, plain, &into)?,
        None => compress_here(&mut encoder, plain, params.get_format().max_cbytes(plain.length() as usize))?,
    };
    Ok(u32::try_from(size).unwrap_or(u32::MAX))
}

/// Compresses to memory of this module.
fn compress_here(encoder: &mut Encoder, plain: &Uint8Array, max_cbytes: usize) -> Result<usize, JsValue> {
    let (mut room, _) = ENCODED.take();
    // A slice is written without the copy that a vector costs, and its memory is zeroed only once.
    if room.len() < max_cbytes {
        memory::reuse(&mut room, max_cbytes).map_err(|found| error(ErrorKind::OutOfMemory, &found.to_string()))?;
    }
    // Each block is copied from JavaScript when its turn comes, and is then in the cache.
    let mut is_whole = true;
    let read = |start: usize, block: &mut [u8]| is_whole = is_whole && copy::get(plain, start, block);
    let written = encoder.compress_from(plain.length() as usize, read, &mut room);
    ENCODED.set((room, *written.as_ref().unwrap_or(&0)));
    let size = written.map_err(|found| refuse(&found))?;
    if is_whole { Ok(size) } else { Err(copy::changed()) }
}

/// Compresses to an array of JavaScript. Each block is copied while it is in the cache, before and after.
fn compress_into(encoder: &mut Encoder, plain: &Uint8Array, into: &Uint8Array) -> Result<usize, JsValue> {
    let room = into.length() as usize;
    let is_whole = Cell::new(true);
    let read = |start: usize, block: &mut [u8]| is_whole.set(is_whole.get() && copy::get(plain, start, block));
    let write = |start: usize, bytes: &[u8]| {
        let fitting = bytes.get(..room.saturating_sub(start)).unwrap_or(bytes);
        is_whole.set(is_whole.get() && (fitting.is_empty() || copy::put(into, start, fitting).is_ok()));
    };
    let written = encoder.compress_through(plain.length() as usize, read, write);
    let size = written.map_err(|found| refuse(&found))?;
    if is_whole.get() { Ok(size) } else { Err(copy::changed()) }
}

/// Copies the chunk that is in memory of this module to an array of its size.
///
/// # Errors
/// An array of another size.
#[wasm_bindgen]
pub fn compressed(into: &Uint8Array) -> Result<(), JsValue> {
    let (room, size) = ENCODED.take();
    let copied = copy::put(into, 0, room.get(..size).unwrap_or_default());
    ENCODED.set((room, size));
    copied
}

fn refuse(found: &EncodeError) -> JsValue {
    error(found.kind(), &Report::new(found).to_string())
}
