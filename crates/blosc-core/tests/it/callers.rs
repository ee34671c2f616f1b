//! Plug-ins provided by the caller: codecs, filters, prefilters and postfilters.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use blosc_core::{
    BlockCodec, BlockFilter, BlockSize, CParams, Cancel, Chunk, Codec, DecodeError, Decoder, EncodeError, Encoder,
    Filter, FilterPipeline, Parallelism, PluginContext, PluginError, Registry,
};

/// A run-length codec: pairs of a byte and its count. `meta` is added to the byte.
struct Pairs;

impl BlockCodec for Pairs {
    fn compress(&self, src: &[u8], dst: &mut [u8], stream: PluginContext) -> Option<usize> {
        let mut at = 0;
        for run in src.chunk_by(|a, b| a == b).flat_map(|run| run.chunks(255)) {
            dst.get_mut(at..at + 2)?.copy_from_slice(&[run[0].wrapping_add(stream.meta), run.len() as u8]);
            at += 2;
        }
        Some(at)
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8], stream: PluginContext) -> Result<(), PluginError> {
        let mut rest = dst;
        for (index, pair) in src.chunks(2).enumerate() {
            let &[byte, len] = pair else { return Err(PluginError::new("half a pair").at(src.len())) };
            let Some((run, after)) = rest.split_at_mut_checked(len.into()) else {
                return Err(PluginError::new("too long").at(2 * index));
            };
            run.fill(byte.wrapping_sub(stream.meta));
            rest = after;
        }
        if rest.is_empty() { Ok(()) } else { Err(PluginError::new("too short").at(src.len())) }
    }
}

/// Rotates a block by `meta` bytes, and refuses elements of 3 bytes.
struct Rotate;

impl BlockFilter for Rotate {
    fn forward(&self, src: &[u8], dst: &mut [u8], block: PluginContext) -> Result<(), PluginError> {
        if block.typesize == 3 {
            return Err("three is too many".into());
        }
        dst.copy_from_slice(src);
        dst.rotate_left(usize::from(block.meta) % src.len());
        Ok(())
    }

    fn backward(&self, src: &[u8], dst: &mut [u8], block: PluginContext) -> Result<(), PluginError> {
        dst.copy_from_slice(src);
        dst.rotate_right(usize::from(block.meta) % src.len());
        Ok(())
    }
}

/// A codec that claims to have written more bytes than there is room for, or none.
struct Liar(Option<usize>);

impl BlockCodec for Liar {
    fn compress(&self, _: &[u8], _: &mut [u8], _: PluginContext) -> Option<usize> {
        self.0
    }

    fn decompress(&self, _: &[u8], _: &mut [u8], _: PluginContext) -> Result<(), PluginError> {
        Err(PluginError::new("never"))
    }
}

#[test]
fn registered_codecs_and_filters() {
    let registry = Registry::new().codec(200, Pairs).unwrap().filter(160, Rotate).unwrap();
    let decoder = || Decoder::new().registry(registry.clone());
    let plain = testdata::steps(400_000, 1, 3);
    let rotate = Filter::Other { id: 160, meta: 5 };
    for filters in [&[rotate][..], &[Filter::Delta, rotate, Filter::Shuffle, rotate]] {
        for codec in [Codec::Plugin { id: 200, meta: 9 }, Codec::Lz4] {
            for blocksize in [BlockSize::Auto, BlockSize::Fixed(40_000)] {
                let params = CParams::blosc2().codec(codec).typesize(4).blocksize(blocksize);
                let params = params.filters(FilterPipeline::try_from(filters).unwrap());
                let mut encoder = Encoder::new(params).unwrap().registry(registry.clone());
                let chunk = encoder.compress(&plain).unwrap();
                assert!(chunk.len() < plain.len() / 2);
                assert_eq!(Chunk::parse(&chunk).unwrap().header().codec(), Some(codec));
                crate::ways::check(&chunk, &plain, decoder);
                let mut parallel = encoder.parallelism(Parallelism::Serial);
                #[cfg(feature = "rayon")]
                {
                    parallel = parallel.parallelism(Parallelism::Ambient);
                }
                assert!(parallel.compress(&plain).unwrap() == chunk);

                Encoder::new(params).unwrap().compress(&plain).unwrap_err();
                assert!(matches!(
                    blosc_core::decompress(&chunk),
                    Err(DecodeError::UnregisteredCodec { .. } | DecodeError::Filter { .. })
                ));
                let parsed = Chunk::parse(&chunk).unwrap();
                let liar = Registry::new().codec(200, Liar(None)).unwrap().filter(160, Rotate).unwrap();
                let lied = Decoder::new().registry(liar).decompress(&parsed);
                assert_eq!(matches!(lied, Err(DecodeError::CodecPlugin { .. })), codec != Codec::Lz4);
            }
        }
    }
    let params = CParams::blosc2().typesize(3).filters(FilterPipeline::from([rotate]));
    let error = Encoder::new(params).unwrap().registry(registry).compress(&plain).unwrap_err();
    assert_eq!(error, EncodeError::FilterPlugin { filter: rotate, source: "three is too many".into() });
}

