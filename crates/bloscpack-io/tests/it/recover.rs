//! Damaged bloscpack files: the chunks that are salvaged, the zeros for the others, and the report.

use std::fs;
use std::path::Path;

use blosc_core::{CParams, Codec};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{Header, Version};
use bloscpack_format::checksum::Checksum;
use bloscpack_io::{
    Archive, Cancel, Error, Limits, Lost, LostPart, LostReason, PackOptions, RecoverOptions, RecoverReport, Source,
    UnpackOptions, pack_bytes, recover, unpack_bytes, verify,
};
use testdata::SplitMix64;

const ARRAY: &str = r#"{"dtype": "'<u4'", "shape": [1000, 5], "order": "C", "container": "numpy"}"#;
/// Uncompressed size of a chunk of [`packed`]. There are six such chunks and a shorter one.
const CHUNK: usize = 3000;

/// 20,000 bytes that do not repeat, and a file that contains them.
fn packed(checksum: Checksum, offsets: bool, metadata: Option<&str>) -> (Vec<u8>, Vec<u8>) {
    let plain: Vec<u8> = testdata::noise(20_000, 8).chunks(4).flat_map(|item| [item[0], item[1], item[2], 1]).collect();
    let metadata = metadata.map(|text| Json::parse(text.as_bytes()).unwrap());
    let params = CParams::new().codec(Codec::Lz4).typesize(4);
    let options = PackOptions::new().chunk_size(CHUNK as u64).checksum(checksum).offsets(offsets).metadata(metadata);
    let packed = pack_bytes(&plain, &options.params(params)).unwrap();
    (plain, packed)
}

/// The start of each chunk of a file, and the end of the last one.
fn starts(file: &[u8]) -> Vec<usize> {
    let archive = Archive::open(file).unwrap();
    let starts = (0..archive.nchunks()).map(|chunk| archive.chunk_position(chunk).unwrap() as usize);
    starts.chain([file.len()]).collect()
}

fn try_recover(file: &[u8]) -> Result<(Vec<u8>, RecoverReport), Error> {
    let dir = tempfile::tempdir().unwrap();
    let [input, output] = ["in.blp", "out.blp"].map(|name| dir.path().join(name));
    fs::write(&input, file).unwrap();
    let report = recover(&input, &output, &RecoverOptions::new())?;
    assert!(fs::read(&input).unwrap() == file);
    verify(Source::file(&output), &UnpackOptions::new()).unwrap();
    let new = fs::read(&output).unwrap();
    let header = Header::parse(&new).unwrap().0;
    assert_eq!(
        (header.version, unpack_bytes(&new, &UnpackOptions::new()).unwrap().0.len() as u64),
        (Version::V3, report.nbytes)
    );
    Ok((new, report))
}

fn parts(report: &RecoverReport) -> Vec<LostPart> {
    report.lost.iter().map(|lost| lost.part.clone()).collect()
}

/// The uncompressed bytes of the salvaged file, and its report.
fn salvaged(file: &[u8]) -> (Vec<u8>, RecoverReport) {
    let (new, report) = try_recover(file).unwrap();
    (unpack_bytes(&new, &UnpackOptions::new()).unwrap().0, report)
}

fn zeroed(plain: &[u8], chunks: std::ops::Range<usize>) -> Vec<u8> {
    let mut plain = plain.to_vec();
    let end = plain.len().min(chunks.end * CHUNK);
    plain[chunks.start * CHUNK..end].fill(0);
    plain
}

#[test]
fn a_whole_file_is_copied() {
    for (checksum, offsets, metadata) in
        [(Checksum::Adler32, true, Some(ARRAY)), (Checksum::None, false, None), (Checksum::Sha512, true, None)]
    {
        let (_, file) = packed(checksum, offsets, metadata);
        let (new, report) = try_recover(&file).unwrap();
        assert_eq!((report.kept, report.total, parts(&report)), (7, 7, vec![]));
        assert!(new == file, "{checksum:?}");
    }
}

#[test]
fn golden_files_lose_nothing() {
    let files = testdata::archive("bloscpack");
    for item in testdata::manifest("bloscpack")["files"].as_array().unwrap() {
        let name = item["file"].as_str().unwrap();
        let (plain, unpacked) = unpack_bytes(&files[name], &UnpackOptions::new()).unwrap();
        let (new, report) = try_recover(&files[name]).unwrap();
        assert_eq!(parts(&report), [], "{name}");
        let (found, again) = unpack_bytes(&new, &UnpackOptions::new()).unwrap();
        assert!(found == plain, "{name}");
        assert_eq!((again.metadata, again.metadata_header), (unpacked.metadata, unpacked.metadata_header), "{name}");
        let header = again.header.unwrap();
        assert_eq!(Some(header), unpacked.header, "{name}");
    }
}

