//! Frames as sequences of compressed chunks, for callers that compress and decompress themselves.

use blosc_core::{CParams, Special};
use bloscpack_format::frame::{FrameType, Header, VlMetalayers};
use bloscpack_io::frame::{ChunkBytes, FrameParams, FrameStore, FrameWriter, LocalFrame, MemoryFrame};
use bloscpack_io::{Error, OpenOptions, ReadAt};

fn chunk(value: u8) -> Vec<u8> {
    let plain: Vec<u8> = (0..4000_u32).map(|index| (index % 251) as u8 ^ value).collect();
    blosc_core::compress(&plain, &CParams::blosc2().typesize(4)).unwrap()
}

/// A codec that is not built in, a shape that is not one, chunks as they were given.
#[test]
fn headers_and_chunks_are_kept_as_they_are() {
    let mut header = Header::new(FrameType::Contiguous, 4);
    (header.compcode, header.udcodec, header.codec_meta) = (6, 200, 7);
    let mut frame = FrameWriter::start_sequence(MemoryFrame::new(FrameType::Contiguous), header.clone()).unwrap();
    frame.add_metalayer_bytes(b"b2nd", b"no shape").unwrap();
    frame.commit().unwrap();
    frame.append_chunk(&chunk(1)).unwrap();
    assert_eq!(frame.stored_chunk(0).unwrap(), ChunkBytes::Stored(chunk(1)));
    frame.append_special(Special::Zeros, 4000).unwrap();
    let layers = VlMetalayers::from_chunks([(b"\xff".as_slice(), chunk(9).as_slice())]).unwrap();
    frame.set_vlmetalayers(layers.clone()).unwrap();
    frame.commit().unwrap();
    assert_eq!(frame.store().len().unwrap(), frame.frame().unwrap().header.frame_len);

    let store = frame.into_store();
    let mut frame = FrameWriter::open_sequence(store.clone(), &OpenOptions::new()).unwrap();
    assert_eq!(frame.stored_chunk(0).unwrap(), ChunkBytes::Stored(chunk(1)));
    assert_eq!(frame.stored_chunk(1).unwrap(), ChunkBytes::Special(Special::Zeros, 4000));
    assert!(matches!(frame.stored_chunk(2), Err(Error::Format(_))));
    let found = frame.frame().unwrap();
    assert_eq!((found.header.udcodec, found.header.codec_meta, &found.trailer.vlmetalayers), (200, 7, &layers));
    frame.update_chunk(1, &chunk(2)).unwrap();
    frame.commit().unwrap();

    // As an array, the frame is refused.
    assert!(FrameWriter::with_store(store, &OpenOptions::new()).is_err());
    let mut array = FrameWriter::start(MemoryFrame::new(FrameType::Contiguous), FrameParams::new(4)).unwrap();
    array.add_metalayer("b2nd", b"no shape").unwrap();
    assert!(array.commit().is_err());
    let wrong = FrameWriter::start_sequence(MemoryFrame::new(FrameType::Sparse), header);
    assert!(matches!(wrong.map(drop), Err(Error::Format(_))));
}

/// A damaged chunk is an error, not bytes past its end.
#[test]
fn a_chunk_past_the_end_is_refused() {
    let mut frame = FrameWriter::in_memory(FrameParams::new(4)).unwrap();
    frame.append_chunk(&chunk(1)).unwrap();
    frame.commit().unwrap();
    let mut store = frame.into_store();
    store.file[97 + 12..][..4].copy_from_slice(&100_000_u32.to_le_bytes());
    let frame = FrameWriter::open_sequence(store, &OpenOptions::new()).unwrap();
    assert!(frame.stored_chunk(0).is_err());
}

/// Readers do not wait for a writer, and cannot write.
#[test]
fn a_frame_is_read_while_it_is_locked() {
    for frame_type in [FrameType::Contiguous, FrameType::Sparse] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frame");
        let mut frame = FrameWriter::create(&path, frame_type, false, FrameParams::new(4)).unwrap();
        frame.append_chunk(&chunk(1)).unwrap();
        frame.finish().unwrap();
        let writer = FrameWriter::open(&path).unwrap();
        let reader = LocalFrame::open_for_reading(&path).unwrap();
        let mut reader = FrameWriter::open_sequence(reader, &OpenOptions::new()).unwrap();
        assert_eq!(reader.stored_chunk(0).unwrap(), ChunkBytes::Stored(chunk(1)));
        assert!(matches!(reader.append_chunk(&chunk(2)), Err(Error::Io { .. })));
        drop(writer);
        assert_eq!(FrameWriter::open(&path).unwrap().frame().unwrap().nchunks(), 1);
        assert_eq!(LocalFrame::open_for_reading(&path).unwrap().frame_type(), frame_type);
    }
}
