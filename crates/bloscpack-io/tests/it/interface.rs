//! The interface as callers see it: paths of any type, conversions, sources in memory.

use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bloscpack_io::frame::{FrameParams, FrameWriter, LocalFrame, NewFrame};
use bloscpack_io::{
    AppendOptions, Archive, AtomicFile, ConvertOptions, Error, Event, LocalSource, PackOptions, ReadAt, Sink, Source,
    Target, UnpackOptions, append, convert, pack, pack_bytes, unpack, unpack_bytes, verify,
};

/// `&str`, `String`, `&OsStr`, `PathBuf` and `&Path` are paths everywhere.
#[test]
fn paths_are_of_any_type() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).into_os_string().into_string().unwrap();
    let (packing, unpacking) = (PackOptions::new(), UnpackOptions::new());
    std::fs::write(at("plain"), b"some bytes").unwrap();
    pack(Source::file(at("plain")), Sink::file(at("packed.blp").as_str()), &packing).unwrap();
    pack(Source::bytes(b"some bytes"), Sink::file(Path::new(&at("other.blp"))), &packing).unwrap();
    append(at("other.blp"), Source::file(at("plain")), &AppendOptions::new()).unwrap();
    unpack(Source::file(std::ffi::OsStr::new(&at("packed.blp"))), Sink::file(at("unpacked")), &unpacking).unwrap();
    assert_eq!(std::fs::read(at("unpacked")).unwrap(), b"some bytes");
    let mut plain = Vec::new();
    unpack(Source::file(at("other.blp")), &mut plain, &unpacking).unwrap();
    assert_eq!(plain, b"some bytessome bytes");
    assert_eq!(verify(Source::file(dir.path().join("packed.blp")), &unpacking).unwrap().nbytes, 10);
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

/// The type annotations are the test: each of these is a source.
#[test]
fn everything_in_memory_is_a_source() {
    fn first_byte(source: impl ReadAt) -> u8 {
        let archive = Archive::open(source).unwrap();
        assert_eq!(archive.nbytes(), 5);
        archive.read_range(0..1).unwrap()[0]
    }
    let packed = pack_bytes(b"plain", &PackOptions::new().offsets(false)).unwrap();
    let mut array = [0; 256];
    array[..packed.len()].copy_from_slice(&packed);
    assert_eq!(array.len(), 256); // not `ReadAt::len`
    let mut cursor = Cursor::new(packed.clone());
    cursor.set_position(7);
    let sources = [
        first_byte(packed.as_slice()),
        first_byte(array.as_slice()),
        first_byte(Cursor::new(array)),
        first_byte(Box::<[u8]>::from(packed.as_slice())),
        first_byte(Arc::<[u8]>::from(packed.as_slice())),
        first_byte(cursor),
        first_byte(Cursor::new(packed.as_slice())),
        first_byte(&&packed),
        first_byte(packed),
    ];
    assert_eq!(sources, [b'p'; 9]);
}

/// `read_to_end` repeats interrupted calls, so the error of a damaged or cancelled archive must not have that kind.
#[test]
fn errors_pass_through_readers_and_come_out_again() {
    let mut packed = pack_bytes(&[1; 5000], &PackOptions::new().chunk_size(1000)).unwrap();
    let last = packed.len() - 10;
    packed[last] ^= 1;
    let archive = Archive::open(packed).unwrap();
    let mut plain = Vec::new();
    let error = archive.reader(&UnpackOptions::new()).read_to_end(&mut plain).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    assert!(matches!(Error::from(error), Error::ChunkDigest(mismatch) if mismatch.chunk == 4));
    let cancel = bloscpack_io::Cancel::new();
    cancel.cancel();
    let error = archive.reader(&UnpackOptions::new().cancel(cancel)).read_to_end(&mut plain).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::Other);
    assert!(matches!(Error::from(error), Error::Cancelled));
}

#[test]
fn a_vector_is_empty_after_an_error() {
    let missing = || Source::file("/nonexistent/input");
    let mut bytes = vec![1; 3];
    pack(missing(), &mut bytes, &PackOptions::new()).unwrap_err();
    assert!(bytes.is_empty());
    bytes = vec![1; 3];
    unpack(missing(), &mut bytes, &UnpackOptions::new()).unwrap_err();
    assert!(bytes.is_empty());
    bytes = vec![1; 3];
    pack(Source::reader(&b"x"[..]), &mut bytes, &PackOptions::new().chunk_size(0)).unwrap_err();
    assert!(bytes.is_empty());
}

/// The directory of temporary files is an environment variable, so the test runs itself in another process.
#[test]
fn frames_in_memory_need_no_temporary_file() {
    const NAME: &str = "interface::frames_in_memory_need_no_temporary_file";
    if std::env::var_os("WITHOUT_TEMPORARY_FILES").is_none() {
        let mut this = std::process::Command::new(std::env::current_exe().unwrap());
        let run = this.args(["--exact", NAME]).env("WITHOUT_TEMPORARY_FILES", "1").env("TMPDIR", "/nonexistent");
        assert!(run.status().unwrap().success());
        return;
    }
    let mut writer = FrameWriter::in_memory(FrameParams::new(1)).unwrap();
    writer.append(b"plain").unwrap();
    writer.commit().unwrap();
    let frame = writer.into_store().file;
    assert_eq!(unpack_bytes(&frame, &UnpackOptions::new()).unwrap().0, b"plain");
    assert_eq!(verify(&frame, &UnpackOptions::new()).unwrap().nbytes, 5);
    let options = UnpackOptions::new();
    unpack(Source::reader(frame.as_slice()), &mut Vec::new(), &options).unwrap_err();
}

/// A reader that breaks the contract of `Read`.
struct TooMuch;

impl Read for TooMuch {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        Ok(buf.len() + 1)
    }
}

#[test]
fn a_reader_of_more_bytes_than_asked_for_is_refused() {
    let error = unpack(Source::reader(TooMuch), &mut Vec::new(), &UnpackOptions::new()).unwrap_err();
    assert!(error.report().to_string().contains("more bytes than the buffer holds"), "{error:?}");
    pack(Source::reader(TooMuch), &mut Vec::new(), &PackOptions::new()).unwrap_err();
    verify(Source::reader(TooMuch), &UnpackOptions::new()).unwrap_err();
}

/// The header and the offsets section, which has room for all chunks, are not written before the input proves its size.
#[test]
fn memory_is_not_reserved_for_a_stated_size() {
    let has_header = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&has_header);
    let options = PackOptions::new().observe(move |event| {
        if matches!(event, Event::Header(_)) {
            told.store(true, Ordering::Relaxed);
        }
    });
    let error = pack(Source::reader(&b"short"[..]).size(1 << 44), &mut Vec::new(), &options).unwrap_err();
    assert!(matches!(error, Error::InputChanged { found: 5, .. }), "{error:?}");
    assert!(!has_header.load(Ordering::Relaxed));
}

#[test]
fn an_output_has_a_name() {
    assert!(matches!(AtomicFile::create("", false), Err(Error::File { .. })));
    pack(Source::bytes(b"x"), Sink::file(""), &PackOptions::new()).unwrap_err();
}