#[test]
fn zeros_stand_for_a_damaged_chunk() {
    for (checksum, offsets) in [(Checksum::Adler32, true), (Checksum::Crc32, false), (Checksum::Sha256, false)] {
        let (plain, file) = packed(checksum, offsets, None);
        let starts = starts(&file);
        for chunk in 0..6 {
            // In its stream, in its sizes, in all of its header.
            for (at, len) in [(100, 1), (12, 2), (0, 16), (4, 1)] {
                let mut damaged = file.clone();
                damaged[starts[chunk] + at..][..len].iter_mut().for_each(|byte| *byte ^= 0x5a);
                let (found, report) = salvaged(&damaged);
                assert!(found == zeroed(&plain, chunk..chunk + 1), "{checksum:?} {chunk} {at}: {:?}", report.lost);
                assert_eq!((report.kept, report.total), (6, 7));
                let number = chunk as u64;
                let is_told = |lost: &Lost| {
                    matches!(&lost.part, LostPart::Chunks { chunks, plain, .. }
                        if *chunks == (number..number + 1) && plain.start == number * CHUNK as u64)
                };
                assert!(report.lost.len() == 1 && report.lost.iter().all(is_told), "{:?}", report.lost);
            }
        }
        // Several damaged chunks, adjacent and apart.
        let mut damaged = file.clone();
        for at in [starts[1] + 3, starts[2] + 3, starts[4] + 200] {
            damaged[at] ^= 0xff;
        }
        let (found, report) = salvaged(&damaged);
        let expected = zeroed(&zeroed(&plain, 1..3), 4..5);
        assert!(found == expected, "{checksum:?}: {:?}", report.lost);
    }
}

#[test]
fn plain_bytes_end_with_the_last_whole_chunk() {
    let (plain, file) = packed(Checksum::Adler32, true, None);
    let starts = starts(&file);
    let mut damaged = file.clone();
    damaged[starts[6] + 100] ^= 1;
    let (found, report) = salvaged(&damaged);
    assert!(found == plain[..6 * CHUNK]);
    assert_eq!(parts(&report), [LostPart::End { chunks: 1, plain: 18_000..18_000 }]);
    for len in (starts[1]..file.len()).step_by(97) {
        let (found, report) = salvaged(&file[..len]);
        let whole = starts.iter().filter(|start| **start <= len).count() - 1;
        let is_cut_digest = starts.iter().any(|start| *start > len && *start - len <= 4);
        assert!(found == plain[..(whole + usize::from(is_cut_digest)) * CHUNK], "{len}");
        assert!(
            matches!(parts(&report).last(), Some(LostPart::End { .. })) || is_cut_digest,
            "{len}: {:?}",
            report.lost
        );
    }
    // Only the digest of the last chunk is cut off.
    let (found, report) = salvaged(&file[..file.len() - 4]);
    assert!(found == plain);
    let [Lost { part: LostPart::Unchecked { chunk: 6 }, reason: Some(LostReason::CutDigest), .. }] = &report.lost[..]
    else {
        panic!("{:?}", report.lost)
    };
    assert!(report.lost[0].source().is_none(), "{:?}", report.lost);
}

#[test]
fn an_array_keeps_its_shape() {
    let (plain, file) = packed(Checksum::Adler32, true, Some(ARRAY));
    let starts = starts(&file);
    let (found, report) = salvaged(&file[..starts[3] + 50]);
    assert!(found == zeroed(&plain, 3..7));
    assert_eq!(parts(&report), [LostPart::End { chunks: 4, plain: 9000..20_000 }]);
    let mut damaged = file.clone();
    damaged[starts[6] + 10] ^= 1;
    damaged[starts[0] + 2] ^= 1;
    let (found, _) = salvaged(&damaged);
    assert!(found == zeroed(&zeroed(&plain, 6..7), 0..1));
    let (new, _) = try_recover(&damaged).unwrap();
    assert_eq!(Archive::open(new).unwrap().numpy().unwrap().shape, [1000, 5]);
}

