//! The functions as a C program calls them: golden and malformed chunks, items, bounds, threads.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::mpsc::{Sender, channel};

use blosc_core::{CParams, Chunk, ChunkFormat, Codec, Decoder, FilterPipeline};
use testdata::{PlainKind, SplitMix64};

use super::*;

/// Decompresses into memory of `destsize` bytes. Returns the code and the memory.
fn decompress(chunk: &[u8], destsize: usize, threads: i32) -> (i32, Vec<u8>) {
    let mut dst = vec![0xA5; destsize];
    // SAFETY: the chunk is as long as its header says, the output as long as stated.
    let code = unsafe { blosc_decompress_ctx(chunk.as_ptr().cast(), dst.as_mut_ptr().cast(), destsize, threads) };
    (code, dst)
}

fn validate(chunk: &[u8]) -> Option<usize> {
    let mut nbytes = 0;
    // SAFETY: a pointer and its length, and a variable.
    let code = unsafe { blosc_cbuffer_validate(chunk.as_ptr().cast(), chunk.len(), &raw mut nbytes) };
    (code == 0).then_some(nbytes)
}

fn compress(plain: &[u8], typesize: usize, codec: &CStr, threads: i32, destsize: usize) -> (i32, Vec<u8>) {
    let mut dst = vec![0; destsize];
    // SAFETY: two buffers with their lengths, and a string.
    let code = unsafe {
        let (src, dest) = (plain.as_ptr().cast(), dst.as_mut_ptr().cast());
        blosc_compress_ctx(5, 1, typesize, plain.len(), src, dest, destsize, codec.as_ptr(), 0, threads)
    };
    (code, dst)
}

/// Damaged chunks that pass `blosc_cbuffer_validate` give an error or what the library decodes, within the output.
#[test]
fn malformed_chunks_are_errors() {
    let (files, manifest) = (testdata::archive("chunks-malformed"), testdata::manifest("chunks-malformed"));
    let (mut refused, mut decoded) = (0, 0);
    for item in manifest["items"].as_array().unwrap() {
        let number = |field: &str| item[field].as_u64().unwrap() as usize;
        let bytes = &files["malformed.bin"][number("offset")..][..number("length")];
        let Some(nbytes) = validate(bytes).filter(|nbytes| *nbytes <= 1 << 24) else { continue };
        let (code, dst) = decompress(bytes, nbytes, 1);
        let expected = Chunk::parse(bytes).and_then(|chunk| Decoder::new().decompress(&chunk));
        match expected {
            Ok(plain) if code >= 0 => {
                assert_eq!((code as usize, &dst), (plain.len(), &plain));
                decoded += 1;
            }
            _ => {
                assert!(code <= 0, "{code}");
                refused += 1;
            }
        }
    }
    assert!(refused > 200, "{refused} refused, {decoded} decoded");
}

/// Every changed byte of a chunk, with all functions that read chunks.
#[test]
fn changed_bytes_stay_within_the_output() {
    let plain = testdata::plain(PlainKind::Ramp, 3000, 4, 3);
    let mut rng = SplitMix64::new(25);
    for codec in [c"blosclz", c"lz4", c"lz4hc", c"zlib", c"zstd"] {
        let (code, chunk) = compress(&plain, 4, codec, 1, plain.len() + 16);
        let chunk = &chunk[..code as usize];
        for at in 0..chunk.len() {
            let mut changed = chunk.to_vec();
            changed[at] ^= 1 << rng.below(8);
            let Some(nbytes) = validate(&changed).filter(|nbytes| *nbytes <= 1 << 20) else { continue };
            let (code, dst) = decompress(&changed, nbytes + 64, 1);
            assert!(code <= nbytes as i32);
            assert!(dst[nbytes..].iter().all(|byte| *byte == 0xA5), "past the end");
            let mut items = [0xA5_u8; 40 + 16];
            let typesize = usize::from(changed[3]).max(1);
            let nitems = (40 / typesize) as i32;
            // SAFETY: the chunk is as long as its header says, the output has room for the items.
            unsafe { blosc_getitem(changed.as_ptr().cast(), 2, nitems, items.as_mut_ptr().cast()) };
            assert!(items[40..].iter().all(|byte| *byte == 0xA5), "past the end of the items");
        }
    }
}

#[test]
fn items_are_slices() {
    let plain = testdata::plain(PlainKind::Ramp, 100_000, 4, 3);
    let (code, chunk) = compress(&plain, 4, c"lz4", 1, plain.len() + 16);
    let chunk = &chunk[..code as usize];
    for (start, nitems) in [(0, 1), (24_999, 1), (123, 20_000), (0, 25_000), (7, 0)] {
        let mut items = vec![0; nitems as usize * 4];
        // SAFETY: the output has room for the items.
        let code = unsafe { blosc_getitem(chunk.as_ptr().cast(), start, nitems, items.as_mut_ptr().cast()) };
        assert_eq!(code, nitems * 4);
        assert!(items == plain[start as usize * 4..][..items.len()]);
    }
    for (start, nitems) in [(-1, 2), (24_999, 2), (5, -2), (0, i32::MAX), (i32::MAX, 1), (i32::MIN, i32::MIN)] {
        // SAFETY: out of bounds, so nothing is written.
        assert_eq!(unsafe { blosc_getitem(chunk.as_ptr().cast(), start, nitems, null_mut()) }, -1);
    }
}

