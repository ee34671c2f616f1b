//! All ways to read a container give the same bytes or all fail, whatever was changed in it.
//!
//! - `decompress`, `cat` of everything (bytes, items, chunk by chunk) and `convert` succeed with the same bytes or all
//!   fail.
//! - `cat` of a range may succeed where another part is damaged. If both succeed, it is a slice of the output of
//!   `decompress`.
//! - `verify` refuses every container that `decompress` refuses. It also refuses faults outside the plain bytes, see
//!   [`is_beside_the_bytes`].

use std::io::{self, Read as _, Write};

use blosc_core::{CParams, Codec};
use bloscpack_format::bloscpack::{Header, MaxAppChunks, Version, offsets};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::detect::{PREFIX_LEN, detect};
use bloscpack_format::{Json, Part};
use bloscpack_io::bcolz::{self, MemoryDirectory};
use bloscpack_io::{
    Activity, Archive, Error, Input, OpenOptions, PackOptions, Source, Threads, UnpackOptions, pack_bytes, unpack,
    verify,
};
use testdata::SplitMix64;

use crate::common::Stored;
use crate::common::roots::files_of;

/// More plain bytes than any container here has. All ways refuse larger outputs.
const MOST: usize = 1 << 20;

fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial)
}

/// A sink that is full after [`MOST`] bytes.
#[derive(Default)]
struct Sink(Vec<u8>);

impl Write for Sink {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.0.len() + buf.len() > MOST {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type Bytes = Result<Vec<u8>, Error>;

fn collect(fill: impl FnOnce(&mut Sink) -> Result<(), Error>) -> Bytes {
    let mut sink = Sink::default();
    fill(&mut sink).map(|()| sink.0)
}

/// The ways to read everything through an archive, like `cat` and `convert`.
fn ways<'a>(open: &dyn Fn() -> Result<Archive<'a>, Error>) -> Vec<(&'static str, Bytes)> {
    let bytes = collect(|sink| {
        let archive = open()?;
        archive.copy_range(0..archive.nbytes(), sink)
    });
    let items = collect(|sink| {
        let archive = open()?;
        let itemsize = archive.numpy().map_or(archive.typesize() as u64, |meta| meta.dtype.itemsize());
        match archive.nbytes().checked_rem(itemsize) {
            Some(0) => archive.copy_items(0..archive.nbytes() / itemsize, itemsize, sink),
            _ => archive.copy_range(0..archive.nbytes(), sink),
        }
    });
    let converted = collect(|sink| {
        let archive = open()?;
        if archive.nbytes() == 0 {
            archive.unpack(io::sink(), &serial())?;
        }
        let mut reader = archive.reader(&serial()).take(archive.nbytes());
        io::copy(&mut reader, sink).map(drop).map_err(|source| Error::Io { doing: Activity::Other("reading"), source })
    });
    let unpacked = collect(|sink| open()?.unpack(sink, &serial()).map(drop));
    let mut ways = vec![("bytes", bytes), ("items", items), ("convert", converted), ("unpack", unpacked)];
    // Chunks of an array have padding.
    if !open().is_ok_and(|archive| archive.grid().is_some()) {
        let chunks = collect(|sink| {
            let archive = open()?;
            (0..archive.nchunks()).try_for_each(|chunk| {
                let chunk = archive.chunk(chunk)?;
                sink.write_all(&chunk).map_err(|source| Error::Io { doing: Activity::Other("writing"), source })
            })
        });
        ways.push(("chunks", chunks));
    }
    ways
}

/// Whether a fault does not concern the plain bytes, so that `verify` alone refuses it.
fn is_beside_the_bytes(error: &Error) -> bool {
    let location = error.location();
    let in_file = |name: &str| location.file.as_ref().is_some_and(|file| file.ends_with(name));
    matches!(error, Error::Offset { .. })
        || location.part == Some(Part::VlMetalayer.name())
        || in_file("__attrs__")
        || in_file("meta/sizes")
}

/// Compares all ways to read one container. `unpack` and `verify` are the results of the commands. Returns whether the
/// container was readable.
fn compare<'a>(
    name: &str,
    rng: &mut SplitMix64,
    open: &dyn Fn() -> Result<Archive<'a>, Error>,
    unpack: Bytes,
    verify: Result<(), Error>,
) -> bool {
    for (way, found) in ways(open) {
        match (&unpack, &found) {
            (Ok(expected), Ok(found)) => assert!(expected == found, "{name}: {way} gives other bytes"),
            (Err(_), Err(_)) => {}
            (expected, found) => {
                let say = |bytes: &Bytes| bytes.as_ref().map(Vec::len).map_err(ToString::to_string);
                panic!("{name}: decompress {:?}, {way} {:?}", say(expected), say(found));
            }
        }
    }
    match (&unpack, &verify) {
        (Ok(_), Ok(())) | (Err(_), Err(_)) => {}
        (Ok(_), Err(error)) => assert!(is_beside_the_bytes(error), "{name}: verify refuses: {error}"),
        // A full sink is not a fault of the container.
        (Err(error), Ok(())) => {
            assert!(error.report().to_string().contains("no storage space"), "{name}: verify accepts: {error}")
        }
    }
    let Ok(plain) = &unpack else { return false };
    for _ in 0..3 {
        let (a, b) = (rng.below(plain.len() + 1), rng.below(plain.len() + 1));
        let range = a.min(b)..a.max(b);
        let found = open().and_then(|archive| archive.read_range(range.start as u64..range.end as u64));
        if let Ok(found) = found {
            assert!(found == plain[range.clone()], "{name}: {range:?} gives other bytes");
        }
    }
    true
}

