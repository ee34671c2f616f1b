//! The metadata of a carray that is being changed: its rows on the disk, and its rows after the next flush.

use std::num::NonZeroU64;
use std::ops::Range;

use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{
    ATTRS_FILE, Attrs, DATA_DIR, Dtype, JournalStep, META_DIR, Rows, SIZES_FILE, STORAGE_FILE, SizesChange, staged_name,
};

use super::subdirectory::Subdirectory;
use crate::Error;
use crate::formats::bcolz::carray::Meta;
use crate::formats::bcolz::store::{Directory, read_small};

/// Metadata with the changes since the last flush.
pub(super) struct MetaEdit {
    /// The metadata after the next flush.
    meta: Meta,
    /// The rows on the disk.
    committed: Rows,
    /// The first row on the disk that the next flush replaces or removes; `u64::MAX` if there is none.
    changed_from: u64,
}

impl MetaEdit {
    /// Starts with the metadata on the disk.
    pub(super) fn new(meta: Meta) -> Self {
        MetaEdit { committed: meta.rows, changed_from: u64::MAX, meta }
    }

    /// Writes the files of a carray without chunks. The carray exists once `meta/storage`, the last of them, does.
    pub(super) fn create<D: Directory>(dir: &Subdirectory<D>, meta: Meta, attrs: &Attrs) -> Result<Self, Error> {
        let root = dir.root();
        for name in ["", DATA_DIR, META_DIR] {
            let path = dir.dir(name);
            root.tried("creating", &path, root.dir.create_dir(&path))?;
        }
        let mut moves = Vec::new();
        for (file, bytes) in [
            (ATTRS_FILE, attrs.to_bytes()?),
            (SIZES_FILE, meta.sizes.to_bytes()),
            (STORAGE_FILE, meta.storage.to_bytes()),
        ] {
            moves.push((root.stage(&bytes)?, dir.path(file)));
        }
        root.sync()?;
        for (number, path) in moves {
            root.tried("creating", &path, root.dir.rename(&staged_name(number), &path))?;
        }
        for name in [DATA_DIR, META_DIR, ""] {
            root.sync_later(dir.dir(name));
        }
        dir.parent().into_iter().for_each(|parent| root.sync_later(parent));
        root.sync()?;
        Ok(MetaEdit::new(meta))
    }

    /// Returns the metadata after the next flush.
    pub(super) fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Returns the rows after the next flush.
    pub(super) fn rows(&self) -> Rows {
        self.meta.rows
    }

    /// Returns the rows on the disk.
    pub(super) fn committed_rows(&self) -> Rows {
        self.committed
    }

    /// Returns the number of rows after the next flush.
    pub(super) fn len(&self) -> u64 {
        self.meta.rows.len()
    }

    /// Returns whether the next flush changes the number of rows.
    pub(super) fn is_resized(&self) -> bool {
        self.len() != self.committed.len()
    }

    /// Returns whether the next flush replaces or removes rows that readers of the disk see.
    pub(super) fn is_changed(&self) -> bool {
        self.changed_from < self.committed.len()
    }

    /// Returns the number of rows in `nbytes` uncompressed bytes.
    pub(super) fn rows_in(&self, nbytes: u64) -> Result<u64, Error> {
        let (found, atomsize) = (nbytes, self.meta.rows.atomsize());
        if found.is_multiple_of(atomsize) {
            return Ok(found / atomsize);
        }
        Err(Error::NotRows { found, atomsize, rows: None })
    }

    /// Refuses `more` additional rows if there would be too many.
    pub(super) fn check_growth(&self, more: u64) -> Result<(), Error> {
        self.meta.rows.with_len(self.len().saturating_add(more)).map_err(FormatError::from)?;
        Ok(())
    }

    /// Refuses a range outside the rows, and bytes that are neither one row nor a row for each selected one.
    pub(super) fn check_rows(&self, rows: &Range<u64>, step: NonZeroU64, nbytes: u64) -> Result<(), Error> {
        let (len, atomsize) = (self.len(), self.meta.rows.atomsize());
        if rows.start > rows.end || rows.end > len {
            return Err(Error::Range { unit: "rows", start: rows.start, end: rows.end, len });
        }
        let (found, count) = (nbytes, (rows.end - rows.start).div_ceil(step.get()));
        if found != count * atomsize && found != atomsize {
            return Err(Error::NotRows { found, atomsize, rows: Some(count) });
        }
        Ok(())
    }

    /// Sets the number of rows.
    pub(super) fn set_len(&mut self, len: u64) -> Result<(), Error> {
        self.meta.rows = self.meta.rows.with_len(len).map_err(FormatError::from)?;
        if let Some(rows) = self.meta.sizes.shape.first_mut() {
            *rows = len;
        }
        Ok(())
    }

    /// Notes that rows from `row` on are replaced or removed.
    pub(super) fn change_from(&mut self, row: u64) {
        self.changed_from = self.changed_from.min(row);
    }

    /// Updates `cbytes` of `meta/sizes` approximately: a chunk of `new` compressed bytes replaces one of `old`.
    pub(super) fn count_cbytes(&mut self, new: u64, old: u64) {
        let sizes = &mut self.meta.sizes;
        sizes.cbytes = sizes.cbytes.saturating_add_unsigned(new).saturating_sub_unsigned(old);
    }

    /// Stages `meta/sizes` if it changes. It changes with the number of rows, or if chunks were replaced.
    pub(super) fn stage<D: Directory>(
        &mut self,
        dir: &Subdirectory<D>,
        has_new_chunks: bool,
    ) -> Result<Option<(JournalStep, SizesChange)>, Error> {
        // The size of a Python object is not known: bcolz's own count stays while the number of rows does.
        if self.meta.storage.dtype != Dtype::Object || self.is_resized() {
            self.meta.sizes.nbytes = self.meta.rows.nbytes();
        }
        let (root, path) = (dir.root(), dir.path(SIZES_FILE));
        let before =
            read_small(&root.dir, &path, &root.limits, 1).map_err(|error| error.in_file(root.dir.name(&path)))?;
        let after = self.meta.sizes.to_bytes();
        if !(self.is_resized() || has_new_chunks) || before == after {
            return Ok(None);
        }
        let step = JournalStep::Move { from: root.stage(&after)?, to: path.clone() };
        let [before, after] = [before, after].map(|text| String::from_utf8_lossy(&text).into_owned());
        Ok(Some((step, SizesChange { path, before, after })))
    }

    /// Notes that the staged changes were committed.
    pub(super) fn committed(&mut self) {
        (self.committed, self.changed_from) = (self.meta.rows, u64::MAX);
    }
}
