//! A bcolz directory that records its changes.

use std::io;
use std::sync::{Arc, Mutex};

use bloscpack_io::bcolz::{Directory, MemoryDirectory};
use bloscpack_io::{ReadAt, ReadDirectory};

/// A successful change of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Op {
    Create { path: String, bytes: Arc<Vec<u8>> },
    SyncFile { path: String },
    Rename { from: String, to: String },
    RemoveFile { path: String },
    CreateDir { path: String },
    RemoveDir { path: String },
    SyncDir { path: String },
}

impl Op {
    /// Applies the change to another directory.
    pub(crate) fn apply(&self, dir: &MemoryDirectory) -> io::Result<()> {
        match self {
            Op::Create { path, bytes } => dir.create(path, bytes),
            Op::SyncFile { path } => dir.sync_file(path),
            Op::Rename { from, to } => dir.rename(from, to),
            Op::RemoveFile { path } => dir.remove_file(path),
            Op::CreateDir { path } => dir.create_dir(path),
            Op::RemoveDir { path } => dir.remove_dir(path),
            Op::SyncDir { path } => dir.sync_dir(path),
        }
    }
}

/// A directory in memory, and the changes made to it.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) dir: MemoryDirectory,
    ops: Mutex<Vec<Op>>,
}

impl Recording {
    pub(crate) fn new() -> Self {
        Recording::default()
    }

    /// Returns the changes since the last call.
    pub(crate) fn take_ops(&self) -> Vec<Op> {
        std::mem::take(&mut self.ops.lock().unwrap())
    }

    fn apply(&self, op: Op) -> io::Result<()> {
        op.apply(&self.dir)?;
        self.ops.lock().unwrap().push(op);
        Ok(())
    }
}

impl ReadDirectory for Recording {
    fn open(&self, path: &str) -> io::Result<Box<dyn ReadAt + '_>> {
        self.dir.open(path)
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.dir.list(path)
    }
}

impl Directory for Recording {
    fn create(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.apply(Op::Create { path: path.into(), bytes: Arc::new(bytes.to_vec()) })
    }

    fn sync_file(&self, path: &str) -> io::Result<()> {
        self.apply(Op::SyncFile { path: path.into() })
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.apply(Op::Rename { from: from.into(), to: to.into() })
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        self.apply(Op::RemoveFile { path: path.into() })
    }

    fn create_dir(&self, path: &str) -> io::Result<()> {
        self.apply(Op::CreateDir { path: path.into() })
    }

    fn remove_dir(&self, path: &str) -> io::Result<()> {
        self.apply(Op::RemoveDir { path: path.into() })
    }

    fn sync_dir(&self, path: &str) -> io::Result<()> {
        self.apply(Op::SyncDir { path: path.into() })
    }
}