#[test]
fn plugins_that_lie_are_not_believed() {
    let plain = testdata::steps(10_000, 4, 3);
    for claim in [None, Some(0), Some(10_000), Some(usize::MAX)] {
        let registry = Registry::new().codec(255, Liar(claim)).unwrap();
        let params = CParams::blosc2().codec(Codec::Plugin { id: 255, meta: 0 });
        let chunk = Encoder::new(params).unwrap().registry(registry).compress(&plain).unwrap();
        // The chunk is stored, so decoding needs no plug-in.
        assert_eq!(blosc_core::decompress(&chunk).unwrap(), plain);
    }
}

#[test]
fn ids_that_are_taken() {
    for id in 0..=255 {
        assert_eq!(Registry::new().codec(id, Pairs).is_ok(), id >= 33);
        assert_eq!(Registry::new().filter(id, Rotate).is_ok(), id >= 37);
    }
}

/// Prefilters and postfilters run on every block of every kind of chunk, for every way to decode it. Delta still refers
/// to the block as it was compressed.
#[test]
fn prefilters_and_postfilters_see_every_block() {
    let typesize = 4;
    let src = testdata::steps(300_000, typesize, 3);
    let mark = |index: usize, offset: usize, byte: u8| byte ^ (index as u8).wrapping_mul(3) ^ (offset / 100) as u8;
    for filters in [&[Filter::Shuffle][..], &[Filter::Delta, Filter::Shuffle]] {
        for clevel in [0, 5] {
            let params = CParams::blosc2().typesize(typesize).clevel(clevel).blocksize(BlockSize::Fixed(30_000));
            let params = params.filters(FilterPipeline::try_from(filters).unwrap());
            let mut encoder = Encoder::new(params).unwrap().prefilter(move |block, src, dst| {
                assert!(block.typesize == typesize && dst.iter().all(|byte| *byte == 0));
                for (to, from) in dst.iter_mut().zip(src) {
                    *to = mark(block.index, block.offset, *from);
                }
                Ok(())
            });
            let chunk = encoder.compress(&src).unwrap();
            let marked: Vec<u8> = (0..src.len()).map(|at| mark(at / 30_000, at / 30_000 * 30_000, src[at])).collect();
            crate::ways::check(&chunk, &marked, Decoder::new);
            // Applying the mark again removes it.
            let unmark = || {
                Decoder::new().postfilter(move |block, plain| {
                    assert_eq!(block.typesize, typesize);
                    plain.iter_mut().for_each(|byte| *byte = mark(block.index, block.offset, *byte));
                    Ok(())
                })
            };
            crate::ways::check(&chunk, &src, unmark);
        }
    }
    // Blocks of variable length, and blocks of a chunk that stores none.
    let encoder = || Encoder::new(CParams::blosc2().typesize(1).blocksize(BlockSize::Fixed(70))).unwrap();
    let vl = encoder().compress_vlblocks(&[b"abc", b"d", b"efghij"]).unwrap();
    let number = || {
        Decoder::new().postfilter(|block, plain| {
            plain.iter_mut().for_each(|byte| *byte = (10 * block.index + block.offset) as u8);
            Ok(())
        })
    };
    crate::ways::check(&vl, &[0, 0, 0, 13, 24, 24, 24, 24, 24, 24], number);
    let zeros = encoder().zeros(200).unwrap();
    let expected = [vec![0; 70], vec![80; 70], vec![160; 60]].concat();
    crate::ways::check(&zeros, &expected, number);
}

#[test]
fn prefilters_and_postfilters_that_say_no() {
    let plain = testdata::steps(3000, 4, 3);
    let params = CParams::blosc2().typesize(4).blocksize(BlockSize::Fixed(1000));
    let no = |index: usize| if index == 2 { Err(PluginError::new("not this one")) } else { Ok(()) };
    let mut encoder = Encoder::new(params).unwrap().prefilter(move |block, _, _| no(block.index));
    let error = encoder.compress(&plain).unwrap_err();
    assert_eq!(error, EncodeError::Prefilter { block: 2, source: "not this one".into() });
    let chunk = blosc_core::compress(&plain, &params).unwrap();
    let mut decoder = Decoder::new().postfilter(move |block, _| no(block.index));
    let chunk = Chunk::parse(&chunk).unwrap();
    let error = DecodeError::Postfilter { block: 2, source: "not this one".into() };
    assert_eq!(decoder.decompress(&chunk), Err(error.clone()));
    assert_eq!(decoder.items(&chunk, 0..500).unwrap(), plain[..2000]);
    assert_eq!(decoder.items(&chunk, 400..501), Err(error));
}