fn compare_file(name: &str, rng: &mut SplitMix64, file: &[u8]) -> bool {
    let open = || Archive::open(file);
    let unpack = collect(|sink| unpack(Source::reader(file), bloscpack_io::Sink::writer(sink), &serial()).map(drop));
    let is_recognised = detect(&file[..file.len().min(PREFIX_LEN)], Some(file.len() as u64)).is_some();
    if !is_recognised {
        // `decompress` from a pipe does not use the length of the file.
        return false;
    }
    compare(name, rng, &open, unpack, verify(Source::reader(file), &serial()).map(drop))
}

fn compare_frame(name: &str, rng: &mut SplitMix64, stored: &Stored) -> bool {
    let open = || Archive::open(stored);
    let unpack = collect(|sink| open()?.unpack(sink, &serial()).map(drop));
    let verify = open().and_then(|archive| archive.verify(&serial()));
    // Blocks of padding are not part of the array, but `verify` decodes them.
    let has_padding = open().is_ok_and(|archive| {
        archive.grid().is_some_and(|grid| grid.nchunks() * grid.chunk_nbytes() as u64 > archive.nbytes())
    });
    let verify = if has_padding && unpack.is_ok() { Ok(()) } else { verify };
    compare(name, rng, &open, unpack, verify)
}

fn compare_directory(name: &str, rng: &mut SplitMix64, dir: &MemoryDirectory) -> bool {
    let open = || Archive::open(Input::directory(dir.clone()));
    let unpack = collect(|sink| open()?.unpack(sink, &serial()).map(drop));
    compare(name, rng, &open, unpack, verify_directory(dir))
}

fn verify_directory(dir: &MemoryDirectory) -> Result<(), Error> {
    bcolz::verify(dir, &serial())?.faults.into_iter().next().map_or(Ok(()), Err)
}

/// Applies `times` mutations by `one`, which returns whether the container is still readable.
fn tally(name: &str, times: usize, mut one: impl FnMut(&str, usize) -> bool) {
    let read = (0..times).filter(|number| one(&format!("{name}, mutation {number}"), *number)).count();
    assert!(read < times, "{name}: no mutation is refused");
}

