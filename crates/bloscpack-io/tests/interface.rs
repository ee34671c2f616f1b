//! The interface as callers see it: paths of any type, conversions, sources in memory.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use bloscpack_io::frame::{FrameParams, FrameWriter, LocalFrame, NewFrame};
use bloscpack_io::{
    AppendOptions, AtomicFile, ConvertOptions, LocalSource, PackOptions, Target, UnpackOptions, append_file, convert,
    pack_bytes_to_file, pack_file, unpack_bytes_from_file, unpack_file, verify_file,
};

/// `&str`, `String`, `&OsStr`, `PathBuf` and `&Path` are paths everywhere.
#[test]
fn paths_are_of_any_type() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).into_os_string().into_string().unwrap();
    let (pack, unpack) = (PackOptions::new(), UnpackOptions::new());
    std::fs::write(at("plain"), b"some bytes").unwrap();
    pack_file(at("plain"), at("packed.blp").as_str(), &pack).unwrap();
    pack_bytes_to_file(b"some bytes", Path::new(&at("other.blp")), &pack).unwrap();
    append_file(at("other.blp"), at("plain"), &AppendOptions::new()).unwrap();
    unpack_file(std::ffi::OsStr::new(&at("packed.blp")), at("unpacked"), &unpack).unwrap();
    assert_eq!(std::fs::read(at("unpacked")).unwrap(), b"some bytes");
    assert_eq!(unpack_bytes_from_file(at("other.blp"), &unpack).unwrap().0, b"some bytessome bytes");
    assert_eq!(verify_file(dir.path().join("packed.blp"), &unpack).unwrap().nbytes, 10);
    assert_eq!(Target::of_name("x.b2frame"), Some(Target::Frame));
    let source = LocalSource::open(at("packed.blp")).unwrap();
    convert(source, at("frame.b2frame"), Target::Frame, &ConvertOptions::default()).unwrap();
    drop(FrameWriter::open(at("frame.b2frame")).unwrap());
    drop(LocalFrame::open(at("frame.b2frame")).unwrap());
    let contiguous = bloscpack_io::bloscpack_format::frame::FrameType::Contiguous;
    drop(NewFrame::create(at("new"), contiguous, false).unwrap());
    FrameWriter::create(at("new"), contiguous, false, FrameParams::new(1)).unwrap().finish().unwrap();
    AtomicFile::create(at("atomic"), false).unwrap().commit().unwrap();
}
