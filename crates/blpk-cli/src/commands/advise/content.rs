//! Pieces from all over a file, or from the content of a container.

use crate::commands::array;
use crate::file_kind::kind_of_file;
use crate::path_or_stdio::PathOrStdio;
use crate::pieces::spread;
use anyhow::{Context as _, Result, bail};
use bloscpack_format::bloscpack::DEFAULT_CHUNK_SIZE;
use bloscpack_io::{Archive, Array, Cancel, OpenOptions, Typing};
use std::ops::Range;

/// Size of a piece: a chunk of `compress`, so that a small file is looked at as it would be compressed.
const PIECE: u64 = DEFAULT_CHUNK_SIZE as u64;

/// Maximum number of pieces.
const PIECES: u64 = 16;

/// The uncompressed bytes of a file.
pub(super) struct Content {
    array: Array<'static>,
    /// The file is a container, whose content is converted rather than compressed.
    pub(super) is_container: bool,
    /// The item size of the array, if the file says that it holds one.
    pub(super) typesize: Option<usize>,
}

impl Content {
    /// Opens a file of any kind, or a column of a ctable. A pipe is refused: it cannot be read in part.
    pub(super) fn open(operand: &PathOrStdio, column: Option<&str>, cancel: &Cancel) -> Result<Content> {
        if let Some(what) = sequential(operand) {
            bail!("'{operand}' is {what}, and advice needs parts from all over a file; name a file");
        }
        let source = array::open(operand, column, cancel)?;
        let is_container = source.is_directory() || kind_of_file(source.bytes()).is_some();
        let typing = Typing::new().raw(!is_container);
        let array =
            Array::open_with(source, &OpenOptions::new().typing(typing)).with_context(|| operand.to_string())?;
        if array.archive().nbytes() == 0 {
            bail!("{operand}: there is nothing to advise on: the file is empty");
        }
        let typesize = typesize(array.archive());
        Ok(Content { array, is_container, typesize })
    }

    pub(super) fn nbytes(&self) -> u64 {
        self.array.archive().nbytes()
    }

    /// Returns the ranges of the pieces: whole chunks, evenly spaced.
    pub(super) fn pieces(&self) -> Vec<Range<u64>> {
        spread(self.nbytes(), PIECE, PIECES)
    }

    pub(super) fn read(&self, range: Range<u64>) -> Result<Vec<u8>> {
        Ok(self.array.archive().read_range(range)?)
    }
}

/// Returns the size of an item of an array. A size that a chunk cannot store is unknown.
fn typesize(archive: &Archive<'_>) -> Option<usize> {
    archive.numpy().and_then(|meta| usize::try_from(meta.dtype.itemsize()).ok()).filter(|size| (1..=255).contains(size))
}

/// Describes an operand that can only be read front to back.
fn sequential(operand: &PathOrStdio) -> Option<&'static str> {
    match operand {
        PathOrStdio::Standard => Some("stdin"),
        PathOrStdio::Url(_) => None,
        PathOrStdio::File(path) => {
            let found = path.metadata().ok().filter(|found| !found.is_file() && !found.is_dir());
            found.map(|_| "a pipe or device")
        }
    }
}
