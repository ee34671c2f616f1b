//! The cost of streaming a bloscpack file with limits: they are checked before bytes arrive, not afterwards.

use blosc_core::{CParams, Codec};
use bloscpack_format::Json;
use bloscpack_format::checksum::Checksum;
use bloscpack_io::{
    Archive, ConvertOptions, Error, Limits, LocalSource, OpenOptions, PackOptions, Sink, Source, Target, Threads,
    UnpackOptions, convert, pack_bytes,
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

/// Bytes that few compressed bytes expand to are bounded in memory, whether the size of the source is known or counted
/// while it is read. Other bytes are not.
#[test]
fn expansion_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let limits = serial(Limits::new().max_unearned(MIB / 2));
    let unpack = |source: Source<'_>| {
        let mut plain = Vec::new();
        bloscpack_io::unpack(source, &mut plain, &limits).map(|_| plain)
    };
    for (plain, is_within) in [(noise(4 * MIB), true), (vec![0; 4 * MIB], false)] {
        let check = |found: Result<Vec<u8>, Error>, what: &str| match found {
            Ok(found) => assert!(is_within && found == plain, "{what}"),
            Err(error) => assert!(!is_within && raised(&error) == "max_unearned", "{what}: {error}"),
        };
        std::fs::write(path("plain"), &plain).unwrap();
        let in_bytes = ConvertOptions::new().chunk_size(MIB as u32).overwrite(true);
        for target in [Target::Bcolz, Target::Zarr, Target::Frame] {
            let (source, output) = (LocalSource::open(path("plain")).unwrap(), path(&format!("{target:?}")));
            let options = match target {
                Target::Frame => in_bytes.clone(),
                _ => ConvertOptions::new().chunkshape(vec![MIB as u32]).overwrite(true),
            };
            convert(source, &output, target, &options.typing(raw())).unwrap();
            // The chunks of zeros in the directories are not small enough.
            if is_within || target == Target::Frame {
                check(unpack(Source::file(&output)), &format!("{target:?}"));
            }
        }
        let params = CParams::new().codec(Codec::Zstd).clevel(9);
        let packed = pack_bytes(&plain, &options().params(params).chunk_size(MIB as u64)).unwrap();
        let frame = std::fs::read(path("Frame")).unwrap();
        let chunk = blosc_core::compress(&plain, &params).unwrap();
        for (bytes, what) in [(packed, "bloscpack"), (frame, "frame"), (chunk, "chunk")] {
            std::fs::write(path("packed"), &bytes).unwrap();
            check(unpack(Source::bytes(&bytes)), what);
            check(unpack(Source::file(path("packed"))), what);
            check(unpack(std::fs::File::open(path("packed")).unwrap().into()), what);
            check(unpack(Source::reader(&bytes[..])), what);
        }
    }
}

fn raw() -> bloscpack_io::Typing {
    bloscpack_io::Typing::new().dtype(bloscpack_format::numpy::Dtype::from_type_string("|u1").unwrap())
}
