//! Fuzzes inflate: the decoder must give the bytes that `zlib-rs` gives, and refuse what it refuses.
#![no_main]

use blosc_core::CodecFormat;
use blosc_core::internals::StreamDecompressor;
use libfuzzer_sys::fuzz_target;
use zlib_rs::{Inflate, InflateFlush, Status};

/// Large enough for every kind of block, and for decoder rounds that are not cut short by the end.
const MAX_PLAIN: usize = 1 << 16;

fuzz_target!(|body: &[u8]| {
    let mut expected = vec![0; MAX_PLAIN];
    let mut inflate = Inflate::new(false, 15);
    let ends = matches!(inflate.decompress(body, &mut expected, InflateFlush::Finish), Ok(Status::StreamEnd));
    let (used, len) = (inflate.total_in() as usize, inflate.total_out() as usize);
    let plain = &expected[..len];

    // Adds a valid zlib header and checksum, so that no input is refused for these alone.
    let header = [0x78, 0x9C];
    let stream = match ends {
        true => [&header, &body[..used], &simd_adler32::adler32(&plain).to_be_bytes()].concat(),
        false => [&header, body].concat(),
    };
    let mut decompressor = StreamDecompressor::new(CodecFormat::Zlib).expect("this build has zlib");
    for slack in [0, 64] {
        let mut dst = vec![0xA5; len + 1 + slack];
        assert_eq!(decompressor.decompress(&stream, &mut dst[..len + slack], len).is_ok(), ends);
        assert!(!ends || dst[..len] == *plain, "other bytes than those of zlib-rs");
        assert!(decompressor.decompress(&stream, &mut dst, len + 1).is_err(), "more bytes than there are");
    }
});
