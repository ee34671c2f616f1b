//! Any data survives a round trip with any parameters. The bytes of the file do not depend on the threads.

use std::io::{Cursor, Read};
use std::sync::Arc;

use blosc_core::{CParams, Codec, FilterPipeline};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::MaxAppChunks;
use bloscpack_format::checksum::Checksum;
use bloscpack_io::{
    Archive, Error, PackOptions, Sink, Source, Threads, UnpackOptions, pack, pack_bytes, unpack_bytes, verify,
};
use proptest::prelude::*;

fn options() -> impl Strategy<Value = PackOptions> {
    let params = (prop::sample::select(&Codec::ALL[..]), 0..=9u8, 1..=255usize, 0..3usize);
    let file = (1..5000u64, any::<bool>(), prop::sample::select(&Checksum::ALL[..]), 0..4u64, any::<bool>());
    (params, file).prop_map(|((codec, clevel, typesize, filter), (chunk_size, offsets, checksum, room, metadata))| {
        let filters = [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()][filter];
        let metadata = metadata.then(|| Json::parse(r#"{"a": [1, 2.5, null], "ü": NaN}"#).unwrap());
        PackOptions::new()
            .params(CParams::new().codec(codec).clevel(clevel).typesize(typesize).filters(filters))
            .chunk_size(chunk_size)
            .offsets(offsets)
            .checksum(checksum)
            .max_app_chunks(MaxAppChunks::Factor(room))
            .metadata(metadata)
    })
}

fn data() -> impl Strategy<Value = Vec<u8>> {
    (prop::sample::select(&testdata::PlainKind::ALL[..]), 0..20_000usize, 1..9usize, any::<u64>())
        .prop_map(|(kind, nbytes, typesize, seed)| testdata::plain(kind, nbytes, typesize, seed))
}

/// Returns its bytes in small pieces of odd sizes, like a pipe.
struct Dribble<'a>(&'a [u8]);

impl Read for Dribble<'_> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        let len = buf.len().min(self.0.len()).min(1 + self.0.len() % 113);
        self.0.read(&mut buf[..len])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_goes_in_comes_out(plain in data(), options in options()) {
        let packed = pack_bytes(&plain, &options)?;
        let (unpacked, report) = unpack_bytes(&packed, &UnpackOptions::new())?;
        prop_assert!(unpacked == plain);
        prop_assert_eq!(report.trailing, 0);
        verify(Source::reader(Dribble(&packed)), &UnpackOptions::new())?;

        // In one go, to a pipe, or from a source of unknown length: the file is the same.
        for size in [Some(plain.len() as u64), None] {
            let mut streamed = Vec::new();
            pack(Source::reader(Dribble(&plain)).size(size), Sink::writer(&mut streamed), &options)?;
            prop_assert!(streamed == packed, "size {:?}", size);
        }
        for threads in [Threads::Serial, Threads::Pool(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(3).build()?))] {
            let options = options.clone().threads(threads.clone());
            prop_assert!(pack_bytes(&plain, &options)? == packed);
            let (unpacked, _) = unpack_bytes(&packed, &UnpackOptions::new().threads(threads))?;
            prop_assert!(unpacked == plain);
        }
    }

    #[test]
    fn a_range_is_a_slice_of_the_whole(plain in data(), options in options(), a in any::<u64>(), b in any::<u64>()) {
        let archive = Archive::open(pack_bytes(&plain, &options)?)?;
        let len = plain.len() as u64 + 1;
        let (start, end) = ((a % len).min(b % len), (a % len).max(b % len));
        let mut found = Cursor::new(Vec::new());
        archive.copy_range(start..end, &mut found)?;
        prop_assert!(found.into_inner() == plain[start as usize..end as usize]);
    }
}

#[test]
fn one_large_chunk_is_the_same_on_any_threads() {
    let plain = testdata::linspace_f64(0.0, 100.0, 1 << 19);
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap());
    for codec in [Codec::BloscLz, Codec::Lz4] {
        let options = PackOptions::new().params(CParams::new().codec(codec).clevel(5)).chunk_size(1 << 30);
        let serial = pack_bytes(&plain, &options.clone().threads(Threads::Serial)).unwrap();
        let parallel = pack_bytes(&plain, &options.threads(Threads::Pool(pool.clone()))).unwrap();
        assert!(serial == parallel);
        let threads = UnpackOptions::new().threads(Threads::Pool(pool.clone()));
        assert!(unpack_bytes(&serial, &threads).unwrap().0 == plain);
    }
}

/// Packing refuses chunks that could not be unpacked.
#[test]
fn blosc2_chunks_are_refused() {
    let packed = pack_bytes(&[7; 4000], &PackOptions::new().params(CParams::blosc2()));
    assert!(matches!(packed, Err(Error::PackParams { .. })));
}
