//! Fuzzes filters with any meta bytes on any data. Undoing them gives an error or data, which lossless filters must
//! then preserve in a round trip. Every kernel must give the result of the scalar one.
#![no_main]

use blosc_core::kernels::{Kernels, available};
use blosc_core::{BlockSize, CParams, Chunk, Codec, Decoder, Encoder, Filter, FilterPipeline, SplitMode};
use blosc_fuzz::chunk::{Head, of_streams};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((choices, data)) = input.split_first_chunk::<18>() else { return };
    let [typesize, size_low, size_high, offset, edge, count, rest @ ..] = *choices;
    kernels(usize::from(typesize) + 1, usize::from(offset % 64), data);

    let (mut filters, mut filters_meta) = ([0; 6], [0; 6]);
    for (slot, filter) in rest[..6].iter().enumerate().take(usize::from(count % 7)) {
        // Mostly existing filters.
        filters[slot] = match filter % 16 {
            number @ 0..=4 => number,
            number @ 5..=9 => number + 27,
            _ => *filter,
        };
        filters_meta[slot] = if rest[6 + slot] & 1 == 0 { 0 } else { rest[6 + slot] };
    }
    let typesize = typesize.max(1);
    let blocksize = u32::from(u16::from_le_bytes([size_low, size_high])).max(1).next_multiple_of(typesize.into());
    let blocksize = blocksize.min(data.len() as u32);
    if data.is_empty() {
        return;
    }
    let head = Head {
        typesize,
        nbytes: data.len() as u32,
        blocksize,
        filters,
        filters_meta,
        format: 1,
        codec: 1,
        codec_meta: 0,
    };
    let bytes = of_streams(head, data.chunks(blocksize as usize));
    let Ok(chunk) = Chunk::parse(&bytes) else { return };
    let items = blocksize as usize / usize::from(typesize);
    let row = usize::from(edge % 16).clamp(1, items.max(1));
    let blockshape = if items.is_multiple_of(row) { vec![items / row, row] } else { vec![items] };
    let decode = |background: u8| {
        let mut plain = vec![background; data.len()];
        Decoder::new().blockshape(&blockshape).decompress_into(&chunk, &mut plain).ok().map(|_| plain)
    };
    let plain = decode(0xA5);
    assert!(decode(0x5A) == plain, "what was there before shows");
    let Some(plain) = plain else { return };

    // The other direction: a round trip through lossless filters preserves the data. Lossy filters preserve its length.
    let pipeline: Vec<Filter> =
        filters.iter().zip(filters_meta).filter_map(|(id, meta)| Filter::from_id(*id, meta)).collect();
    let Ok(pipeline) = FilterPipeline::try_from(&pipeline[..]) else { return };
    let params = CParams::blosc2().codec(Codec::Lz4).clevel(1).typesize(typesize.into()).filters(pipeline);
    let params = params.split(SplitMode::Never).blocksize(BlockSize::Fixed(blocksize as usize));
    let round_trip = |plain: &[u8]| {
        let chunk = Encoder::new(params).ok()?.blockshape(&blockshape).compress(plain).ok()?;
        let chunk = Chunk::parse(&chunk).unwrap_or_else(|error| panic!("{error}; {params:?}"));
        let decoded = Decoder::new().blockshape(&blockshape).decompress(&chunk);
        Some(decoded.unwrap_or_else(|error| panic!("{error}; {params:?}")))
    };
    let Some(once) = round_trip(&plain) else { return };
    let is_lossy = |filter: &Filter| {
        matches!(filter, Filter::TruncPrec(_) | Filter::IntTrunc(_) | Filter::NdMean(_) | Filter::Other { .. })
    };
    if !pipeline.as_slice().iter().any(is_lossy) {
        assert!(once == plain, "{params:?}");
    }
    assert_eq!(once.len(), plain.len());
});

/// Runs all kernels on source and destination buffers of any alignment.
fn kernels(typesize: usize, offset: usize, data: &[u8]) {
    let tables = available();
    let run = |table: &Kernels, data: &[u8]| {
        let from = [&vec![0; offset], data].concat();
        [table.shuffle, table.unshuffle, table.bitshuffle, table.bitunshuffle].map(|kernel| {
            let mut to = vec![0xA5; offset + data.len() + 1];
            kernel(typesize, &from[offset..], &mut to[offset..offset + data.len()]);
            assert!(to[..offset].iter().chain(&to[offset + data.len()..]).all(|byte| *byte == 0xA5));
            to[offset..offset + data.len()].to_vec()
        })
    };
    let sums = |table: &Kernels| {
        let mut to = vec![0; data.len()];
        (table.running_sum)(data, &mut to);
        to
    };
    let elements = data.len() / typesize;
    let planes = |table: &Kernels| {
        let mut apart = vec![vec![0; elements]; typesize];
        let mut places: Vec<&mut [u8]> = apart.iter_mut().map(Vec::as_mut_slice).collect();
        (table.shuffle_planes)(&data[..elements * typesize], &mut places);
        let mut back = vec![0; elements * typesize];
        (table.unshuffle_planes)(&apart.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut back);
        assert!(back == data[..elements * typesize], "{}: planes", table.name);
        apart
    };
    let scalar = tables[0];
    let [shuffled, unshuffled, bitshuffled, bitunshuffled] = run(scalar, data);
    let (sum, apart) = (sums(scalar), planes(scalar));
    for table in &tables[1..] {
        let case = format!("{} typesize {typesize} offset {offset} of {} bytes", table.name, data.len());
        let [a, b, c, d] = run(table, data);
        assert!(a == shuffled && b == unshuffled && c == bitshuffled && d == bitunshuffled, "{case}");
        assert!(sums(table) == sum && planes(table) == apart, "{case}");
    }
    assert!(run(scalar, &shuffled)[1] == data, "shuffle is undone");
    assert!(run(scalar, &bitshuffled)[3] == data, "bitshuffle is undone");
}
