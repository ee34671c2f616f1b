//! Test support: filtered blocks from the golden chunks written by C-Blosc2.

use crate::codec::CodecFormat;
use crate::kernels;
use crate::le::i32_at;
use crate::stream::{StreamCodec, StreamDecoder};

/// A chunk before its filters are undone.
pub(super) struct Filtered {
    pub(super) file: String,
    pub(super) typesize: usize,
    /// Ids and meta bytes, in the order in which compression ran them.
    pub(super) filters: Vec<(u8, u8)>,
    pub(super) blocks: Vec<Vec<u8>>,
    pub(super) plain_sha256: String,
}

/// Returns the golden chunks of some categories whose codecs are in this build.
pub(super) fn filtered(categories: &[&str]) -> Vec<Filtered> {
    let files = testdata::archive("chunks");
    let manifest = testdata::manifest("chunks");
    let mut found = Vec::new();
    for item in manifest["items"].as_array().unwrap() {
        if !categories.contains(&item["category"].as_str().unwrap()) {
            continue;
        }
        let file = item["file"].as_str().unwrap().to_owned();
        let chunk = &files[&file];
        let format = CodecFormat::from_id(chunk[2] >> 5).unwrap();
        if StreamDecoder::check(format).is_ok() {
            found.push(Filtered {
                typesize: usize::from(chunk[3]),
                filters: (0..6).map(|slot| (chunk[16 + slot], chunk[24 + slot])).filter(|(id, _)| *id != 0).collect(),
                blocks: blocks(format, chunk),
                plain_sha256: item["plain_sha256"].as_str().unwrap().to_owned(),
                file,
            });
        }
    }
    found
}

fn blocks(format: CodecFormat, chunk: &[u8]) -> Vec<Vec<u8>> {
    let number = |at| usize::try_from(i32_at(chunk, at).unwrap()).unwrap();
    let (nbytes, blocksize) = (number(4), number(8));
    let mut decompressor = StreamDecoder::default();
    let block = |index: usize| {
        let len = blocksize.min(nbytes - index * blocksize);
        let split = chunk[2] & 0x10 == 0 && len == blocksize;
        let streams = if split { usize::from(chunk[3]) } else { 1 };
        let mut at = number(32 + 4 * index);
        let mut block = vec![0; len];
        for stream in block.chunks_exact_mut(len / streams) {
            let csize = i32_at(chunk, at).unwrap();
            at += 4;
            if csize < 0 {
                stream.fill(csize.unsigned_abs() as u8);
                at += 1;
                continue;
            }
            let src = &chunk[at..at + csize as usize];
            at += src.len();
            if src.len() == stream.len() {
                stream.copy_from_slice(src);
            } else if !src.is_empty() {
                decompressor.decompress(&StreamCodec::BuiltIn(format), src, stream, stream.len()).unwrap();
            }
        }
        block
    };
    (0..nbytes.div_ceil(blocksize)).map(block).collect()
}

/// Undoes a shuffle (filter 1) or a bitshuffle (2) without a meta byte.
pub(super) fn unshuffle((id, meta): (u8, u8), typesize: usize, src: &[u8]) -> Vec<u8> {
    assert_eq!(meta, 0);
    let kernel = match id {
        1 => kernels::active().unshuffle,
        2 => kernels::active().bitunshuffle,
        other => panic!("filter {other} is not a shuffle"),
    };
    let mut dst = vec![0xA5; src.len()];
    kernel(typesize, src, &mut dst);
    dst
}

/// Parses the hex digits of a test vector.
pub(super) fn hex(digits: &str) -> Vec<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap() as u8;
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}
