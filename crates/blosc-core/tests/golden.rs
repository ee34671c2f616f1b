//! Chunks that C-Blosc 1.21 wrote, good and damaged, must give the recorded bytes or an error.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use blosc_core::{Chunk, Decoder};
use testdata::serde_json::Value;

/// The Blosc1 items of the golden set, with their bytes.
fn blosc1_chunks() -> Vec<(Value, Vec<u8>)> {
    let mut files = testdata::archive("chunks");
    let manifest = testdata::manifest("chunks");
    let items = manifest["items"].as_array().unwrap();
    let blosc1 = items.iter().filter(|item| item["format"] == "blosc1");
    blosc1.map(|item| (item.clone(), files.remove(item["file"].as_str().unwrap()).unwrap())).collect()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

#[test]
fn every_blosc1_chunk_gives_the_recorded_bytes() {
    let chunks = blosc1_chunks();
    assert_eq!(chunks.len(), 179);
    let mut decoder = Decoder::new();
    for (item, bytes) in &chunks {
        let file = &item["file"];
        let chunk = Chunk::parse(bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        let (header, expected) = (chunk.header(), &item["header"]);
        assert_eq!(usize::from(header.version()), number(&expected["version"]), "{file}");
        assert_eq!(usize::from(header.flags()), number(&expected["flags"]), "{file}");
        assert_eq!(header.typesize(), number(&expected["typesize"]), "{file}");
        assert_eq!(header.nbytes(), number(&expected["nbytes"]), "{file}");
        assert_eq!(header.blocksize(), number(&expected["blocksize"]), "{file}");
        assert_eq!(header.cbytes(), number(&expected["cbytes"]), "{file}");
        assert_eq!(header.to_bytes(), bytes[..16], "{file}");

        let plain = decoder.decompress(&chunk).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(testdata::sha256_hex(&plain), item["plain_sha256"], "{file}");
    }
}

#[test]
fn blocks_ranges_and_items_are_slices_of_the_whole() {
    let mut decoder = Decoder::new();
    let mut rng = testdata::SplitMix64::new(7);
    for (item, bytes) in &blosc1_chunks() {
        let file = &item["file"];
        let chunk = Chunk::parse(bytes).unwrap();
        let plain = decoder.decompress(&chunk).unwrap();

        let mut block = vec![0; chunk.header().blocksize()];
        for index in 0..chunk.header().nblocks() {
            let len = decoder.decode_block(&chunk, index, &mut block).unwrap();
            assert_eq!(block[..len], plain[chunk.block_range(index)], "{file} block {index}");
        }
        assert!(decoder.decode_block(&chunk, chunk.header().nblocks(), &mut block).is_err());

        let mut place = || (rng.next_u64() % (plain.len() as u64 + 1)) as usize;
        let ranges: Vec<_> = (0..5).map(|_| (place(), place())).map(|(a, b)| a.min(b)..a.max(b)).collect();
        let expected: Vec<u8> = ranges.iter().flat_map(|range| plain[range.clone()].iter().copied()).collect();
        let mut found = vec![0xAA; expected.len()];
        decoder.decode_ranges(&chunk, &ranges, &mut found).unwrap();
        assert!(found == expected, "{file} {ranges:?}");
        let outside = plain.len()..plain.len() + 1;
        assert!(decoder.decode_ranges(&chunk, &[outside], &mut [0]).is_err());

        let typesize = chunk.header().typesize();
        let items = plain.len() / typesize;
        let (first, last) = (items / 3, items - items / 4);
        let found = decoder.items(&chunk, first..last).unwrap();
        assert_eq!(found, plain[first * typesize..last * typesize], "{file}");
        assert!(decoder.items(&chunk, 0..items + 1).is_err());
    }
}

/// What C-Blosc2 refuses we refuse; what it accepts we refuse too, or decode to the same bytes. (Where it reads a
/// version 2 bit shuffle tail wrongly, its bytes are not the truth; none of the damaged chunks has one.)
#[test]
fn damaged_chunks_are_refused_or_give_the_recorded_bytes() {
    let files = testdata::archive("chunks-malformed");
    let manifest = testdata::manifest("chunks-malformed");
    let all = &files["malformed.bin"];
    let (mut refused, mut decoded) = (0, 0);
    for item in manifest["items"].as_array().unwrap() {
        let (offset, length) = (number(&item["offset"]), number(&item["length"]));
        let found = blosc_core::decompress(&all[offset..offset + length]);
        let Ok(plain) = found else {
            refused += 1;
            continue;
        };
        decoded += 1;
        let rc = item["c_blosc2"].as_i64().unwrap();
        if item["format"] == "blosc1" && rc >= 0 {
            let sha256 = testdata::sha256_hex(&plain);
            assert_eq!(sha256, item["sha256"].as_str().unwrap(), "{} {}", item["base"], item["mutation"]);
        }
        assert!(rc >= 0, "C-Blosc2 refuses it: {} {}", item["base"], item["mutation"]);
    }
    assert_eq!(refused + decoded, 2899);
    assert!(decoded > 40, "only {decoded} decoded");
}
