//! The order of writes and syncs of a frame in one file, and locks.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io;
use std::sync::{Arc, Mutex};

use blosc_core::CParams;
use bloscpack_format::frame::{FrameType, Header};
use bloscpack_io::frame::{FrameParams, FrameStore, FrameWriter, MemoryFrame};
use bloscpack_io::{ChunkFiles, ReadAt};

use super::change::Change;
use super::chunks::Chunks;
use super::file::{FileFrame, Files, Stamp};
use super::local::LocalFiles;
use super::lock::{Access, FrameLock};
use crate::blosc2::codes::LOCK;

/// An operation on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Operation {
    Write(u64, usize),
    SetLen(u64),
    Sync,
}

/// A file that records what is done with it.
#[derive(Clone)]
struct Recorded {
    file: Arc<Mutex<MemoryFrame>>,
    operations: Arc<Mutex<Vec<Operation>>>,
}

impl Recorded {
    fn with<R>(&self, operation: Operation, work: impl FnOnce(&mut MemoryFrame) -> R) -> R {
        self.operations.lock().unwrap().push(operation);
        work(&mut self.file.lock().unwrap())
    }

    fn take(&self) -> Vec<Operation> {
        std::mem::take(&mut self.operations.lock().unwrap())
    }
}

impl Files for Recorded {
    fn create(&self, _header: Header) -> Result<(), i32> {
        Ok(())
    }

    fn open(&self, _is_change: bool) -> Result<Box<dyn FrameStore>, i32> {
        Ok(Box::new(self.clone()))
    }

    fn stamp(&self) -> Result<Option<Stamp>, i32> {
        Ok(None)
    }

    fn is_directory(&self) -> bool {
        false
    }

    fn sync(&self) -> io::Result<()> {
        self.with(Operation::Sync, |_| Ok(()))
    }
}

impl ReadAt for Recorded {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(&*self.file.lock().unwrap())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.file.lock().unwrap().read_exact_at(offset, buf)
    }
}

impl FrameStore for Recorded {
    fn frame_type(&self) -> FrameType {
        FrameType::Contiguous
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        None
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.with(Operation::Write(at, bytes.len()), |file| file.write_at(at, bytes))
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.with(Operation::SetLen(len), |file| file.set_len(len))
    }