/// Any damaged byte before the chunks: all data is found, and the metadata is kept or reported as lost.
#[test]
fn no_byte_in_front_of_the_chunks_costs_data() {
    for metadata in [None, Some(ARRAY)] {
        let (plain, file) = packed(Checksum::Adler32, true, metadata);
        let first = starts(&file)[0];
        let places =
            (0..120).flat_map(|at| [(at, 0x01), (at, 0xff)]).chain((120..first).step_by(7).map(|at| (at, 0x20)));
        for (at, flip) in places {
            let mut damaged = file.clone();
            damaged[at] ^= flip;
            let (new, report) = try_recover(&damaged).unwrap_or_else(|error| panic!("byte {at}: {error}"));
            let (found, unpacked) = unpack_bytes(&new, &UnpackOptions::new()).unwrap();
            assert!(found == plain, "byte {at}: {:?}", report.lost);
            assert_eq!(report.kept, 7);
            let lost = report.lost.iter().any(|lost| lost.part == LostPart::Metadata);
            assert!(unpacked.metadata.is_some() || lost || metadata.is_none(), "byte {at}: {:?}", report.lost);
        }
        // The whole header, and the whole offsets section.
        let mut damaged = file.clone();
        damaged[..32].fill(0xee);
        assert!(salvaged(&damaged).0 == plain);
        let mut damaged = file.clone();
        damaged[first - 8 * 77..first].fill(0x11);
        let (found, report) = salvaged(&damaged);
        assert!(found == plain);
        assert_eq!(parts(&report), [LostPart::Offsets { entries: 7 }]);
        // Everything before the chunks is missing.
        assert!(salvaged(&file[first..]).0 == plain);
        assert!(salvaged(&file[first + 1..]).0.ends_with(&plain[CHUNK..]));
    }
}

#[test]
fn a_wrong_checksum_in_the_header_is_noticed() {
    for checksum in [Checksum::Adler32, Checksum::Md5, Checksum::None] {
        for stated in [Checksum::None, Checksum::Crc32, Checksum::Sha512] {
            let (plain, mut file) = packed(checksum, true, None);
            file[6] = stated.id();
            let (found, report) = salvaged(&file);
            assert!(found == plain, "{checksum:?} {stated:?}: {:?}", report.lost);
            let expected =
                if stated == checksum { vec![] } else { vec![LostPart::Checksum { stated, found: checksum }] };
            assert_eq!(parts(&report), expected);
        }
    }
}

#[test]
fn bytes_between_chunks_are_passed_over() {
    for offsets in [true, false] {
        let (plain, file) = packed(Checksum::Adler32, offsets, None);
        let starts = starts(&file);
        for chunk in [0, 1, 5] {
            let garbage = testdata::noise(777, chunk as u64);
            let damaged = [&file[..starts[chunk]], &garbage, &file[starts[chunk]..]].concat();
            let (found, report) = salvaged(&damaged);
            assert!(found == plain, "{offsets} {chunk}: {:?}", report.lost);
        }
        // Some bytes of a chunk are missing.
        let damaged = [&file[..starts[2] + 50], &file[starts[2] + 60..]].concat();
        let (found, report) = salvaged(&damaged);
        assert!(found == zeroed(&plain, 2..3), "{offsets}: {:?}", report.lost);
    }
}

/// Versions 1 and 2 become 3. Differing chunk sizes are kept.
#[test]
fn older_versions() {
    let (plain, file) = packed(Checksum::None, false, None);
    let chunks = starts(&file);
    let version_1 = {
        let mut header = Header::new(Version::V1);
        header.nchunks = Some(7);
        [&header.to_bytes().unwrap(), &file[32..]].concat()
    };
    assert!(salvaged(&version_1).0 == plain);
    // Chunks of other sizes in between, and a damaged one whose header still gives its size.
    let small = blosc_core::compress(&[7; 100], &CParams::new()).unwrap();
    let mixed = [&version_1[..chunks[2] - 16], &small, &version_1[chunks[2] - 16..]].concat();
    let (found, report) = salvaged(&mixed);
    assert!(found == [&plain[..2 * CHUNK], &[7; 100], &plain[2 * CHUNK..]].concat(), "{:?}", report.lost);
}

/// Chunks inside the stored data of another chunk are not part of the file, even if that one is damaged.
#[test]
fn chunks_within_stored_data_are_not_taken() {
    let (_, inner) = packed(Checksum::Adler32, false, None);
    let mut plain = testdata::noise(60_000, 2);
    for chunk in plain.chunks_mut(20_000) {
        let len = inner.len() - 32;
        chunk[500..500 + len].copy_from_slice(&inner[32..]);
    }
    let options = PackOptions::new().chunk_size(20_000).params(CParams::new().clevel(0)).offsets(true);
    let file = pack_bytes(&plain, &options).unwrap();
    let starts = starts(&file);
    for at in [starts[1] + 30, starts[1] + 1] {
        let mut damaged = file.clone();
        damaged[at] ^= 0x80;
        let (found, report) = salvaged(&damaged);
        let expected = [&plain[..20_000], &[0; 20_000], &plain[40_000..]].concat();
        assert!(found == expected, "{at}: {:?}", report.lost);
    }
}

