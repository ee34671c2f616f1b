//! Parts of any chunk: each equals the same part of the whole.
#![no_main]

use blosc_core::{Chunk, Decoder, Limits};
use libfuzzer_sys::fuzz_target;

const MAX_NBYTES: usize = 1 << 20;

fuzz_target!(|input: &[u8]| {
    // The last 16 bytes choose two ranges, so that a golden chunk with anything behind it is a good seed.
    let Some((bytes, places)) = input.split_last_chunk::<16>() else { return };
    let Ok(chunk) = Chunk::parse(bytes) else { return };
    let nbytes = chunk.header().nbytes();
    let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(MAX_NBYTES));
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

    // Block by block: what decodes is what the whole has there, and the whole decodes only if every block does.
    let blocksize = chunk.header().blocksize();
    let mut block = vec![0; blocksize.min(nbytes)];
    for index in 0..nbytes.div_ceil(blocksize.max(1)).min(64) {
        let place = chunk.block_range(index);
        match (decoder.decode_block(&chunk, index, &mut block), &whole) {
            (Ok(length), Ok(whole)) => assert!(block[..length] == whole[place]),
            (Err(error), Ok(_)) => panic!("block {index} fails ({error}), the whole does not"),
            _ => {}
        }
    }

    let typesize = chunk.header().typesize().max(1);
    let items = a.start / typesize..a.end / typesize;
    if let (Ok(items), Ok(whole)) = (decoder.items(&chunk, items.clone()), &whole) {
        assert!(items == whole[a.start / typesize * typesize..a.end / typesize * typesize]);
    }
});
