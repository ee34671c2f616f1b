//! Fuzzes zstd's decoder: where `rust-zstd` accepts a frame, the decoder must accept it too and give the same bytes.
//!
//! The input is the blocks of a frame that does not state its size: a large stated size would only test the memory of
//! `rust-zstd`. The decoder may accept more, because it does not check matches against the frame's window.
#![no_main]

use blosc_core::CodecFormat;
use blosc_core::internals::StreamDecompressor;
use libfuzzer_sys::fuzz_target;
use rust_zstd::Decompressor;

/// Maximum length of an input, of which three bytes can stand for 128 KiB.
const MAX_BLOCKS: usize = 4096;

/// A frame without a checksum, with a window of 128 KiB.
const HEADER: [u8; 6] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38];

fuzz_target!(|blocks: &[u8]| {
    if blocks.len() > MAX_BLOCKS {
        return;
    }
    let frame = [&HEADER, blocks].concat();
    let mut plain = Vec::new();
    let is_accepted = Decompressor::new().decompress_into(&frame, &mut plain).is_ok();
    let len = plain.len();

    let mut decompressor = StreamDecompressor::new(CodecFormat::Zstd).expect("every build reads zstd");
    for slack in [0, 64] {
        let mut dst = vec![0xA5; len + 1 + slack];
        let done = decompressor.decompress(&frame, &mut dst[..len + slack], len);
        assert!(done.is_ok() || !is_accepted, "{done:?}");
        assert!(!is_accepted || dst[..len] == *plain, "other bytes than those of rust-zstd");
        assert!(
            !is_accepted || decompressor.decompress(&frame, &mut dst, len + 1).is_err(),
            "more bytes than there are"
        );
    }
});