/// Whatever is changed, chunks of the new file are chunks of the old one, or zeros.
#[test]
fn nothing_is_made_up() {
    let mut rng = SplitMix64::new(21);
    let mut whole = 0;
    for (checksum, offsets) in [(Checksum::Adler32, true), (Checksum::Sha1, false), (Checksum::Crc32, true)] {
        let (plain, file) = packed(checksum, offsets, Some(ARRAY));
        let chunks: Vec<&[u8]> = plain.chunks(CHUNK).collect();
        for number in 0..150 {
            let mut damaged = file.clone();
            testdata::mutate(&mut rng, &mut damaged, &file);
            let Ok((new, report)) = try_recover(&damaged) else { continue };
            whole += usize::from(report.kept >= 6);
            let archive = Archive::open(new).unwrap();
            for chunk in 0..archive.nchunks() {
                let found = archive.chunk(chunk).unwrap();
                let is_told = |lost: &Lost| lost.part == LostPart::Unchecked { chunk };
                let is_known = found.iter().all(|byte| *byte == 0)
                    || chunks.contains(&found.as_slice())
                    || report.lost.iter().any(is_told);
                assert!(is_known, "mutation {number}, chunk {chunk}: {:?}", report.lost);
            }
        }
    }
    assert!(whole > 250, "{whole}");
}

#[test]
fn what_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let [input, output] = ["in.blp", "out.blp"].map(|name| dir.path().join(name));
    let cancel = Cancel::new();
    let run = |input: &Path, output: &Path, overwrite| {
        recover(input, output, &RecoverOptions::new().overwrite(overwrite).cancel(cancel.clone()))
    };
    let (_, file) = packed(
        Checksum::Adler32,
        true,
        Some(r#"{"dtype": "'<u4'", "shape": [1000000000000, 5], "order": "C", "container": "numpy"}"#),
    );
    fs::write(&input, &file).unwrap();
    assert!(matches!(run(&input, &input, true), Err(Error::SameFile(_) | Error::InputReplaced { .. })));
    assert_eq!(fs::read(&input).unwrap(), file);
    // A shape that requires 20 TB of zeros.
    let limits = Limits::new().max_unearned(1 << 20);
    let error = recover(&input, &output, &RecoverOptions::new().cancel(cancel.clone()).limits(limits)).unwrap_err();
    assert!(error.over_limit().is_some(), "{error}");
    fs::write(&output, b"precious").unwrap();
    assert!(matches!(run(&input, &output, false), Err(Error::OutputExists(_))));
    for nothing in [&b""[..], b"blpk", &file[..200], &[2; 5000]] {
        fs::write(&input, nothing).unwrap();
        assert!(matches!(run(&input, &output, true), Err(Error::NoChunks)), "{}", nothing.len());
    }
    assert_eq!(fs::read(&output).unwrap(), b"precious");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn a_cancelled_recovery_leaves_the_output() {
    for checksum in [Checksum::Adler32, Checksum::None] {
        let (_, file) = packed(checksum, true, None);
        let dir = tempfile::tempdir().unwrap();
        let [input, output] = ["in.blp", "out.blp"].map(|name| dir.path().join(name));
        fs::write(&input, file).unwrap();
        fs::write(&output, b"precious").unwrap();
        let cancel = Cancel::new();
        cancel.cancel();
        assert!(
            matches!(
                recover(&input, &output, &RecoverOptions::new().overwrite(true).cancel(cancel.clone())),
                Err(Error::Cancelled)
            ),
            "{checksum:?}"
        );
        assert_eq!(fs::read(&output).unwrap(), b"precious");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }
}

#[test]
fn a_header_of_too_many_chunks_is_refused() {
    let (_, file) = packed(Checksum::Adler32, false, None);
    let starts = starts(&file);
    let dir = tempfile::tempdir().unwrap();
    let [input, output] = ["in.blp", "out.blp"].map(|name| dir.path().join(name));
    for nchunks in [1_i64 << 40, i64::MAX] {
        // The last chunk then takes the last number, and zeros replace all others.
        let mut damaged = file.clone();
        damaged[16..24].copy_from_slice(&nchunks.to_le_bytes());
        damaged[starts[5] + 100] ^= 0x5a;
        fs::write(&input, &damaged).unwrap();
        let limits = Limits::new().max_unearned(1 << 20);
        assert!(recover(&input, &output, &RecoverOptions::new().limits(limits)).is_err());
        assert!(!output.exists());
    }
}
