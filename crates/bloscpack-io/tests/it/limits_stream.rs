//! The cost of streaming a bloscpack file with limits: they are checked before bytes arrive, not afterwards.

use blosc_core::{CParams, Codec};
use bloscpack_format::Json;
use bloscpack_format::checksum::Checksum;
use bloscpack_io::{
    Archive, Error, Limits, OpenOptions, PackOptions, Sink, Source, Threads, UnpackOptions, pack_bytes,
};
use testdata::{CountingAlloc, SplitMix64};

const MIB: usize = 1 << 20;

fn options() -> PackOptions {
    PackOptions::new().threads(Threads::Serial).offsets(false).checksum(Checksum::None)
}

fn serial(limits: Limits) -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial).limits(limits)
}

fn noise(len: usize) -> Vec<u8> {
    let mut rng = SplitMix64::new(7);
    (0..len.div_ceil(8)).flat_map(|_| rng.next_u64().to_le_bytes()).take(len).collect()
}

/// Unpacks to a sink. Returns the result and the peak memory.
fn unpack(packed: &[u8], limits: Limits) -> (Result<u64, Error>, usize) {
    let (unpacked, usage) = CountingAlloc::measure(|| {
        bloscpack_io::unpack(Source::reader(packed), Sink::writer(std::io::sink()), &serial(limits))
            .map(|report| report.trailing)
    });
    (unpacked, usage.peak)
}

fn raised(error: &Error) -> &'static str {
    error.over_limit().unwrap_or_else(|| panic!("{error}")).raise
}

/// A chunk after the last one is decoded to check whether it is one, but only within the limits.
#[test]
fn what_follows_the_last_chunk() {
    let mut packed = pack_bytes(&[1; 1000], &options()).unwrap();
    // The header allows the largest possible chunks. The only chunk is smaller, as a last chunk may be.
    packed[8..12].copy_from_slice(&(i32::MAX - 16).to_le_bytes());
    let zeros = blosc_core::compress(&vec![0; 64 * MIB], &CParams::new().codec(Codec::Zlib)).unwrap();
    packed.extend(&zeros);
    let (trailing, peak) = unpack(&packed, Limits::new().max_memory(16 * MIB));
    assert!(trailing.unwrap() == zeros.len() as u64 && peak < 8 * MIB, "{peak}");
    let (trailing, _) = unpack(&packed, Limits::new());
    assert!(matches!(trailing, Err(Error::MoreData { .. })), "{trailing:?}");
}

#[test]
fn compressed_bytes_of_a_chunk() {
    let packed = pack_bytes(&noise(8 * MIB), &options().chunk_size(8 * MIB as u64)).unwrap();
    let limits = Limits::new().max_memory(MIB);
    let (unpacked, peak) = unpack(&packed, limits);
    let error = unpacked.unwrap_err();
    assert!(raised(&error) == "max_memory" && peak < 2 * MIB, "{error}: {peak}");
    assert!(error.report().to_string().starts_with("chunk 0 at offset 32"), "{error}");

    let archive = Archive::open_with(packed.as_slice(), &OpenOptions::new().limits(limits)).unwrap();
    let (chunk, usage) = CountingAlloc::measure(|| archive.compressed_chunk(0));
    assert!(raised(&chunk.unwrap_err()) == "max_memory" && usage.peak < MIB, "{usage:?}");
}

#[test]
fn metadata_as_it_is_stored() {
    let text: String = noise(4 * MIB).iter().map(|byte| char::from(b'a' + byte % 26)).collect();
    let packed = pack_bytes(b"data", &options().metadata(Some(Json::String(text)))).unwrap();
    let (unpacked, peak) = unpack(&packed, Limits::new().max_metadata(MIB));
    let error = unpacked.unwrap_err();
    assert!(raised(&error) == "max_metadata" && peak < MIB, "{error}: {peak}");
    assert!(unpack(&packed, Limits::new()).0.is_ok());
}
