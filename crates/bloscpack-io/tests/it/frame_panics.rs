//! A panic of a store is no commit.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bloscpack_format::frame::FrameType;
use bloscpack_io::frame::{FrameParams, FrameStore, FrameWriter, MemoryFrame};
use bloscpack_io::{Cancel, ChunkFiles, Error, OpenOptions, ReadAt, Threads};

/// A store that panics when it writes a chunk file.
struct PanickingStore(MemoryFrame);

impl ReadAt for PanickingStore {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(&self.0)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(offset, buf)
    }
}

impl FrameStore for PanickingStore {
    fn frame_type(&self) -> FrameType {
        self.0.frame_type()
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        self.0.chunk_files()
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_at(at, bytes)
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn write_chunk_file(&mut self, number: u32, _: &[u8]) -> io::Result<()> {
        panic!("chunk file {number}")
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        assert!(!std::thread::panicking(), "a second panic aborts");
        self.0.remove_chunk_file(number)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.replace(bytes)
    }
}

#[test]
fn a_chunk_whose_store_panicked_is_not_committed() {
    let store = PanickingStore(MemoryFrame::new(FrameType::Sparse));
    let mut frame = FrameWriter::start(store, FrameParams::new(1)).unwrap();
    frame.commit().unwrap();
    let plain = testdata::noise(1000, 1);
    for stream in [false, true] {
        let mut append = || match stream {
            true => frame.append_stream(plain.as_slice(), None, &Threads::Serial, &Cancel::new()).map(drop),
            false => frame.append(&plain),
        };
        assert!(catch_unwind(AssertUnwindSafe(&mut append)).is_err());
        assert!(matches!(frame.commit(), Err(Error::EditFailed)));
        frame = FrameWriter::with_store(frame.into_store(), &OpenOptions::new()).unwrap();
        assert_eq!(frame.frame().unwrap().nchunks(), 0);
    }
}
