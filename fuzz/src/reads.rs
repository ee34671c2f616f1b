//! Reads a container in every way that returns parts of it, and compares them with the whole.

use bloscpack_io::{Archive, Threads};
use std::io::Read;

use crate::shape::{places, region};

/// Reads `archive`, whose uncompressed data is `plain`, by ranges, items, slices, chunks, as a reader, and with
/// threads. `numbers` select the ranges and read sizes.
pub fn all_ways(archive: &Archive<'_>, plain: &[u8], numbers: [u8; 8]) {
    let len = plain.len();
    assert_eq!(archive.nbytes(), len as u64);
    let place = |at: usize| u16::from_le_bytes([numbers[at], numbers[at + 1]]) as usize * 257 % (len + 1);
    for (a, b) in [(place(0), place(2)), (place(4), place(6)), (0, len)] {
        let range = a.min(b)..a.max(b);
        let bytes = archive.read_range(range.start as u64..range.end as u64).expect("a part of what was read");
        assert!(bytes == plain[range.clone()], "range {range:?} of {len}");
    }
    assert!(archive.read_range(0..len as u64 + 1).is_err(), "more bytes than there are");

    let itemsize = archive.typesize();
    let items = len / itemsize;
    let range = place(2) / itemsize..items;
    let mut found = Vec::new();
    if range.start <= range.end {
        let items = range.start as u64..range.end as u64;
        archive.copy_items(items, itemsize as u64, &mut found).expect("items of what was read");
        assert!(found == plain[range.start * itemsize..range.end * itemsize]);
    }

    let (mut reader, mut read) = (archive.reader(&crate::serial()), Vec::<u8>::new());
    let mut piece = vec![0; 1 + usize::from(numbers[0]) * 19];
    loop {
        match reader.read(&mut piece).expect("a reader of what was read") {
            0 => break,
            count => read.extend(&piece[..count]),
        }
    }
    assert!(read == plain, "the reader gives other bytes");

    match archive.grid() {
        Some(grid) => {
            let all = grid.all();
            let wanted = region(&all.stop, &numbers);
            let slice = archive.read_slice(&wanted).expect("a slice of what was read");
            let itemsize = grid.itemsize() as usize;
            let expected = places(&all.stop, &wanted);
            let expected = expected.iter().flat_map(|place| &plain[place * itemsize..(place + 1) * itemsize]);
            assert!(slice.iter().eq(expected), "slice {wanted:?} of {:?}", all.stop);
        }
        None => {
            let mut at = 0;
            for number in 0..archive.nchunks() {
                let chunk = archive.chunk(number).expect("a chunk of what was read");
                assert_eq!(archive.chunk_range(number).ok(), Some(at as u64..(at + chunk.len()) as u64));
                assert!(chunk == plain[at..at + chunk.len()], "chunk {number}");
                at += chunk.len();
            }
            assert_eq!(at, len, "the chunks are not the whole");
        }
    }

    // Only for some inputs: it takes long, and the numbers do not affect it.
    if numbers[7].is_multiple_of(8) {
        let mut shared = Vec::new();
        let options = crate::serial().threads(Threads::Ambient);
        let unpacked = archive.unpack(&mut shared, &options).expect("what one thread unpacks");
        assert!(unpacked == len as u64 && shared == plain, "threads give other bytes");
    }
}
