//! Fuzzes partial decoding of a chunk: each part must equal the same part of the whole.
#![no_main]

use blosc_core::{Chunk, Decoder, Limits};
use libfuzzer_sys::fuzz_target;

const MAX_NBYTES: usize = 1 << 20;

fuzz_target!(|input: &[u8]| {
    // The last 16 bytes select two ranges, so that a golden chunk followed by any bytes is a good seed.
    let Some((bytes, places)) = input.split_last_chunk::<16>() else { return };
    let Ok(chunk) = Chunk::parse(bytes) else { return };
    let header = chunk.header();
    let (nbytes, nblocks) = (header.nbytes(), header.nblocks());
    // Shape and typesize are not in the chunk. Setting them enables the filters of b2nd arrays.
    let mut decoder = Decoder::new()
        .limits(Limits::new().max_nbytes(MAX_NBYTES))
        .super_chunk_typesize(header.typesize())
        .blockshape(&[4, header.blocksize() / 4 / header.typesize()]);
    if nbytes > MAX_NBYTES {
        return;
    }
    let whole = decoder.decompress(&chunk);
    let place = |at: usize| {
        let bytes = [places[at], places[at + 1], places[at + 2], places[at + 3]];
        u32::from_le_bytes(bytes) as usize % (nbytes + 1)
    };
    let (a, b) = (place(0).min(place(4))..place(0).max(place(4)), place(8).min(place(12))..place(8).max(place(12)));

    let mut parts = vec![0; a.len() + b.len()];
    let ranges = decoder.decode_ranges(&chunk, &[a.clone(), b.clone()], &mut parts);
    if let Ok(whole) = &whole {
        ranges.expect("a whole chunk has all its parts");
        assert!(parts == [&whole[a.clone()], &whole[b]].concat());
    }

    // Block by block: a decoded block equals the same range of the whole. The whole decodes only if every block does.
    let mut block = vec![0; header.blocksize().min(nbytes)];
    for index in 0..nblocks.min(64) {
        let place = chunk.block_range(index);
        match (decoder.decode_block(&chunk, index, &mut block), &whole) {
            (Ok(length), Ok(whole)) => assert!(block[..length] == whole[place]),
            (Err(error), Ok(_)) => panic!("block {index} fails ({error}), the whole does not"),
            _ => {}
        }
        let streams = chunk.streams(index);
        assert!(streams.is_ok() || whole.is_err(), "the streams of block {index} are not found");
    }
    assert!(decoder.decode_block(&chunk, nblocks, &mut block).is_err());

    // Decodes every second block; the others must stay unchanged.
    if let Ok(whole) = &whole {
        let skip: Vec<bool> = (0..nblocks.min(1 << 12)).map(|index| index % 2 == 0).collect();
        let mut masked = vec![0xA5; nbytes];
        decoder.decompress_masked(&chunk, &skip, &mut masked).expect("what decodes whole decodes in part");
        for index in 0..nblocks.min(64) {
            let place = chunk.block_range(index);
            match skip[index] {
                true => assert!(masked[place].iter().all(|byte| *byte == 0xA5)),
                false => assert!(masked[place.clone()] == whole[place]),
            }
        }
    }

    let typesize = header.typesize();
    let items = a.start / typesize..a.end / typesize;
    if let (Ok(items), Ok(whole)) = (decoder.items(&chunk, items.clone()), &whole) {
        assert!(items == whole[a.start / typesize * typesize..a.end / typesize * typesize]);
    }
});
