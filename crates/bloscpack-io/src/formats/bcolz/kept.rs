//! What may metadata take that are kept together: those of all columns of a table?

use blosc_core::Limits;
use bloscpack_format::FormatError;

use super::settled::Moves;
use super::store::read_small;
use crate::Error;
use crate::source::ReadDirectory;

/// Metadata that were read and are kept. Each file may be as large as the limits say; but many columns, or links to one, are
/// not to take many times as much together.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) limits: Limits,
    nbytes: u64,
}

impl Kept {
    /// Nothing yet.
    pub(crate) fn new(limits: Limits) -> Kept {
        Kept { limits, nbytes: 0 }
    }

    /// A file of metadata.
    ///
    /// # Errors
    /// [`Error::InFile`], also with [`Error::Limit`] if it is too much with what is kept already.
    pub(crate) fn read<T>(
        &mut self,
        dir: &dyn ReadDirectory,
        path: &str,
        parse: impl FnOnce(&[u8]) -> Result<T, FormatError>,
    ) -> Result<T, Error> {
        let read = || {
            let bytes = read_small(dir, path, &self.limits, 1)?;
            self.add(bytes.len() as u64)?;
            Ok(parse(&bytes)?)
        };
        read().map_err(|error: Error| error.in_file(dir.name(path)))
    }

    /// What is left to be done in a directory.
    ///
    /// # Errors
    /// As [`Moves::read`]; [`Error::Limit`].
    pub(crate) fn read_moves(&mut self, dir: &dyn ReadDirectory) -> Result<Moves, Error> {
        let moves = Moves::read(dir, &self.limits)?;
        self.add(moves.weight())?;
        Ok(moves)
    }

    /// All are to be kept as values within the memory that there is, however large one of them may be.
    fn add(&mut self, nbytes: u64) -> Result<(), Error> {
        self.nbytes = self.nbytes.saturating_add(nbytes);
        Ok(self.limits.max_metadata(usize::MAX).check_metadata(self.nbytes, 1)?)
    }
}
