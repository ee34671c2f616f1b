//! Locks of frames. Each handle has a lock of its own, as handles of other programs have.

use std::ffi::CString;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use super::*;

const ITEMS: usize = 1000;
const LOCK: i32 = -37;

/// A super-chunk of one thread, opened or created with locks.
struct Handle(*mut Schunk);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: created by this type.
        unsafe { blosc2_schunk_free(self.0) };
    }
}

impl Handle {
    /// Calls `work` with the parameters of input and output.
    fn with(locking: bool, work: impl FnOnce(*mut Io) -> *mut Schunk) -> Handle {
        let mut params = StdioParams { locking: locking.into() };
        let mut io = Io { id: 0, name: c"filesystem".as_ptr(), params: (&raw mut params).cast() };
        Handle(work(&mut io))
    }

    fn create(path: &Path, contiguous: bool, locking: bool) -> Handle {
        let (path, mut cparams) = (c_path(path), Cparams { typesize: 4, ..CPARAMS });
        let handle = Handle::with(locking, |io| {
            let (urlpath, cparams) = (path.as_ptr().cast_mut(), &raw mut cparams);
            let mut storage = Storage { contiguous: contiguous.into(), urlpath, cparams, dparams: null_mut(), io };
            // SAFETY: valid parameters, which are copied.
            unsafe { blosc2_schunk_new(&mut storage) }
        });
        assert!(!handle.0.is_null());
        handle
    }

    fn open(path: &Path, locking: bool) -> Handle {
        let path = c_path(path);
        // SAFETY: a path and parameters.
        let handle = Handle::with(locking, |io| unsafe { blosc2_schunk_open_udio(path.as_ptr(), io) });
        assert!(!handle.0.is_null());
        handle
    }

    fn append(&self, item: i32) -> i64 {
        let items = [item; ITEMS];
        // SAFETY: a super-chunk and an input with its length.
        unsafe { blosc2_schunk_append_buffer(self.0, items.as_ptr().cast(), size_of_val(&items) as i32) }
    }

    /// Returns the number of chunks, as another handle may have changed it.
    fn count(&self) -> i64 {
        // SAFETY: a super-chunk.
        unsafe {
            assert!(blosc2_schunk_refresh(self.0) >= 0);
            (*self.0).nchunks
        }
    }

    fn lock(&self) -> i32 {
        // SAFETY: a super-chunk.
        unsafe { blosc2_schunk_lock(self.0) }
    }

    fn unlock(&self) -> i32 {
        // SAFETY: a super-chunk.
        unsafe { blosc2_schunk_unlock(self.0) }
    }
}

fn c_path(path: &Path) -> CString {
    CString::new(path.to_str().unwrap()).unwrap()
}

/// Calls `work` with the path of a frame in a file and in a directory, and of its lock file.
fn with_each(work: impl Fn(&Path, &Path, bool)) {
    for contiguous in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let frame = folder.path().join("frame");
        let lock = if contiguous { folder.path().join("frame.b2lock") } else { frame.join(".b2lock") };
        work(&frame, &lock, contiguous);
    }
}

#[test]
fn changes_under_a_lock_are_one_change_for_other_handles() {
    with_each(|frame, _, contiguous| {
        let first = Handle::create(frame, contiguous, true);
        assert_eq!((first.lock(), first.lock(), first.append(1)), (0, 0, 1));
        let is_locked = AtomicBool::new(true);
        thread::scope(|scope| {
            let other = scope.spawn(|| {
                let counts = Handle::open(frame, true).count();
                (is_locked.load(SeqCst), counts)
            });
            assert_eq!((first.unlock(), first.append(2)), (0, 2));
            // Without a lock, the other handle ends in this time.
            thread::sleep(Duration::from_millis(100));
            assert!(!other.is_finished());
            is_locked.store(false, SeqCst);
            assert_eq!(first.unlock(), 0);
            assert_eq!(other.join().unwrap(), (false, 2));
        });
        assert_eq!((first.unlock(), first.append(3)), (0, 3));
    });
}

#[test]
fn writers_lose_no_chunk() {
    with_each(|frame, _, contiguous| {
        drop(Handle::create(frame, contiguous, true));
        thread::scope(|scope| {
            for writer in 0..3 {
                scope.spawn(move || {
                    let handle = Handle::open(frame, true);
                    (0..20).for_each(|item| assert!(handle.append(writer * 100 + item) > 0));
                });
            }
        });
        assert_eq!(Handle::open(frame, false).count(), 60);
    });
}

#[test]
fn only_who_asks_for_locks_has_a_lock_file() {
    with_each(|frame, lock, contiguous| {
        let handle = Handle::create(frame, contiguous, false);
        assert_eq!((handle.lock(), handle.append(1), handle.unlock()), (0, 1, 0));
        assert!(!lock.exists());
        let other = Handle::open(frame, true);
        assert!(lock.exists());
        // SAFETY: a path.
        assert_eq!(unsafe { blosc2_remove_urlpath(c_path(frame).as_ptr()) }, 0);
        assert!(!frame.exists() && !lock.exists());
        drop((handle, other));
    });
    // SAFETY: no super-chunk, and one in memory.
    unsafe {
        assert_eq!((blosc2_schunk_lock(null_mut()), blosc2_schunk_unlock(null_mut())), (-32, -32));
        let memory = Handle(blosc2_schunk_new(null_mut()));
        assert_eq!((memory.lock(), memory.unlock()), (0, 0));
    }
}

#[test]
fn the_number_in_the_lock_file_tells_of_changes() {
    with_each(|frame, lock, contiguous| {
        let counter = || {
            let mut bytes = [0; 8];
            std::fs::File::open(lock).unwrap().read_exact_at(&mut bytes, 8).unwrap();
            u64::from_ne_bytes(bytes)
        };
        let (writer, reader) = (Handle::create(frame, contiguous, true), Handle::open(frame, true));
        writer.append(1);
        let written = counter();
        assert!(written > 0);
        assert_eq!((reader.count(), counter()), (1, written), "a reader leaves the number");
        // SAFETY: a super-chunk.
        assert_eq!(unsafe { blosc2_schunk_refresh(reader.0) }, 0);
        let file = std::fs::File::options().write(true).open(lock).unwrap();
        file.write_all_at(&(written + 5).to_ne_bytes(), 8).unwrap();
        // SAFETY: a super-chunk.
        assert_eq!(unsafe { (blosc2_schunk_refresh(reader.0), blosc2_schunk_refresh(reader.0)) }, (1, 0));
        writer.append(2);
        assert_eq!(counter(), written + 6);
    });
}

#[test]
fn the_lock_file_is_made_again_and_is_no_link() {
    with_each(|frame, lock, contiguous| {
        let handle = Handle::create(frame, contiguous, true);
        handle.append(1);
        std::fs::remove_file(lock).unwrap();
        assert_eq!((handle.append(2), lock.exists()), (2, true));
        std::fs::remove_file(lock).unwrap();
        let target: PathBuf = frame.with_file_name("target");
        std::fs::write(&target, b"unchanged").unwrap();
        std::os::unix::fs::symlink(&target, lock).unwrap();
        assert_eq!((handle.append(3), handle.lock(), handle.unlock()), (LOCK.into(), LOCK, 0));
        assert_eq!(std::fs::read(&target).unwrap(), b"unchanged");
    });
}
