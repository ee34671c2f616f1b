//! Lossy filters clear exactly the bits that they should, alone and combined with other filters.

use blosc_core::{BlockSize, CParams, Codec, Decoder, EncodeError, Encoder, Filter, FilterPipeline, Header};

fn compress(plain: &[u8], typesize: usize, filters: &[Filter]) -> Result<Vec<u8>, EncodeError> {
    let filters = FilterPipeline::try_from(filters).unwrap();
    let params = CParams::blosc2().codec(Codec::Lz4).typesize(typesize).filters(filters);
    // Most of these pipelines are not portable to C-Blosc2.
    let params = params.portable(false);
    let chunk = blosc_core::compress(plain, &params.blocksize(BlockSize::Fixed(4096)))?;
    // A stored chunk would keep all bits.
    assert!(!Header::parse(&chunk).unwrap().is_memcpyed());
    Ok(chunk)
}

/// Clears the low `cut` bits of every whole element, bit by bit.
fn cleared(plain: &[u8], typesize: usize, cut: usize) -> Vec<u8> {
    let mut plain = plain.to_vec();
    for element in plain.chunks_exact_mut(typesize) {
        for bit in 0..cut {
            element[bit / 8] &= !(1 << (bit % 8));
        }
    }
    plain
}

/// Compressible numbers whose lowest bits are set now and then, and a tail of half an element.
fn numbers(typesize: usize) -> Vec<u8> {
    let mut plain = testdata::steps(3000 * typesize + typesize / 2, typesize, 1);
    for (index, element) in plain.chunks_mut(typesize).enumerate().filter(|(index, _)| index % 97 == 0) {
        element.iter_mut().for_each(|byte| *byte ^= index as u8);
    }
    plain
}

/// Combines trunc_prec with delta before and after it, over several blocks. C-Blosc2 filters blocks against bits that
/// it has cleared by then, and reads back other data than it wrote.
#[test]
fn trunc_prec_in_every_company() {
    let trunc = Filter::TruncPrec;
    for (typesize, mantissa) in [(4, 23), (8, 52)] {
        let plain = numbers(typesize);
        for keep in [1, 5, 10, 22, mantissa as i8 - 1, mantissa as i8] {
            let expected = cleared(&plain, typesize, mantissa - keep as usize);
            assert!(keep == mantissa as i8 || expected != plain);
            let cut = keep - mantissa as i8;
            // Clearing 0 bits cannot be expressed, because 0 is a number of bits to keep.
            let filters = if cut == 0 { vec![trunc(keep)] } else { vec![trunc(keep), trunc(cut)] };
            for trunc in filters {
                let pipelines: [&[Filter]; 8] = [
                    &[trunc],
                    &[trunc, Filter::Shuffle],
                    &[trunc, Filter::Delta],
                    &[Filter::Delta, trunc],
                    &[trunc, Filter::Delta, Filter::Shuffle],
                    &[Filter::Delta, trunc, Filter::BitShuffle, Filter::ByteDelta(0)],
                    &[trunc, Filter::BitShuffle, Filter::Delta, Filter::Shuffle],
                    &[trunc, trunc, Filter::Shuffle, Filter::Delta, Filter::ByteDelta(3), Filter::Delta],
                ];
                for filters in pipelines {
                    let chunk = compress(&plain, typesize, filters).unwrap();
                    crate::ways::check(&chunk, &expected, Decoder::new);
                }
            }
        }
    }
}

#[test]
fn int_trunc_in_every_company() {
    for typesize in [1, 2, 4, 8] {
        let (plain, bits) = (numbers(typesize), 8 * typesize);
        for cut in (1..bits).step_by(3) {
            let expected = cleared(&plain, typesize, cut);
            for trunc in [Filter::IntTrunc(-(cut as i8)), Filter::IntTrunc((bits - cut) as i8)] {
                let pipelines: [&[Filter]; 4] = [
                    &[trunc],
                    &[Filter::Delta, trunc, Filter::Shuffle],
                    &[trunc, Filter::Delta, Filter::BitShuffle],
                    &[trunc, Filter::Shuffle, Filter::ByteDelta(0), Filter::Delta],
                ];
                for filters in pipelines {
                    let chunk = compress(&plain, typesize, filters).unwrap();
                    crate::ways::check(&chunk, &expected, Decoder::new);
                }
            }
        }
    }
}

#[test]
fn bits_that_there_are_not() {
    let refused = |typesize, filter| {
        let error = compress(&numbers(typesize), typesize, &[filter]).unwrap_err();
        assert!(matches!(error, EncodeError::Filter { filter: found, .. } if found == filter), "{error}");
    };
    for bits in [0, 24, 53, 127, -23, -52, -128] {
        refused(4, Filter::TruncPrec(bits));
    }
    for bits in [0, 53, 127, -52, -128] {
        refused(8, Filter::TruncPrec(bits));
    }
    for typesize in [1, 2, 3, 5, 16, 255] {
        refused(typesize, Filter::TruncPrec(5));
    }
    for typesize in [1, 2, 4, 8] {
        for bits in [0, 8 * typesize as i8 + 1, -8 * typesize as i8, 127, -128] {
            refused(typesize, Filter::IntTrunc(bits));
        }
    }
    for typesize in [3, 5, 16, 255] {
        refused(typesize, Filter::IntTrunc(1));
    }
}

/// Blocks of 8 x 16 numbers, cells of 3 x 3, cut off at the borders. Every number becomes the mean of its cell.
#[test]
fn ndmean_in_every_company() {
    const SHAPE: [usize; 2] = [8, 16];
    let numbers: Vec<f32> = (0..128 * 9).map(|index| (index / 5 % 40) as f32).collect();
    let expected: Vec<f32> = numbers.chunks(128).flat_map(|block| means(block, SHAPE, 3)).collect();
    let bytes = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let cells = Filter::NdMean(3);
    let pipelines: [&[Filter]; 4] = [
        &[cells],
        &[cells, Filter::Shuffle],
        &[cells, Filter::Delta, Filter::Shuffle],
        &[Filter::NdCell(2), Filter::Shuffle],
    ];
    for filters in pipelines {
        let params = CParams::blosc2().codec(Codec::Lz4).typesize(4).blocksize(BlockSize::Fixed(512));
        let params = params.filters(FilterPipeline::try_from(filters).unwrap()).portable(false);
        let mut encoder = Encoder::new(params).unwrap().blockshape(&SHAPE);
        let chunk = encoder.compress(&bytes(&numbers)).unwrap();
        assert!(!Header::parse(&chunk).unwrap().is_memcpyed());
        let plain = if filters[0] == cells { &expected } else { &numbers };
        crate::ways::check(&chunk, &bytes(plain), || Decoder::new().blockshape(&SHAPE));
        let without_shape = blosc_core::decompress(&chunk).unwrap_err();
        assert!(matches!(without_shape, blosc_core::DecodeError::Filter { .. }));
    }
}

fn means(block: &[f32], [rows, columns]: [usize; 2], cell: usize) -> Vec<f32> {
    let mut means = vec![0.0; block.len()];
    for (top, left) in (0..rows).step_by(cell).flat_map(|top| (0..columns).step_by(cell).map(move |left| (top, left))) {
        let places: Vec<usize> = (top..rows.min(top + cell))
            .flat_map(|row| (left..columns.min(left + cell)).map(move |column| row * columns + column))
            .collect();
        let mean = places.iter().map(|&place| block[place]).sum::<f32>() / places.len() as f32;
        places.iter().for_each(|&place| means[place] = mean);
    }
    means
}