/// Stores streams without their last 100 bytes, which are all 7. Sets the cancel flag at the fourth stream.
struct Canceller {
    cancel: Cancel,
    streams: Arc<AtomicUsize>,
}

impl Canceller {
    fn count(&self) {
        if self.streams.fetch_add(1, Ordering::Relaxed) == 3 {
            self.cancel.cancel();
        }
    }
}

impl BlockCodec for Canceller {
    fn compress(&self, src: &[u8], dst: &mut [u8], _: PluginContext) -> Option<usize> {
        self.count();
        let (rest, last) = src.split_at(src.len() - 100);
        assert_eq!(last, [7; 100]);
        dst.get_mut(..rest.len())?.copy_from_slice(rest);
        Some(rest.len())
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8], _: PluginContext) -> Result<(), PluginError> {
        self.count();
        dst[..src.len()].copy_from_slice(src);
        dst[src.len()..].fill(7);
        Ok(())
    }
}

/// Every way of encoding and decoding ends before the next block. With several threads, each may finish its current
/// block.
#[test]
fn calling_off_ends_at_the_next_block() {
    let mut plain = testdata::noise(400 * 1000, 5);
    plain.chunks_mut(1000).for_each(|block| block[900..].fill(7));
    let streams = Arc::new(AtomicUsize::new(0));
    let new = || {
        streams.store(0, Ordering::Relaxed);
        let cancel = Cancel::new();
        let registry = Registry::new().codec(200, Canceller { cancel: cancel.clone(), streams: streams.clone() });
        (cancel, registry.unwrap())
    };
    let params = CParams::blosc2().codec(Codec::Plugin { id: 200, meta: 0 }).typesize(1);
    let params = params.blocksize(BlockSize::Fixed(1000));
    let params = params.filters(FilterPipeline::none());
    let encoder = || Encoder::new(params).unwrap();
    let modes = [
        Parallelism::Serial,
        #[cfg(feature = "rayon")]
        Parallelism::Ambient,
    ];
    let most = 4 + std::thread::available_parallelism().unwrap().get();
    let ended = |decoded: Result<(), DecodeError>| {
        assert_eq!(decoded, Err(DecodeError::Cancelled));
        assert!(streams.load(Ordering::Relaxed) <= most, "{}", streams.load(Ordering::Relaxed));
    };
    for mode in modes {
        let (cancel, registry) = new();
        let mut encoder = encoder().registry(registry).parallelism(mode).cancel(cancel);
        assert_eq!(encoder.compress(&plain), Err(EncodeError::Cancelled));
        assert!(streams.load(Ordering::Relaxed) <= most);
    }
    let (cancel, registry) = new();
    let blocks: Vec<&[u8]> = plain.chunks(1000).collect();
    let vl = encoder().registry(registry).cancel(cancel).compress_vlblocks(&blocks);
    assert_eq!(vl, Err(EncodeError::Cancelled));
    let chunk = encoder().registry(new().1).compress(&plain).unwrap();
    let chunk = Chunk::parse(&chunk).unwrap();
    assert!(!chunk.header().is_memcpyed());
    for mode in modes {
        let (cancel, registry) = new();
        let mut decoder = Decoder::new().registry(registry).parallelism(mode).cancel(cancel);
        ended(decoder.decompress(&chunk).map(drop));
        assert_eq!(decoder.decompress_into(&chunk, &mut vec![1; plain.len()]), Err(DecodeError::Cancelled));
    }
    let decoder = || {
        let (cancel, registry) = new();
        Decoder::new().registry(registry).cancel(cancel)
    };
    ended(decoder().items(&chunk, 10..300_000).map(drop));
    ended(decoder().decompress_masked(&chunk, &[true, false], &mut vec![0; plain.len()]).map(drop));
    // A chunk without stored blocks.
    let (cancel, _) = new();
    cancel.cancel();
    let zeros = Encoder::new(CParams::blosc2()).unwrap().zeros(8000).unwrap();
    let zeros = Chunk::parse(&zeros).unwrap();
    assert_eq!(Decoder::new().cancel(cancel).decompress(&zeros), Err(DecodeError::Cancelled));
}
