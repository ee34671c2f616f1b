//! Chunks written by C-Blosc 1.21 and C-Blosc2, intact and damaged, must give the recorded bytes or an error.

use blosc_core::{Chunk, Decoder, Limits};
use testdata::serde_json::Value;

/// Returns the items of the golden set whose plain bytes are known, with their chunks.
fn chunks() -> Vec<(Value, Vec<u8>)> {
    let mut files = testdata::archive("chunks");
    let manifest = testdata::manifest("chunks");
    let items = manifest["items"].as_array().unwrap();
    assert_eq!(items.len(), 585);
    let known = items.iter().filter(|item| item["status"] != "skip");
    known.map(|item| (item.clone(), files.remove(item["file"].as_str().unwrap()).unwrap())).collect()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

#[test]
fn every_chunk_gives_the_recorded_bytes() {
    let chunks = chunks();
    assert_eq!(chunks.len(), 583);
    let mut decoder = Decoder::new();
    for (item, bytes) in &chunks {
        let file = &item["file"];
        let chunk = Chunk::parse(bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        let (header, expected) = (chunk.header(), &item["header"]);
        assert_eq!(usize::from(header.version()), number(&expected["version"]), "{file}");
        assert_eq!(usize::from(header.flags()), number(&expected["flags"]), "{file}");
        assert_eq!(header.typesize(), number(&expected["typesize"]), "{file}");
        assert_eq!(header.nbytes(), number(&expected["nbytes"]), "{file}");
        assert_eq!(header.cbytes(), number(&expected["cbytes"]), "{file}");
        if header.has_vl_blocks() {
            assert_eq!(header.nblocks(), number(&expected["blocksize"]), "{file}");
        } else {
            assert_eq!(header.blocksize(), number(&expected["blocksize"]), "{file}");
        }
        assert_eq!(header.to_bytes(), bytes[..header.len()], "{file}");

        let plain = decoder.decompress(&chunk).unwrap_or_else(|error| panic!("{file}: {error}"));
        match item["plain_sha256"].as_str() {
            Some(sha256) => assert_eq!(testdata::sha256_hex(&plain), sha256, "{file}"),
            // C-Blosc2 leaves the destination unchanged. This crate returns zeros.
            None => {
                assert_eq!((item["params"]["special"].as_str(), plain), (Some("uninit"), vec![0; header.nbytes()]));
            }
        }
    }
}

/// Two chunks without recorded plain bytes: C-Blosc2's measurements of itself, and blocks of variable length with
/// delta. C-Blosc2 decodes the latter wrongly as a whole.
#[test]
fn chunks_without_recorded_bytes_are_read_as_well() {
    let files = testdata::archive("chunks");
    let measured = Chunk::parse(&files["chunks/0569_blosc2_instrumented.bin"]).unwrap();
    assert!(measured.header().is_instrumented());
    // Four records, each with two ratios or speeds and one more as f32, then four flags.
    let records = measured.decompress().unwrap();
    assert_eq!(records.len(), 4 * 16);
    for record in records.as_chunks::<16>().0 {
        let ratio = f32::from_le_bytes(record[..4].try_into().unwrap());
        assert!(ratio.is_finite() && ratio >= 0.0, "{ratio}");
    }
    let delta = Chunk::parse(&files["chunks/0568_blosc2_vlblocks_filters.bin"]).unwrap().decompress().unwrap();
    let shuffled = Chunk::parse(&files["chunks/0566_blosc2_vlblocks_filters.bin"]).unwrap().decompress().unwrap();
    // The same data with other filters. For the last byte, after the last whole element, delta stored garbage.
    assert!(delta.len() == 4193 && delta[..4192] == shuffled[..4192]);
}

#[test]
fn blocks_ranges_and_items_are_slices_of_the_whole() {
    let mut decoder = Decoder::new();
    let mut rng = testdata::SplitMix64::new(7);
    for (item, bytes) in &chunks() {
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

/// Chunks that C-Blosc2 refuses must be refused. Chunks that it accepts must be refused, or decode to the same bytes.
/// (C-Blosc2 reads a version 2 bitshuffle tail wrongly, but none of the damaged chunks has one.)
#[test]
fn damaged_chunks_are_refused_or_give_the_recorded_bytes() {
    let files = testdata::archive("chunks-malformed");
    let manifest = testdata::manifest("chunks-malformed");
    let all = &files["malformed.bin"];
    // The reference decoder had a destination of this size.
    let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(1 << 20));
    let (mut refused, mut decoded) = (0, 0);
    for item in manifest["items"].as_array().unwrap() {
        let name = format!("{} {}", item["base"], item["mutation"]);
        let (offset, length) = (number(&item["offset"]), number(&item["length"]));
        let chunk = Chunk::parse(&all[offset..offset + length]);
        let Ok(plain) = chunk.and_then(|chunk| decoder.decompress(&chunk)) else {
            refused += 1;
            continue;
        };
        decoded += 1;
        let rc = item["c_blosc2"].as_i64().unwrap();
        assert!(rc >= 0, "C-Blosc2 refuses it: {name}");
        assert_eq!(testdata::sha256_hex(&plain), item["sha256"].as_str().unwrap(), "{name}");
    }
    assert_eq!(refused + decoded, 2899);
    assert!(decoded > 500, "only {decoded} decoded");
}