#[test]
fn null_and_overlapping_memory_is_refused() {
    let mut memory = vec![1_u8; 4096];
    let pointer: *mut c_void = memory.as_mut_ptr().cast();
    let lz4: *const c_char = c"lz4".as_ptr();
    // SAFETY: refused before any byte is read or written.
    unsafe {
        assert_eq!(blosc_compress_ctx(5, 1, 4, 1000, null(), pointer, 2000, lz4, 0, 1), -1);
        assert_eq!(blosc_compress_ctx(5, 1, 4, 1000, pointer, null_mut(), 2000, lz4, 0, 1), -1);
        assert_eq!(blosc_compress_ctx(5, 1, 4, 1000, pointer, pointer.add(500), 2000, lz4, 0, 1), -1);
        assert_eq!(blosc_compress_ctx(5, 1, 4, 1000, pointer, pointer.add(2000), 2000, null(), 0, 1), -5);
        assert_eq!(blosc_compress_ctx(10, 1, 4, 1000, pointer, pointer.add(2000), 2000, lz4, 0, 1), -10);
        assert_eq!(blosc_compress_ctx(5, 3, 4, 1000, pointer, pointer.add(2000), 2000, lz4, 0, 1), -10);
        assert_eq!(blosc_compress_ctx(5, 1, 0, 1000, pointer, pointer.add(2000), 2000, lz4, 0, 1), -10);
        assert_eq!(blosc_decompress_ctx(null(), pointer, 10, 1), -1);
        assert_eq!(blosc_cbuffer_validate(null(), 100, null_mut()), -1);
        assert!(blosc_cbuffer_complib(null()).is_null());
        assert_eq!(blosc_compname_to_compcode(null()), -1);
        blosc_cbuffer_sizes(pointer, null_mut(), null_mut(), null_mut());
    }
}

/// Several threads call at once, each with threads of its own.
#[test]
fn calls_run_at_once() {
    let plain = testdata::plain(PlainKind::Steps, 4_000_000, 8, 5);
    let params = CParams::new().format(ChunkFormat::Blosc1).codec(Codec::Lz4).typesize(8).clevel(5);
    let expected = blosc_core::compress(&plain, &params.filters(FilterPipeline::shuffle())).unwrap();
    std::thread::scope(|scope| {
        for threads in [1, 2, 3, 4] {
            let (plain, expected) = (&plain, &expected);
            scope.spawn(move || {
                for _ in 0..3 {
                    let (code, chunk) = compress(plain, 8, c"lz4", threads, plain.len() + 16);
                    assert!(chunk[..code as usize] == **expected);
                    let (code, found) = decompress(&chunk[..code as usize], plain.len(), threads);
                    assert_eq!(code as usize, plain.len());
                    assert!(found == *plain);
                }
            });
        }
    });
    let (code, chunk) = compress(&plain, 8, c"lz4", 1, plain.len() + 16);
    assert_eq!(decompress(&chunk[..code as usize], plain.len(), 0).0, -1);
    assert_eq!(decompress(&chunk[..code as usize], plain.len(), 257).0, -1);
    assert_eq!(compress(&plain, 8, c"lz4", 0, plain.len() + 16).0, -1);
}

#[test]
fn data_that_does_not_fit_is_zero() {
    let noise = testdata::noise(1000, 1);
    for destsize in [0, 15, 16, 1015] {
        assert_eq!(compress(&noise, 4, c"lz4", 1, destsize).0, 0);
    }
    assert_eq!(compress(&noise, 4, c"lz4", 1, 1016).0, 1016);
    assert_eq!(compress(&[], 4, c"lz4", 1, 16).0, 16);
}

/// A thread keeps an encoder for the next call, which must have the settings of that call.
#[test]
fn calls_do_not_mix_their_settings() {
    let plain = testdata::plain(PlainKind::Ramp, 1000, 4, 3);
    let settings = [(5, 1, 4), (5, 1, 2), (5, 0, 4), (0, 1, 4), (9, 1, 4), (5, 2, 4), (5, 1, 300)];
    for round in 0..3 * settings.len() {
        let (clevel, shuffle, typesize) = settings[round * 5 % settings.len()];
        let mut dst = vec![0; plain.len() + 16];
        // SAFETY: two buffers with their lengths.
        let code = unsafe {
            let (src, dest) = (plain.as_ptr().cast(), dst.as_mut_ptr().cast());
            blosc_compress(clevel, shuffle, typesize, plain.len(), src, dest, dst.len())
        };
        dst.truncate(code as usize);
        let filters = [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()];
        let params = CParams::new().clevel(clevel as u8).filters(filters[shuffle as usize]);
        let typesize = if typesize > 255 { 1 } else { typesize };
        assert_eq!(
            dst,
            blosc_core::compress(&plain, &params.typesize(typesize)).unwrap(),
            "{:?}",
            settings[round * 5 % 7]
        );
    }
}

/// A destructor of a thread may run after those of what this library keeps for the thread.
#[test]
fn an_ending_thread_can_call() {
    // Large enough for two threads.
    const SIZE: usize = 4_000_000;
    struct AtEnd(Sender<(i32, Vec<u8>)>);
    impl Drop for AtEnd {
        fn drop(&mut self) {
            let _ = self.0.send(round_trip());
        }
    }
    fn round_trip() -> (i32, Vec<u8>) {
        let (code, chunk) = compress(&[7; SIZE], 4, c"lz4", 2, SIZE + 16);
        decompress(&chunk[..code as usize], SIZE, 2)
    }
    thread_local!(static AT_END: Cell<Option<AtEnd>> = const { Cell::new(None) });
    let (sender, results) = channel();
    let ending = move || {
        // The last value that a thread made is dropped first.
        AT_END.set(Some(AtEnd(sender)));
        round_trip()
    };
    let expected = (SIZE as i32, vec![7; SIZE]);
    assert_eq!(std::thread::spawn(ending).join().unwrap(), expected);
    assert_eq!(results.recv().unwrap(), expected);
}
