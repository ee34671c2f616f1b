//! Buffers for bytes that are written now and read later: an unnamed temporary file, or memory without the feature
//! `write`.

use crate::Error;

#[cfg(feature = "write")]
pub(crate) use self::file::Spool;
/// The storage of a spool.
#[cfg(not(feature = "write"))]
pub(crate) type Spool = crate::in_memory::InMemoryFile;

/// Creates an empty spool. `doing` describes the operation in the error.
#[cfg(feature = "write")]
pub(crate) fn create(doing: &'static str) -> Result<Spool, Error> {
    tempfile::tempfile().map(Spool::new).map_err(Error::io(doing))
}

#[cfg(not(feature = "write"))]
pub(crate) fn create(_: &'static str) -> Result<Spool, Error> {
    Ok(Spool::default())
}

#[cfg(feature = "write")]
mod file {
    use std::fs::File;
    use std::io::{self, Read, Seek, SeekFrom, Write};

    use crate::Error;
    use crate::source::ReadAt;

    /// An unnamed temporary file. An error of writing names its directory: the caller knows only input and output.
    #[derive(Debug)]
    pub(crate) struct Spool(File);

    impl Spool {
        pub(super) fn new(file: File) -> Spool {
            Spool(file)
        }
    }

    impl Write for Spool {
        fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
            self.0.write(buf).map_err(|error| match error.kind() {
                io::ErrorKind::Interrupted => error,
                _ => Error::writing_spool(&std::env::temp_dir(), error).into(),
            })
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }

    impl Read for Spool {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            self.0.read(buf)
        }
    }

    impl Seek for Spool {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    impl ReadAt for Spool {
        fn len(&self) -> io::Result<u64> {
            ReadAt::len(&self.0)
        }

        fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
            ReadAt::read_exact_at(&self.0, offset, buf)
        }
    }
}