/// 3,700 bytes of integers, packed in chunks of 1,000.
fn packed(checksum: Checksum, with_offsets: bool, codec: Codec, clevel: u8, metadata: bool) -> Vec<u8> {
    let plain = testdata::plain(testdata::PlainKind::Ramp, 3700, 4, 9);
    let metadata = metadata
        .then(|| Json::parse(br#"{"dtype": "'<i4'", "shape": [925], "order": "C", "container": "numpy"}"#).unwrap());
    let options = PackOptions::new().chunk_size(1000).checksum(checksum).offsets(with_offsets).metadata(metadata);
    let params = CParams::new().codec(codec).clevel(clevel).typesize(4);
    pack_bytes(&plain, &options.params(params).max_app_chunks(MaxAppChunks::Factor(1))).unwrap()
}

/// The header of a packed file, and the bytes after it.
fn parts(file: &[u8]) -> (Header, &[u8]) {
    let (header, len) = Header::parse(file).unwrap();
    (header, &file[len..])
}

fn version_1(nchunks: Option<u64>) -> Vec<u8> {
    let file = packed(Checksum::None, false, Codec::Lz4, 5, false);
    let mut header = Header::new(Version::V1);
    header.nchunks = nchunks;
    [&header.to_bytes().unwrap(), parts(&file).1].concat()
}

fn version_2(nchunks: Option<u64>, sizes: Option<u32>) -> Vec<u8> {
    let file = packed(Checksum::Md5, false, Codec::Zlib, 5, false);
    let mut header = parts(&file).0;
    (header.version, header.nchunks, header.chunk_size, header.last_chunk) = (Version::V2, nchunks, sizes, None);
    [&header.to_bytes().unwrap(), parts(&file).1].concat()
}

/// Returns the positions of the offsets section and the first chunk of a file with offsets.
fn layout(file: &[u8]) -> Option<(Header, usize, usize)> {
    let (header, _) = Header::parse(file).ok()?;
    let archive = Archive::open(file).ok()?;
    let first = archive.chunk_position(0)? as usize;
    let entries = offsets::section_len(&header).ok()? as usize;
    Some((header, first - entries, first))
}

/// Changes the bloscpack header or offsets, or a chunk whose digest is then corrected.
fn mutate_bloscpack(rng: &mut SplitMix64, file: &mut Vec<u8>) {
    let Some((header, entries, first)) = layout(file) else { return };
    let nchunks = header.nchunks.unwrap_or(0) as usize;
    match rng.below(6) {
        // An offset that points to any position, often into a chunk.
        0 | 1 if header.offsets && nchunks > 0 => {
            let at = entries + 8 * rng.below(nchunks);
            let to = if rng.below(4) == 0 { -1 } else { (first + rng.below(file.len() - first)) as i64 };
            file[at..at + 8].copy_from_slice(&to.to_le_bytes());
        }
        2 => file[6] = rng.below(9) as u8,
        3 if header.version != Version::V1 => {
            let (at, change) = (*rng.pick(&[8, 12, 16, 24]), *rng.pick(&[-1_i8, 1]));
            file[at] = file[at].wrapping_add_signed(change);
            if at == 16 {
                file[24] = file[24].wrapping_add_signed(-change);
            }
        }
        // A byte of a chunk that no digest detects.
        _ => {
            let archive = Archive::open(&**file).unwrap();
            let number = rng.below(archive.nchunks() as usize) as u64;
            let (Some(at), Ok(chunk)) = (archive.chunk_position(number), archive.compressed_chunk(number)) else {
                return;
            };
            drop(archive);
            let (at, len) = (at as usize, chunk.len());
            file[at + rng.below(len)] ^= 1 << rng.below(8);
            let digest = header.checksum.digest(&file[at..at + len]);
            file[at + len..at + len + digest.as_ref().len()].copy_from_slice(digest.as_ref());
        }
    }
}

#[test]
fn bloscpack_files() {
    let golden = testdata::archive("bloscpack");
    let mut files: Vec<(String, Vec<u8>)> = [
        "matrix-blosclz-None.blp",
        "matrix-lz4-crc32.blp",
        "matrix-zlib-adler32.blp",
        "size-0-z1.blp",
        "size-0-z1M.blp",
        "size-8-z1.blp",
        "level-0.blp",
        "meta-7-zlib.blp",
        "metasum-None.blp",
        "append-3.blp",
        "append-garbage.blp",
        "app-0.blp",
        "numpy-empty.blp",
        "numpy-F2d.blp",
        "numpy-dtype-u4.blp",
        "bitshuffle-zstd.blp",
    ]
    .into_iter()
    .map(|name| (name.to_owned(), golden[name].clone()))
    .collect();
    files.push(("stored".into(), packed(Checksum::Adler32, true, Codec::Lz4, 0, true)));
    files.push(("no checksum".into(), packed(Checksum::None, true, Codec::Lz4, 5, false)));
    files.push(("no offsets".into(), packed(Checksum::Adler32, false, Codec::BloscLz, 5, false)));
    files.push(("version 1".into(), version_1(Some(4))));
    files.push(("version 1, uncounted".into(), version_1(None)));
    files.push(("version 2".into(), version_2(Some(4), Some(1000))));
    files.push(("version 2, sizes unknown".into(), version_2(None, None)));
    for (at, (name, file)) in files.iter().enumerate() {
        let mut rng = SplitMix64::new(at as u64);
        assert!(compare_file(name, &mut rng, file), "{name}");
        let donor = &files[(at + 7) % files.len()].1;
        tally(name, 400, |name, number| {
            let mut changed = file.clone();
            match number % 2 {
                0 => mutate_bloscpack(&mut rng, &mut changed),
                _ => testdata::mutate(&mut rng, &mut changed, donor),
            }
            compare_file(name, &mut rng, &changed)
        });
    }
}

/// Forged offsets that point to chunks inside of stored data, with correct digests and sizes.
#[test]
fn chunks_within_stored_data_are_never_read() {
    for checksum in [Checksum::Adler32, Checksum::None, Checksum::Sha256] {
        let params = CParams::new().clevel(0).typesize(1);
        let inner = blosc_core::compress(&[0xEE; 1000], &CParams::new().clevel(0).typesize(1)).unwrap();
        let inner = [inner.as_slice(), checksum.digest(&inner).as_ref()].concat();
        // Three chunks of 8,000 bytes. Each contains a run of seven chunks of 1,000 bytes.
        let run = inner.repeat(7);
        let mut plain = testdata::noise(24_000, 3);
        for chunk in plain.chunks_mut(8000) {
            let start = chunk.len() - run.len();
            chunk[start..].copy_from_slice(&run);
        }
        let options = PackOptions::new().chunk_size(8000).checksum(checksum).params(params);
        let good = pack_bytes(&plain, &options.max_app_chunks(MaxAppChunks::Factor(0))).unwrap();
        let (_, entries, first) = layout(&good).unwrap();
        // Where the inner chunks of the first chunk start.
        let places = (0..7).map(|inner_chunk| first + 16 + 8000 - run.len() + inner_chunk * inner.len());
        let places: Vec<usize> = places.collect();
        let mut rng = SplitMix64::new(5);
        for chunk in 1..3 {
            for place in &places {
                let mut forged = good.clone();
                forged[entries + 8 * chunk..][..8].copy_from_slice(&(*place as i64).to_le_bytes());
                assert!(compare_file("forged", &mut rng, &forged));
                let archive = Archive::open(&*forged).unwrap();
                assert!(archive.chunk(chunk as u64).unwrap() == plain[8000 * chunk..8000 * (chunk + 1)]);
            }
        }
        // All entries after the first agree with each other, and with the sizes in a header that was changed to match.
        let mut forged = good.clone();
        for (chunk, place) in (1..3).zip(&places) {
            forged[entries + 8 * chunk..][..8].copy_from_slice(&(*place as i64).to_le_bytes());
        }
        assert!(compare_file("consistent", &mut rng, &forged));
        forged[8..12].copy_from_slice(&1000_u32.to_le_bytes());
        forged[12..16].copy_from_slice(&1000_u32.to_le_bytes());
        assert!(!compare_file("other sizes", &mut rng, &forged));
        assert!(Archive::open(&*forged).unwrap().chunk(2).is_err());
    }
}

/// A checksum byte changed to none makes every chunk longer than the file says, and no digest is compared.
#[test]
fn a_checksum_that_is_switched_off() {
    let mut file = packed(Checksum::Adler32, true, Codec::Lz4, 0, false);
    file[6] = 0;
    let at = file.len() - 100;
    file[at] ^= 1;
    assert!(!compare_file("switched off", &mut SplitMix64::new(1), &file));
    let archive = Archive::open(&*file).unwrap();
    assert!(archive.chunk(0).is_ok() && archive.chunk(1).is_err() && archive.chunk(3).is_err());
}

/// Chunks that the header does not count, with and without matching offsets.
#[test]
fn chunks_that_are_not_counted() {
    for with_offsets in [true, false] {
        let mut file = packed(Checksum::Crc32, with_offsets, Codec::Lz4, 5, false);
        file[16] -= 1;
        file[24] += u8::from(with_offsets);
        file[12..16].copy_from_slice(&1000_u32.to_le_bytes());
        assert!(!compare_file("not counted", &mut SplitMix64::new(1), &file));
        let archive = Archive::open(&*file).unwrap();
        assert!(archive.chunk(1).is_ok());
        assert!(matches!(archive.chunk(2), Err(Error::MoreData { .. })));
    }
}

#[test]
fn bare_chunks() {
    let chunks = testdata::archive("chunks");
    let mut rng = SplitMix64::new(2);
    let small: Vec<_> = chunks.iter().filter(|(_, bytes)| (100..3000).contains(&bytes.as_slice().len())).collect();
    let mut read = 0;
    for (name, chunk) in small.iter().step_by(small.len() / 40) {
        if !compare_file(name, &mut rng, chunk) {
            continue;
        }
        read += 1;
        let donor = small[rng.below(small.len())].1;
        for _ in 0..120 {
            let mut changed = (*chunk).clone();
            if rng.below(3) == 0 {
                testdata::mutate(&mut rng, &mut changed, donor);
            } else {
                let at = rng.below(changed.len());
                changed[at] ^= 1 << rng.below(8);
            }
            compare_file(name, &mut rng, &changed);
        }
    }
    assert!(read > 20, "{read}");
}

#[test]
fn frames() {
    let mut rng = SplitMix64::new(3);
    let mut paths = Vec::new();
    crate::common::each_frame(|path, _, stored| {
        let total = stored.file.len() + stored.files.values().map(Vec::len).sum::<usize>();
        if total < 12_000 {
            paths.push((path.to_owned(), stored.clone()));
        }
    });
    let donor = Stored::golden("frames/mix_zqvr_contiguous.b2frame").file;
    for (path, stored) in paths.iter().step_by(paths.len().div_ceil(60)) {
        if !compare_frame(path, &mut rng, stored) {
            continue;
        }
        for number in 0..120 {
            let mut changed = stored.clone();
            let files = changed.files.len();
            match changed.files.values_mut().nth(rng.below(2 * files)) {
                Some(file) => testdata::mutate(&mut rng, file, &donor),
                None => testdata::mutate(&mut rng, &mut changed.file, &donor),
            }
            compare_frame(&format!("{path}, mutation {number}"), &mut rng, &changed);
        }
    }
}

#[test]
fn directories_of_bcolz() {
    let mut rng = SplitMix64::new(4);
    for name in [
        "ref/nd/3d",
        "ref/dtype/U5",
        "ref/codec/zlib_sh1_l5",
        "ref/codec/zstd_sh2_l5",
        "ref/size/n101_cl100",
        "ref/mut/append_unflushed_big",
        "ref/mut/trim_exact_stale_leftover",
        "ref/mut/resize_up_dflt",
    ] {
        let files = files_of(name);
        assert!(compare_directory(name, &mut rng, &MemoryDirectory::of_files(files.clone())), "{name}");
        for number in 0..250 {
            let mut changed = files.clone();
            let at = rng.below(changed.len());
            if rng.below(20) == 0 {
                changed.remove(at);
            } else {
                testdata::mutate(&mut rng, &mut changed[at].1, &files[0].1);
            }
            let dir = MemoryDirectory::of_files(changed);
            compare_directory(&format!("{name}, mutation {number}"), &mut rng, &dir);
        }
    }
}

/// The columns of a table: all ways read each of them alike, and the table verifies only if all can be read.
#[test]
fn columns_of_tables() {
    let mut rng = SplitMix64::new(6);
    let files = files_of("ref/tab/mixed");
    for number in 0..250 {
        let mut changed = files.clone();
        if number > 0 {
            let at = rng.below(changed.len());
            testdata::mutate(&mut rng, &mut changed[at].1, &files[0].1);
        }
        let dir = MemoryDirectory::of_files(changed);
        let verify = verify_directory(&dir);
        let Ok(names) = bcolz::column_names(&dir, &OpenOptions::new()) else {
            assert!(verify.is_err(), "mutation {number}: verify accepts a table without columns");
            continue;
        };
        for name in names {
            let prefix = format!("{name}/");
            let below = dir
                .files()
                .into_iter()
                .filter_map(|(path, bytes)| Some((path.strip_prefix(&prefix)?.to_owned(), bytes.to_vec())));
            let column = MemoryDirectory::of_files(below);
            if !compare_directory(&format!("{name}, mutation {number}"), &mut rng, &column) {
                assert!(
                    verify.is_err(),
                    "mutation {number}: verify accepts a table whose column {name} cannot be read"
                );
            }
        }
    }
}
