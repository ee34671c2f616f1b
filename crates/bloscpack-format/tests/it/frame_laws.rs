//! Frames: `parse(to_bytes(x)) == x`, for accepted bytes `to_bytes(parse(b)) == b`, and slices of arrays item by item.

use blosc_core::{CParams, Limits, Special};
use bloscpack_format::frame::{
    B2nd, ChunkSize, DtypeText, Entry, Frame, FrameType, Grid, Header, Index, Metalayers, NewOrder, Region, Trailer,
};
use proptest::prelude::*;

proptest! {
    #[test]
    fn headers(header in header()) {
        let bytes = header.to_bytes().unwrap();
        prop_assert_eq!(bytes.len() as u64, header.header_len());
        prop_assert_eq!(Header::parse(&bytes), Ok(header.clone()));
        let longer = [bytes.as_slice(), &[0xff; 9]].concat();
        prop_assert_eq!(Header::parse(&longer), Ok(header));
        for cut in 0..bytes.len() {
            prop_assert!(Header::parse(&bytes[..cut]).unwrap_err().bytes_needed().is_some_and(|needed| needed > cut as u64));
        }
    }

    #[test]
    fn accepted_headers(header in header(), changes in changes()) {
        let mut bytes = header.to_bytes().unwrap();
        change(&mut bytes, &changes);
        if let Ok(header) = Header::parse(&bytes) {
            prop_assert_eq!(header.to_bytes().unwrap(), &bytes[..header.header_len() as usize]);
        }
    }

    #[test]
    fn trailers(trailer in trailer(), changes in changes()) {
        let mut bytes = trailer.to_bytes().unwrap();
        prop_assert_eq!(bytes.len() as u64, trailer.trailer_len());
        prop_assert_eq!(Trailer::len_at_end(&bytes), Ok(bytes.len() as u32));
        prop_assert_eq!(Trailer::parse(&bytes), Ok(trailer));
        change(&mut bytes, &changes);
        if let Ok(trailer) = Trailer::parse(&bytes) {
            prop_assert_eq!(trailer.to_bytes(), Ok(bytes));
        }
    }

    #[test]
    fn indexes(entries in prop::collection::vec(entry(), 1..3000)) {
        let mut header = Header::new(FrameType::Contiguous, 4);
        (header.chunksize, header.nbytes) = (ChunkSize::Variable, 1);
        let index = Index::from_entries(entries.iter().copied()).unwrap();
        let chunk = index.encode().unwrap();
        prop_assert_eq!(Index::decode(&chunk, &header, Limits::new()), Ok(index.clone()));
        for (chunk, entry) in entries.iter().enumerate() {
            prop_assert_eq!(index.get(chunk as u64), Ok(*entry));
        }
        prop_assert!(index.get(entries.len() as u64).is_err());
    }

    #[test]
    fn entries(value: i64) {
        match Entry::from_i64(value) {
            Some(Entry::Stored(at)) => prop_assert_eq!(at as i64, value),
            Some(special) => prop_assert_eq!(special.to_i64() >> 56, value >> 56),
            None => prop_assert!(value < 0),
        }
    }

    #[test]
    fn array_metalayers(array in array(0..=16, 9), changes in changes()) {
        let mut bytes = array.to_bytes().unwrap();
        prop_assert_eq!(B2nd::parse(&bytes), Ok((array, bytes.len())));
        change(&mut bytes, &changes);
        if let Ok((array, len)) = B2nd::parse(&bytes) {
            prop_assert_eq!(array.to_bytes().unwrap(), &bytes[..len]);
            let _ = (Grid::new(&array, 8), array.numpy_dtype());
        }
    }

    /// The position of each item is computed separately, by the definition.
    #[test]
    fn slices((array, region) in array(0..=4, 7).prop_flat_map(|array| { let region = region(&array.shape); (Just(array), region) }), itemsize in 1_u32..4) {
        let grid = Grid::new(&array, itemsize).unwrap();
        let item_of = |index: &[u64]| -> Vec<u8> {
            let number = index.iter().zip(&array.shape).fold(0, |number, (at, len)| number * len + at);
            (0..itemsize).map(|byte| (number * 3 + u64::from(byte) + 1) as u8).collect()
        };
        // Chunks, item by item.
        let mut chunks = vec![vec![0; grid.chunk_nbytes()]; grid.nchunks() as usize];
        for index in indices(&grid.all()) {
            let (chunk, at) = place(&array, &index);
            let at = at * itemsize as usize;
            chunks[chunk][at..at + itemsize as usize].copy_from_slice(&item_of(&index));
        }
        let expected: Vec<u8> = indices(&region).iter().flat_map(|index| item_of(index)).collect();
        let touched: std::collections::BTreeSet<u64> = indices(&region).iter().map(|index| place(&array, index).0 as u64).collect();
        let mut slice = vec![0; grid.nbytes_of(&region).unwrap() as usize];
        prop_assert_eq!(slice.len(), expected.len());
        let mut seen = Vec::new();
        for part in grid.parts(&region).unwrap() {
            seen.push(part.nchunk);
            let chunk = &chunks[part.nchunk as usize];
            grid.read(&part, chunk, &region, &mut slice).unwrap();
            let blocks: std::collections::BTreeSet<usize> = indices(&part.region).iter().map(|index| {
                place(&array, index).1 * itemsize as usize / grid.block_nbytes()
            }).collect();
            prop_assert_eq!(grid.blocks(&part).collect::<Vec<_>>(), blocks.into_iter().collect::<Vec<_>>());

            // Writing into a chunk of other bytes changes only these items.
            let mut written = vec![0xee; chunk.len()];
            grid.write(&part, &mut written, &region, &expected).unwrap();
            let mut others = vec![0xee; chunk.len()];
            for index in indices(&part.region) {
                let at = place(&array, &index).1 * itemsize as usize;
                others[at..at + itemsize as usize].copy_from_slice(&item_of(&index));
            }
            prop_assert_eq!(written, others);
            let items_of_chunk = indices(&grid.all()).iter().filter(|index| place(&array, index).0 as u64 == part.nchunk).count();
            prop_assert_eq!(grid.is_whole(&part), items_of_chunk == indices(&part.region).len());
        }
        prop_assert_eq!(seen, touched.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(slice, expected);
    }

    #[test]
    fn resizes(array in array(1..=3, 7), factors in prop::collection::vec(0_u64..14, 3)) {
        let old = Grid::new(&array, 1).unwrap();
        let lens = array.shape.iter().zip(factors).map(|(len, other)| if *len == 0 { 0 } else { other });
        let grown = array.clone().with_shape(lens.collect::<Vec<_>>());
        let new = Grid::new(&grown, 1).unwrap();
        let slots: Vec<NewOrder> = old.resized(&new).collect();
        prop_assert_eq!(slots.len() as u64, new.nchunks());
        // An item of both shapes is in a chunk that is kept.
        let both = Region { start: vec![0; array.ndim()], stop: array.shape.iter().zip(&grown.shape).map(|(a, b)| *a.min(b)).collect() };
        for index in indices(&both) {
            prop_assert_eq!(slots[place(&grown, &index).0], NewOrder::Keep(place(&array, &index).0 as u64));
        }
        // A chunk changes if at least one item in it remains in the array and one is removed or added.
        let mut of_old = vec![(0, 0); slots.len()];
        for index in indices(&old.all()) {
            let chunk = slots.iter().position(|slot| *slot == NewOrder::Keep(place(&array, &index).0 as u64));
            if let Some(counts) = chunk.and_then(|chunk| of_old.get_mut(chunk)) {
                let stays = index.iter().zip(&grown.shape).all(|(at, len)| at < len);
                counts.0 += u32::from(stays);
                counts.1 += u32::from(!stays);
            }
        }
        for index in indices(&new.all()).iter().filter(|index| index.iter().zip(&array.shape).any(|(at, len)| at >= len)) {
            of_old[place(&grown, index).0].1 += 1;
        }
        let expected: Vec<u64> = (0..).zip(&of_old).filter(|(_, counts)| counts.0 > 0 && counts.1 > 0).map(|(n, _)| n).collect();
        prop_assert_eq!(old.changed(&new).map(|part| part.nchunk).collect::<Vec<_>>(), expected);
        let kept = slots.iter().filter(|slot| matches!(slot, NewOrder::Keep(_))).count() as u64;
        prop_assert_eq!(kept + old.dropped(&new).count() as u64, old.nchunks());
    }
}

/// Returns the chunk of an item and its position there, in items.
fn place(array: &B2nd, index: &[u64]) -> (usize, usize) {
    let (mut chunk, mut block, mut item) = (0, 0, 0);
    let shapes = array.shape.iter().zip(&array.chunkshape).zip(&array.blockshape);
    for (at, ((len, c), b)) in index.iter().zip(shapes) {
        let (c, b) = (u64::from(*c), u64::from(*b));
        let within = at % c;
        chunk = chunk * len.div_ceil(c) + at / c;
        block = block * c.div_ceil(b) + within / b;
        item = item * b + within % b;
    }
    let block_items: u32 = array.blockshape.iter().product();
    (chunk as usize, block as usize * block_items as usize + item as usize)
}

/// Returns all indices of a region in C order.
fn indices(region: &Region) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for (start, stop) in region.start.iter().zip(&region.stop) {
        all = all
            .into_iter()
            .flat_map(|index| (*start..*stop).map(move |at| [index.as_slice(), &[at]].concat()))
            .collect();
    }
    all
}