    fn write_chunk_file(&mut self, _number: u32, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn remove_chunk_file(&mut self, _number: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.with(Operation::Sync, |_| Ok(()))
    }

    fn replace(&mut self, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[test]
fn a_file_is_synced_once_for_all_changes() {
    let mut frame = FrameWriter::in_memory(FrameParams::new(4)).unwrap();
    frame.append(&[7; 4000]).unwrap();
    frame.commit().unwrap();
    let recorded = Recorded { file: Arc::new(Mutex::new(frame.into_store())), operations: Arc::default() };
    let mut frame = FileFrame::new(Box::new(recorded.clone()), None, 0);
    frame.sync().unwrap();
    assert_eq!(recorded.take(), [], "nothing has changed");

    let chunk =
        blosc_core::compress(&testdata::plain(testdata::PlainKind::Noise, 4000, 4, 3), &CParams::blosc2().typesize(4));
    for number in 1..5 {
        let len = ReadAt::len(&recorded).unwrap();
        frame.change(&Change::Insert(&[number], chunk.as_ref().unwrap()), -1).unwrap();
        let operations = recorded.take();
        let (commit, before) = operations.split_last().unwrap();
        assert!(matches!(commit, Operation::Write(at, bytes) if at + *bytes as u64 <= 87), "{commit:?} is the header");
        let appends = |operation: &Operation| match *operation {
            Operation::Write(at, _) => at >= len,
            Operation::SetLen(new) => new > len,
            Operation::Sync => false,
        };
        assert!(before.len() == 3 && before.iter().all(appends), "{before:?} after {len} bytes");
    }
    frame.sync().unwrap();
    frame.sync().unwrap();
    assert_eq!(recorded.take(), [Operation::Sync]);
}

#[test]
fn readers_share_a_lock_and_do_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = [(); 2].map(|()| FrameLock::new(&folder.path().join("frame"), false));
    assert_eq!((first.acquire(Access::Read), second.acquire(Access::Read)), (Ok(()), Ok(())));
    assert_eq!(first.acquire(Access::Write), Err(LOCK));
    assert_eq!([&first, &second, &second].map(|lock| lock.release()), [Ok(()); 3]);
    assert_eq!((first.acquire(Access::Write), first.acquire(Access::Read)), (Ok(()), Ok(())));
    assert!(!first.take_changed());
    assert_eq!([&first, &first].map(|lock| lock.release()), [Ok(()); 2]);
    second.acquire(Access::Read).unwrap();
    assert!(second.take_changed() && !second.take_changed());
}

/// As with C-Blosc2: a program may change its directory, or move or remove a file that it still reads.
#[test]
fn a_frame_is_read_after_its_file_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frame.b2frame");
    let chunk = blosc_core::compress(&[7; 4000], &CParams::blosc2().typesize(4)).unwrap();
    let read = |frame: &FileFrame| frame.read(|frame| frame.chunk(0).map_err(|_| -1));
    let header = FrameWriter::in_memory(FrameParams::new(4)).unwrap().frame().unwrap().header.clone();
    for is_read in [false, true] {
        let mut frame = FileFrame::create(Box::new(LocalFiles::new(path.clone())), None, header.clone()).unwrap();
        frame.change(&Change::Insert(&[0], &chunk), -1).unwrap();
        let opened = FileFrame::new(Box::new(LocalFiles::new(path.clone())), None, 0);
        if is_read {
            read(&frame).unwrap();
        }
        read(&opened).unwrap();
        std::fs::rename(&path, folder.path().join("moved")).unwrap();
        std::fs::remove_file(folder.path().join("moved")).unwrap();
        assert_eq!((read(&frame).unwrap(), read(&opened).unwrap()), (vec![7; 4000], vec![7; 4000]));
        assert_eq!(read(&frame).unwrap(), [7; 4000]);
        assert!(frame.change(&Change::Insert(&[1], &chunk), -1).is_err());
        assert_eq!(read(&frame).unwrap(), [7; 4000]);
        // Another frame at the path is the one that is meant.
        let mut other = FileFrame::create(Box::new(LocalFiles::new(path.clone())), None, header.clone()).unwrap();
        assert_eq!(read(&opened), Err(-1), "it has no chunk");
        other.change(&Change::Insert(&[0], &chunk), -1).unwrap();
        assert_eq!(read(&opened).unwrap(), [7; 4000]);
        // A change of that frame does not make the old file current.
        let old = std::fs::read(&path).unwrap();
        let mut follower = FileFrame::new(Box::new(LocalFiles::new(path.clone())), None, 0);
        read(&follower).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, old).unwrap();
        follower.change(&Change::Insert(&[1], &chunk), -1).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(read(&follower).is_err());
    }
    let unread = FileFrame::new(Box::new(LocalFiles::new(path)), None, 0);
    assert!(read(&unread).is_err());
}

/// C-Blosc2 writes 0 as the size of chunks if they vary. The size of a special value in the index is then lost.
#[test]
fn a_frame_whose_first_chunk_is_lost_is_opened() {
    let mut frame = FrameWriter::in_memory(FrameParams::new(4)).unwrap();
    frame.append_special(blosc_core::Special::Zeros, 4000).unwrap();
    frame.append(&[7; 4000]).unwrap();
    frame.commit().unwrap();
    let mut bytes = frame.into_store().file;
    let size = [0xD2, 0, 0, 0x0F, 0xA0];
    let at = bytes.windows(5).position(|bytes| bytes == size).unwrap();
    bytes[at + 1..at + 5].fill(0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frame.b2frame");
    std::fs::write(&path, bytes).unwrap();
    let chunks = Chunks::File(Box::new(FileFrame::new(Box::new(LocalFiles::new(path)), None, 0)));
    assert_eq!(chunks.opened().unwrap().sizes.nchunks, 2);
    let Chunks::File(frame) = chunks else { panic!() };
    frame.read(|frame| Ok((frame.chunk(0).unwrap_err(), assert_eq!(frame.chunk(1).unwrap(), [7; 4000])))).unwrap();
}

#[test]
fn a_link_to_a_file_that_does_not_exist_yet_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let [link, target] = ["link", "target"].map(|name| folder.path().join(name));
    std::os::unix::fs::symlink("target", &link).unwrap();
    let header = FrameWriter::in_memory(FrameParams::new(4)).unwrap().frame().unwrap().header.clone();
    let create = || FileFrame::create(Box::new(LocalFiles::new(link.clone())), None, header.clone());
    assert!(create().is_ok() && target.is_file());
    assert!(create().is_err(), "it exists");
}
