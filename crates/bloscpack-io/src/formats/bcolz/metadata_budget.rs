//! The memory budget for metadata that are held together, such as those of all columns of a table.

use blosc_core::Limits;
use bloscpack_format::FormatError;

use super::replayed::Moves;
use super::store::read_small;
use crate::Error;
use crate::source::ReadDirectory;

/// The total size of metadata that are held in memory. Limits bound each file. Without this budget, many columns, or
/// many links to one column, could use many times as much together.
#[derive(Debug)]
pub(crate) struct MetadataBudget {
    pub(crate) limits: Limits,
    nbytes: u64,
}

impl MetadataBudget {
    /// Creates an empty budget.
    pub(crate) fn new(limits: Limits) -> MetadataBudget {
        MetadataBudget { limits, nbytes: 0 }
    }

    /// Reads a metadata file and charges its size against the budget.
    ///
    /// # Errors
    /// [`Error::InFile`], also with [`Error::Limit`] if it exceeds the budget.
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

    /// Reads the moves of an interrupted change in a directory, and charges them against the budget.
    ///
    /// # Errors
    /// As [`Moves::read`]; [`Error::Limit`].
    pub(crate) fn read_moves(&mut self, dir: &dyn ReadDirectory) -> Result<Moves, Error> {
        let moves = Moves::read(dir, &self.limits)?;
        self.add(moves.weight())?;
        Ok(moves)
    }

    /// Charges `nbytes`. All metadata as values must fit into the memory limit; the limit of a single file does not
    /// apply here.
    fn add(&mut self, nbytes: u64) -> Result<(), Error> {
        self.nbytes = self.nbytes.saturating_add(nbytes);
        Ok(self.limits.max_metadata(usize::MAX).check_metadata(self.nbytes, 1)?)
    }
}