fn region(shape: &[u64]) -> impl Strategy<Value = Region> + use<> {
    let axes: Vec<_> = shape.iter().map(|len| (0..=*len, 0..=*len)).collect();
    axes.prop_map(|axes| Region {
        start: axes.iter().map(|(a, b)| *a.min(b)).collect(),
        stop: axes.iter().map(|(a, b)| *a.max(b)).collect(),
    })
}

fn array(ndim: std::ops::RangeInclusive<usize>, most: u64) -> impl Strategy<Value = B2nd> {
    let axis = (0..most, 1..6_u32, 1..6_u32);
    let dtype = prop_oneof!["[<>][iuf][48]", "\\PC{0,9}"].prop_map(DtypeText::numpy);
    (prop::collection::vec(axis, ndim), prop::option::of(dtype)).prop_map(|(axes, dtype)| {
        // Sixteen axes of length eight would have more items than the format allows.
        let shrink = |(axis, len): (usize, u64)| if axis < 8 { len } else { len.min(1) };
        let shape: Vec<u64> = axes.iter().map(|(len, ..)| *len).enumerate().map(shrink).collect();
        let chunk = |len: u64, chunk: u32| if len == 0 { chunk - 1 } else { chunk };
        let chunkshape: Vec<u32> = axes.iter().map(|(len, most, _)| chunk(*len, *most)).collect();
        let blockshape: Vec<u32> = axes.iter().map(|(len, most, block)| (*block).min(chunk(*len, *most))).collect();
        B2nd::new(shape, chunkshape, blockshape).with_dtype(dtype)
    })
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        (0..i64::MAX as u64).prop_map(Entry::Stored),
        (0..1000_u64).prop_map(Entry::Stored),
        prop::sample::select(vec![Special::Zeros, Special::Nan, Special::Uninit]).prop_map(Entry::Special),
    ]
}

