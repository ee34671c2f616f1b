//! The bytes or the directory that a container is opened from.

use std::fmt;

use super::{ChunkFiles, ReadAt, ReadDirectory};

/// The bytes or the directory of files that hold a container. Every type that implements [`ReadAt`] converts to it by
/// `into()`.
pub struct Input<'a>(pub(crate) InputKind<'a>);

/// The kinds of inputs.
pub(crate) enum InputKind<'a> {
    /// A file, memory, or another source of bytes.
    Bytes(Box<dyn ReadAt + 'a>),
    /// The index file of a sparse frame, with header and index, and its chunk files.
    SparseFrame(Box<dyn ReadAt + 'a>, Box<dyn ChunkFiles + 'a>),
    /// The directory of a Zarr array or group, which is known to be one.
    #[cfg_attr(not(feature = "remote"), allow(dead_code))]
    Zarr(Box<dyn ReadDirectory + 'a>),
    /// The directory of a carray, a sparse frame or Zarr.
    Directory(Box<dyn ReadDirectory + 'a>),
    /// A ctable. Only its columns are containers.
    Table,
}

impl<'a> Input<'a> {
    /// A directory: a sparse frame or a carray of bcolz.
    ///
    /// ```
    /// use bloscpack_io::{Archive, Input};
    /// # let files = testdata::archive("bcolz");
    /// # let path = "ref/nd/2d/";
    /// # let files = files.into_iter().filter_map(|(name, bytes)| Some((name.strip_prefix(path)?.to_owned(), bytes)));
    /// # let dir = bloscpack_io::bcolz::MemoryDirectory::of_files(files);
    /// let archive = Archive::open(Input::directory(dir))?;
    /// assert_eq!(archive.numpy().unwrap().shape, [1000, 3]);
    /// # Ok::<(), bloscpack_io::Error>(())
    /// ```
    pub fn directory(directory: impl ReadDirectory + 'a) -> Self {
        Input(InputKind::Directory(Box::new(directory)))
    }

    /// A sparse frame: the bytes of its `chunks.b2frame`, and its chunk files.
    pub fn sparse_frame(index: impl ReadAt + 'a, chunks: impl ChunkFiles + 'a) -> Self {
        Input(InputKind::SparseFrame(Box::new(index), Box::new(chunks)))
    }
}

impl<'a, R: ReadAt + 'a> From<R> for Input<'a> {
    fn from(source: R) -> Self {
        Input(InputKind::Bytes(Box::new(source)))
    }
}

impl fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            InputKind::Bytes(_) => "Input of bytes",
            InputKind::SparseFrame(..) => "Input of a sparse frame",
            InputKind::Directory(_) | InputKind::Zarr(_) => "Input of a directory",
            InputKind::Table => "Input of a table",
        })
    }
}
