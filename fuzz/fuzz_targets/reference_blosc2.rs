//! Compares with C-Blosc2 2.15 on any data with any parameters: each side must decompress what the other one
//! compresses.
#![no_main]

use blosc_core::{Chunk, Codec, Decoder, Encoder, Filter, SplitMode};
use blosc_fuzz::chunk::is_split_by_rule;
use blosc_fuzz::params::{Choice, choose};
use blosc2_src::{BLOSC2_CPARAMS_DEFAULTS, BLOSC2_DPARAMS_DEFAULTS, blosc2_cparams};
use core::ffi::{c_int, c_void};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(choice) = choose(input) else { return };
    let Choice { params, codec, filters, split, typesize, is_blosc2, dictionary, vl_blocks, room, plain } = choice;
    // This build has no plugins, no zlib and no snappy. LZ4 dictionaries and variable-length blocks are newer than it.
    let is_built_in = |filter: &Filter| matches!(filter, Filter::Shuffle | Filter::BitShuffle | Filter::Delta);
    let is_newer = vl_blocks || dictionary && codec != Codec::Zstd;
    if matches!(codec, Codec::Zlib | Codec::Snappy) || is_newer || !filters.as_slice().iter().all(is_built_in) {
        return;
    }
    // C-Blosc2 undoes delta in the destination buffer, so delta must be the last step of decoding.
    if filters.as_slice().iter().skip(1).any(|filter| *filter == Filter::Delta) {
        return;
    }
    let Ok(mut encoder) = Encoder::new(params) else { return };
    let Ok(chunk) = encoder.compress(&plain) else { return };
    // See `reference_blosc1`.
    if !is_blosc2 && split == SplitMode::Always && !is_split_by_rule(&chunk) {
        return;
    }
    match decompress(&chunk, plain.len()) {
        Ok(decoded) => assert!(decoded == plain, "{params:?}"),
        Err(code) => panic!("C-Blosc2 says {code}; {params:?}"),
    }

    // With three filters C-Blosc2 writes into the source. It leaves the bytes after delta's last unit undefined.
    let is_delta = filters.contains(Filter::Delta);
    if filters.as_slice().len() > 2 || is_delta && !(matches!(typesize, 1 | 2 | 4 | 8) && plain.len() % 8 == 0) {
        return;
    }
    let Some(chunk) = compress(&plain, theirs(codec, typesize, filters.as_slice(), room)) else { return };
    let parsed = Chunk::parse(&chunk).expect("a chunk of C-Blosc2");
    let decoded = Decoder::new().decompress(&parsed).unwrap_or_else(|error| panic!("{error}; {:?}", parsed.header()));
    assert!(decoded == plain, "{:?}", parsed.header());
});

/// Returns matching parameters for C-Blosc2, without a dictionary: it leaks memory if the data yields none.
fn theirs(codec: Codec, typesize: usize, filters: &[Filter], room: u8) -> blosc2_cparams {
    let mut slots = [0; 6];
    for (slot, filter) in slots.iter_mut().rev().zip(filters.iter().rev()) {
        *slot = filter.id();
    }
    blosc2_cparams {
        compcode: match codec {
            Codec::BloscLz => 0,
            Codec::Lz4 => 1,
            Codec::Lz4Hc => 2,
            _ => 5,
        },
        clevel: room % 10,
        typesize: typesize as i32,
        blocksize: if room < 128 { 0 } else { i32::from(room) * 64 },
        splitmode: 1 + i32::from(room % 4),
        filters: slots,
        ..BLOSC2_CPARAMS_DEFAULTS
    }
}

/// Decompresses a chunk with C-Blosc2; an error is its return code.
fn decompress(chunk: &[u8], nbytes: usize) -> Result<Vec<u8>, c_int> {
    let mut plain = vec![0xA5; nbytes];
    let (src, dst) = (chunk.as_ptr().cast::<c_void>(), plain.as_mut_ptr().cast::<c_void>());
    // SAFETY: both buffers have the stated lengths, and the context is freed once, after its last use.
    let found = unsafe {
        let context = blosc2_src::blosc2_create_dctx(BLOSC2_DPARAMS_DEFAULTS);
        let found = blosc2_src::blosc2_decompress_ctx(context, src, chunk.len() as i32, dst, nbytes as i32);
        blosc2_src::blosc2_free_ctx(context);
        found
    };
    if usize::try_from(found) == Ok(nbytes) { Ok(plain) } else { Err(found) }
}

/// Compresses with C-Blosc2; `None` if it refuses.
fn compress(plain: &[u8], params: blosc2_cparams) -> Option<Vec<u8>> {
    // A header of 32 bytes, and room to store the data uncompressed.
    let mut chunk = vec![0; plain.len() + 32];
    let (src, dst) = (plain.as_ptr().cast::<c_void>(), chunk.as_mut_ptr().cast::<c_void>());
    // SAFETY: as above; a context that could not be created is not used.
    let len = unsafe {
        let context = blosc2_src::blosc2_create_cctx(params);
        if context.is_null() {
            return None;
        }
        let len = blosc2_src::blosc2_compress_ctx(context, src, plain.len() as i32, dst, chunk.len() as i32);
        blosc2_src::blosc2_free_ctx(context);
        len
    };
    chunk.truncate(usize::try_from(len).ok().filter(|len| *len > 0)?);
    Some(chunk)
}
