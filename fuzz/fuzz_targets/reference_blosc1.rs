//! Compares with C-Blosc 1.21 on any data with any parameters: each side must decompress what the other one compresses.
#![no_main]

use blosc_core::{Codec, Encoder, Header, SplitMode};
use blosc_fuzz::chunk::is_split_by_rule;
use blosc_fuzz::params::{Choice, choose};
use core::ffi::{c_int, c_void};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(choice) = choose(input) else { return };
    let Choice { params, codec, split, typesize, is_blosc2, room, plain, .. } = choice;
    // This build of C-Blosc has no zstd, which C-Blosc2 already brings. `reference_blosc2` covers those chunks.
    if is_blosc2 || codec == Codec::Zstd {
        return;
    }
    let chunk = Encoder::new(params).and_then(|mut encoder| encoder.compress(&plain)).expect("in range");
    // C-Blosc writes such chunks in this mode, but reads them only where its other modes would split too.
    if split == SplitMode::Always && !is_split_by_rule(&chunk) {
        return;
    }
    match decompress(&chunk, plain.len()) {
        Ok(decoded) => assert!(decoded == plain, "{params:?}"),
        // C-Blosc does not decode empty chunks.
        Err(code) => assert!(plain.is_empty(), "C-Blosc says {code}; {params:?}"),
    }

    let blocksize = if room < 128 { 0 } else { usize::from(room) * 64 };
    let Some(chunk) = compress(&plain, room % 10, room % 3, typesize, codec.name(), blocksize) else { return };
    let header = Header::parse(&chunk).expect("a chunk of C-Blosc");
    assert_eq!(header.nbytes(), plain.len());
    let decoded = blosc_core::decompress(&chunk).unwrap_or_else(|error| panic!("{error}; {header:?}"));
    assert!(decoded == plain, "{header:?}");
});

/// Decompresses a chunk with C-Blosc; an error is its return code.
fn decompress(chunk: &[u8], nbytes: usize) -> Result<Vec<u8>, c_int> {
    let mut plain = vec![0xA5; nbytes];
    let (src, dst) = (chunk.as_ptr().cast::<c_void>(), plain.as_mut_ptr().cast::<c_void>());
    // SAFETY: `dst` has `nbytes` bytes, and an encoder wrote the chunk, so it is as long as its header says.
    let found = unsafe { blosc_src::blosc_decompress_ctx(src, dst, nbytes, 1) };
    if usize::try_from(found) == Ok(nbytes) { Ok(plain) } else { Err(found) }
}

/// Compresses with C-Blosc; `None` if it refuses.
fn compress(plain: &[u8], clevel: u8, shuffle: u8, typesize: usize, codec: &str, blocksize: usize) -> Option<Vec<u8>> {
    let codec = std::ffi::CString::new(codec).ok()?;
    let mut chunk = vec![0; plain.len() + Header::LEN];
    let (src, dst) = (plain.as_ptr().cast::<c_void>(), chunk.as_mut_ptr().cast::<c_void>());
    let (level, shuffle, room) = (c_int::from(clevel), c_int::from(shuffle), chunk.len());
    // SAFETY: both buffers have the stated lengths, and the name of the codec ends with a zero.
    let len = unsafe {
        let name = codec.as_ptr();
        blosc_src::blosc_compress_ctx(level, shuffle, typesize, plain.len(), src, dst, room, name, blocksize, 1)
    };
    chunk.truncate(usize::try_from(len).ok().filter(|len| *len > 0)?);
    Some(chunk)
}
