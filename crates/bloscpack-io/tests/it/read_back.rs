//! Read-back verification: an output that differs from its input does not replace the target.

use bloscpack_format::checksum::Checksum;
use bloscpack_format::frame::FrameType;
use bloscpack_io::frame::{FrameParams, FrameWriter};
use bloscpack_io::{Cancel, Error, PackOptions, Sink, Source, Threads, pack};

fn plain() -> Vec<u8> {
    (0..300_000_u32).flat_map(u32::to_le_bytes).collect()
}

#[test]
fn what_reads_back_takes_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let (file, plain) = (directory.path().join("f.blp"), plain());
    let options = PackOptions::new().chunk_size(100_000).verify(true);
    for offsets in [true, false] {
        let options = options.clone().offsets(offsets).overwrite(true);
        let report = pack(Source::bytes(&plain), Sink::file(&file), &options).unwrap();
        assert_eq!(report.plain_digest, Checksum::Sha256.digest(&plain));
        let mut unpacked = Vec::new();
        bloscpack_io::unpack(&file, &mut unpacked, &Default::default()).unwrap();
        assert!(unpacked == plain);
    }
    let report =
        pack(Source::bytes(&plain), Sink::file(&file), &options.plain_checksum(Checksum::Md5).overwrite(true)).unwrap();
    assert_eq!(report.plain_digest, Checksum::Md5.digest(&plain));
}

#[test]
fn a_frame_with_another_digest_does_not() {
    let directory = tempfile::tempdir().unwrap();
    let (target, plain) = (directory.path().join("frame"), plain());
    let (threads, cancel) = (Threads::Serial, Cancel::new());
    for frame_type in [FrameType::Contiguous, FrameType::Sparse] {
        let write = |digest| {
            let mut writer = FrameWriter::create(&target, frame_type, true, FrameParams::new(4)).unwrap();
            writer.append_stream(plain.as_slice(), Some(100_000), &threads, &cancel).unwrap();
            writer.finish_verified(Checksum::Sha256, &digest, &threads, &cancel)
        };
        let error = write(Checksum::Sha256.digest(b"something else")).unwrap_err();
        assert!(matches!(error, Error::NotAsWritten { .. }), "{error}");
        assert!(error.report().to_string().contains(&Checksum::Sha256.digest(&plain).to_string()), "{error}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        write(Checksum::Sha256.digest(&plain)).unwrap();
        assert!(target.exists());
        if target.is_dir() { std::fs::remove_dir_all(&target) } else { std::fs::remove_file(&target) }.unwrap();
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_cannot_be_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("f");
    std::fs::write(&input, plain()).unwrap();
    let options = PackOptions::new().verify(true).overwrite(true);
    let error = bloscpack_io::pack(bloscpack_io::Source::file(&input), bloscpack_io::Sink::file("/dev/null"), &options)
        .unwrap_err();
    assert!(matches!(error, Error::NotAsWritten { .. }), "{error}");
}
