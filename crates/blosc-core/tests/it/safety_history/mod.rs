//! Past bugs of the C libraries, one test for each: CVEs, fuzzer finds and issues by their numbers.
//!
//! Most chunks are built by hand, because no writer produces them.

mod dictionaries;
mod headers;
mod parts;
mod plugins;
mod room;
mod streams;
mod tables;
mod vlblocks;

use blosc_core::{Chunk, DecodeError, Decoder, Limits};

/// Maximum plain bytes that the decoders of these tests produce.
const MAX_NBYTES: usize = 1 << 20;

/// Byte 2 of a Blosc2 chunk of BloscLZ. With `NOT_SPLIT`, its blocks are not split.
const EXTENDED: u8 = 0x05;
const MEMCPYED: u8 = 0x02;
const NOT_SPLIT: u8 = 0x10;

/// Builds a Blosc2 chunk: a header of 32 bytes without filters, then `body`. Its `cbytes` is correct.
fn extended(flags: u8, typesize: u8, nbytes: i32, blocksize: i32, body: &[u8]) -> Vec<u8> {
    let cbytes = i32::try_from(32 + body.len()).unwrap();
    let mut chunk = vec![5, 1, EXTENDED | flags, typesize];
    chunk.extend([nbytes, blocksize, cbytes].map(i32::to_le_bytes).concat());
    chunk.extend([0; 16]);
    chunk.extend(body);
    chunk
}

/// Builds a chunk with one block, whose streams are `streams`.
fn one_block(flags: u8, typesize: u8, nbytes: i32, streams: &[u8]) -> Vec<u8> {
    extended(flags, typesize, nbytes, nbytes, &[&numbers(&[36]), streams].concat())
}

fn numbers(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn put(chunk: &mut [u8], at: usize, number: i32) {
    chunk[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

/// Corrects `cbytes`.
fn with_cbytes(mut chunk: Vec<u8>) -> Vec<u8> {
    let cbytes = i32::try_from(chunk.len()).unwrap();
    put(&mut chunk, 12, cbytes);
    chunk
}

/// Decodes over two backgrounds, which must not show, and checks that memory stays within the limit.
fn decode(bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let ways = || {
        let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(MAX_NBYTES));
        let chunk = Chunk::parse(bytes)?;
        let plain = decoder.decompress(&chunk)?;
        for background in [0x00, 0xFF] {
            let mut dst = vec![background; plain.len() + 16];
            assert_eq!(decoder.decompress_into(&chunk, &mut dst).unwrap(), plain.len());
            assert!(dst[..plain.len()] == plain && dst[plain.len()..] == [background; 16]);
        }
        Ok(plain)
    };
    let (plain, usage) = testdata::CountingAlloc::measure(ways);
    assert!(usage.peak < 5 * MAX_NBYTES, "{usage:?}");
    plain
}

fn refused(bytes: &[u8]) -> DecodeError {
    match decode(bytes) {
        Ok(plain) => panic!("decodes to {} bytes", plain.len()),
        Err(error) => error,
    }
}
