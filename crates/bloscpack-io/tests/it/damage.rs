//! Damaged bloscpack files give an error, never a panic. Memory is bounded by the stored bytes, not by the stated
//! sizes. No output remains that could be taken for the data.

use std::fs;

use bloscpack_format::Json;
use bloscpack_format::bloscpack::MaxAppChunks;
use bloscpack_format::checksum::Checksum;
use bloscpack_io::{
    Archive, Error, PackOptions, Sink, Source, Threads, UnpackOptions, pack_bytes, unpack, unpack_bytes,
};
use testdata::CountingAlloc;

fn packed(checksum: Checksum, offsets: bool, metadata: bool) -> Vec<u8> {
    let plain = testdata::plain(testdata::PlainKind::Ramp, 3500, 4, 9);
    let metadata = metadata.then(|| Json::parse(br#"{"shape": [3500], "x": "y"}"#).unwrap());
    let options = PackOptions::new().chunk_size(1000).checksum(checksum).offsets(offsets).metadata(metadata);
    pack_bytes(&plain, &options.max_app_chunks(MaxAppChunks::Factor(1))).unwrap()
}

fn serial() -> UnpackOptions {
    UnpackOptions::new().threads(Threads::Serial)
}

#[test]
fn every_truncation_is_refused() {
    for packed in [packed(Checksum::Adler32, true, true), packed(Checksum::None, false, false)] {
        for len in 0..packed.len() {
            assert!(unpack_bytes(&packed[..len], &serial()).is_err(), "{len} of {}", packed.len());
        }
    }
}

/// With a checksum, every changed byte of a chunk is detected. Elsewhere it is detected or harmless.
#[test]
fn every_changed_byte_is_noticed_or_harmless() {
    let packed = packed(Checksum::Crc32, true, true);
    let (plain, report) = unpack_bytes(&packed, &serial()).unwrap();
    let first_chunk = usize::try_from(report.chunk_positions[0]).unwrap();
    for at in 0..packed.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = packed.clone();
            damaged[at] ^= flip;
            match unpack_bytes(&damaged, &serial()) {
                Ok((found, _)) => {
                    assert!(found == plain, "byte {at}");
                    assert!(at < first_chunk, "byte {at}");
                }
                Err(error) => assert!(!error.report().to_string().contains('\n')),
            }
            if let Ok(archive) = Archive::open(&*damaged) {
                let _ = archive.read_range(0..archive.nbytes().min(10_000));
            }
        }
    }
}

#[test]
fn memory_follows_the_bytes_that_are_there() {
    let files = testdata::archive("bloscpack");
    let manifest = testdata::manifest("bloscpack");
    for item in manifest["malformed"].as_array().unwrap() {
        let file = item["file"].as_str().unwrap();
        let (_, usage) = CountingAlloc::measure(|| {
            let _ = unpack_bytes(&files[file], &serial());
            let archive = Archive::open(files[file].as_slice());
            archive.map(|archive| archive.read_range(0..archive.nbytes().min(100_000)).is_ok())
        });
        // The largest is a metadata bomb, which inflates to its limit of 16 MiB before it is refused.
        let limit = if file.contains("bomb") { 80 << 20 } else { 4 << 20 };
        assert!(usage.peak > 0 && usage.peak < limit, "{file}: {usage:?}");
    }
}

#[test]
fn a_failure_leaves_no_output_and_the_old_one_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let [input, output] = ["a.blp", "out"].map(|name| dir.path().join(name));
    let mut damaged = packed(Checksum::Md5, true, false);
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    fs::write(&input, &damaged).unwrap();
    let result = unpack(Source::file(&input), Sink::file(&output), &UnpackOptions::new());
    assert!(matches!(&result, Err(Error::ChunkDigest(mismatch)) if mismatch.chunk == 3), "{result:?}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);

    fs::write(&output, b"precious").unwrap();
    assert!(matches!(
        unpack(Source::file(&input), Sink::file(&output), &UnpackOptions::new()),
        Err(Error::OutputExists(_))
    ));
    assert!(unpack(Source::file(&input), Sink::file(&output), &UnpackOptions::new().overwrite(true)).is_err());
    assert_eq!(fs::read(&output).unwrap(), b"precious");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn chunks_that_the_header_does_not_count_are_not_dropped_silently() {
    let packed = packed(Checksum::Adler32, false, false);
    let mut fewer = packed.clone();
    // nchunks is changed from 4 to 3, and last_chunk to the size of a full chunk, so that every size fits.
    fewer[16] = 3;
    fewer[12..16].copy_from_slice(&1000u32.to_le_bytes());
    assert!(matches!(unpack_bytes(&fewer, &serial()), Err(Error::MoreData { .. })));
    let mut unknown = packed.clone();
    unknown[16..24].copy_from_slice(&(-1i64).to_le_bytes());
    assert!(unpack_bytes(&unknown, &serial()).unwrap().0 == unpack_bytes(&packed, &serial()).unwrap().0);
    let twice = [packed.clone(), packed].concat();
    assert!(matches!(unpack_bytes(&twice, &serial()), Err(Error::MoreData { .. })));
}