fn layers() -> impl Strategy<Value = std::collections::BTreeMap<String, Vec<u8>>> {
    prop::collection::btree_map("[a-z]{1,31}", prop::collection::vec(any::<u8>(), 0..40), 0..=16)
}

fn trailer() -> impl Strategy<Value = Trailer> {
    (layers(), any::<u8>(), any::<u8>(), any::<[u8; 16]>()).prop_map(
        |(layers, version, fingerprint_type, fingerprint)| {
            let mut trailer = Trailer::default();
            (trailer.version, trailer.fingerprint_type) = (version, fingerprint_type);
            trailer.fingerprint = fingerprint;
            for (name, content) in layers {
                let chunk = blosc_core::compress(&content, &CParams::blosc2()).unwrap();
                trailer.vlmetalayers.set(&name, &chunk, 16).unwrap();
            }
            trailer
        },
    )
}

fn header() -> impl Strategy<Value = Header> {
    let flags = (any::<[bool; 4]>(), 0_u8..=3, any::<[u8; 6]>(), 0_u8..=6);
    let sizes =
        (1_u32..1 << 31, 0_u32..1 << 31, 1..=u64::from(i32::MAX as u32), 0_u64..1 << 28, any::<u64>(), any::<u64>());
    let rest = (any::<[u8; 12]>(), any::<[i16; 2]>(), layers());
    (flags, sizes, rest).prop_map(|(flags, sizes, rest)| {
        let ([variable_chunks, vl_blocks, sparse, has_vlmetalayers], version, bytes, nfilters) = flags;
        let (typesize, blocksize, size, nchunks, cbytes, frame_len) = sizes;
        let (filters, [nthreads_compress, nthreads_decompress], layers) = rest;
        let nbytes = size.saturating_mul(nchunks).min(i64::MAX as u64);
        let chunksize = match variable_chunks {
            true if nbytes == 0 => ChunkSize::Unset,
            true => ChunkSize::Variable,
            false => ChunkSize::Fixed(size as u32),
        };
        let mut metalayers = Metalayers::default();
        layers.iter().for_each(|(name, content)| metalayers.add(name, content).unwrap());
        let mut header = Header::new(FrameType::Contiguous, typesize);
        header.frame_len = (frame_len >> 1).max(1 << 20);
        header.version = version;
        header.variable_chunks = variable_chunks;
        header.vl_blocks = vl_blocks;
        header.frame_type = if sparse { FrameType::Sparse } else { FrameType::Contiguous };
        header.compcode = bytes[0] & 15;
        header.clevel = bytes[0] >> 4;
        header.other_flags = bytes[1];
        header.nbytes = nbytes;
        header.cbytes = cbytes >> 1;
        header.blocksize = blocksize;
        header.chunksize = chunksize;
        header.nthreads_compress = nthreads_compress;
        header.nthreads_decompress = nthreads_decompress;
        header.has_vlmetalayers = has_vlmetalayers;
        header.nfilters = nfilters;
        header.filters = std::array::from_fn(|slot| filters[slot]);
        header.filters_meta = std::array::from_fn(|slot| filters[slot + 6]);
        header.udcodec = bytes[2];
        header.codec_meta = bytes[3];
        header.other_flags2 = bytes[4];
        header.reserved = bytes[5];
        header.metalayers = metalayers;
        header
    })
}

/// Generates a few positions, each with a new byte.
fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u8>(), 0_u8..4]), 1..4)
}

fn change(bytes: &mut [u8], changes: &[(prop::sample::Index, u8)]) {
    changes.iter().for_each(|(at, byte)| *at.get_mut(bytes) = *byte);
}

#[test]
fn an_index_of_one_entry_takes_no_memory() {
    let mut header = Header::new(FrameType::Contiguous, 4);
    (header.chunksize, header.nbytes) = (ChunkSize::Fixed(1000), 200_000_000_000);
    let index = Index::repeat(Special::Zeros, 200_000_000);
    let chunk = index.encode().unwrap();
    assert_eq!(chunk.len(), 40);
    assert_eq!(Index::decode(&chunk, &header, Limits::new().max_chunks(1 << 7)), Ok(index.clone()));
    let frame = Frame { header, index, trailer: Trailer::default() };
    assert_eq!(frame.chunk_nbytes(199_999_999), Ok(Some(1000)));
    assert!(frame.chunk(200_000_000).is_err());
}
