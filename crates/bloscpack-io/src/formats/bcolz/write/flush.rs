//! What makes the changes of a carray, or of all columns, true: which files get their names, in which order?

use bloscpack_format::bcolz::{
    ATTRS_FILE, Attrs, DATA_DIR, Dtype, MAX_ATTRS_LEN, PendingStep, SIZES_FILE, SizesChange, chunk_file_name,
};

use super::column::Column;
use super::staging::{Change, Staging};
use crate::Error;
use crate::formats::bcolz::store::{Directory, read_small};

/// What makes the changes of one carray true. All that is new is written.
#[derive(Debug)]
pub(super) struct Prepared {
    /// Whether there are no fewer rows.
    grown: bool,
    /// Chunks that are replaced.
    chunks: Vec<PendingStep>,
    /// Whether readers can tell: a chunk that only got more rows than `meta/sizes` says, looks the same.
    chunks_visible: bool,
    sizes: Option<(PendingStep, SizesChange)>,
    /// Whether the shape is another one.
    sizes_visible: bool,
    attrs: Option<PendingStep>,
    /// Chunk files that nobody looks at any more.
    removed: Vec<PendingStep>,
}

impl<D: Directory> Column<D> {
    /// Writes all that is new, where nobody looks yet.
    pub(super) fn prepare(&mut self) -> Result<Prepared, Error> {
        if self.tail_is_new {
            let tail = self.tail.clone().unwrap_or_default();
            self.write_chunk(self.meta.rows.full_chunks(), tail)?;
            self.tail_is_new = false;
        }
        if !self.behind.is_empty() {
            self.root.sync_later(self.dir(DATA_DIR));
        }
        let data = |chunk| self.path(&chunk_file_name(chunk));
        let chunks = self.staged.iter();
        let chunks = chunks.map(|(chunk, staged)| PendingStep::Move { from: staged.number, to: data(*chunk) });
        let nchunks = self.meta.rows.nchunks();
        Ok(Prepared {
            grown: self.len() >= self.committed.len(),
            chunks: chunks.collect(),
            chunks_visible: self.changed_from < self.committed.len(),
            // The last first, so that what is left, if that is interrupted, follows those that there are.
            removed: (nchunks..self.files).rev().map(|chunk| PendingStep::Remove { path: data(chunk) }).collect(),
            sizes_visible: self.len() != self.committed.len(),
            sizes: self.stage_sizes()?,
            attrs: self.stage_attrs()?,
        })
    }

    /// Commits this one alone.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        let prepared = self.prepare()?;
        self.root.commit(together(vec![prepared], Vec::new()))?;
        self.committed();
        Ok(())
    }

    /// A change of the attributes alone, as a step.
    fn stage_attrs(&mut self) -> Result<Option<PendingStep>, Error> {
        let Some(attrs) = self.attrs.as_ref().filter(|_| self.attrs_are_new) else { return Ok(None) };
        stage_attrs(&self.root, attrs, self.path(ATTRS_FILE)).map(Some)
    }

    fn stage_sizes(&mut self) -> Result<Option<(PendingStep, SizesChange)>, Error> {
        // Of objects nobody knows the bytes of one; bcolz counts as many as these.
        if self.meta.storage.dtype != Dtype::Object || self.len() != self.committed.len() {
            self.meta.sizes.nbytes = self.meta.rows.nbytes();
        }
        let path = self.path(SIZES_FILE);
        let before = read_small(&self.root.dir, &path, &self.root.limits, 1)
            .map_err(|error| error.in_file(self.root.dir.name(&path)))?;
        let after = self.meta.sizes.to_bytes();
        let touched = self.len() != self.committed.len() || !self.staged.is_empty();
        if !touched || before == after {
            return Ok(None);
        }
        let step = PendingStep::Move { from: self.root.stage(&after)?, to: path.clone() };
        let [before, after] = [before, after].map(|text| String::from_utf8_lossy(&text).into_owned());
        Ok(Some((step, SizesChange { path, before, after })))
    }

    /// What was prepared is true now.
    pub(super) fn committed(&mut self) {
        self.committed = self.meta.rows;
        self.changed_from = u64::MAX;
        self.staged.clear();
        self.behind.clear();
        self.files = self.meta.rows.nchunks();
        self.attrs_are_new = false;
    }
}

/// Writes attributes to a staged file that is to become `path`.
pub(super) fn stage_attrs<D: Directory>(root: &Staging<D>, attrs: &Attrs, path: String) -> Result<PendingStep, Error> {
    let bytes = attrs.to_bytes()?;
    if bytes.len() as u64 > MAX_ATTRS_LEN {
        let what = "more than 64 MiB of attributes could not be read again";
        return Err(Error::NotWritable { directory: root.dir.name(&path), what });
    }
    Ok(PendingStep::Move { from: root.stage(&bytes)?, to: path })
}

/// The changes of all columns and other steps as one change. Of rows that are more than before, chunks come before
/// `meta/sizes`, and that of the first column last, for its length is the table's; of fewer rows, the other way round.
pub(super) fn together(columns: Vec<Prepared>, others: Vec<PendingStep>) -> Change {
    let grown = columns.iter().all(|column| column.grown);
    let mut visible = others.len();
    let (mut chunks, mut lens, mut rest, mut removed, mut sizes) = (vec![], vec![], others, vec![], vec![]);
    for column in columns {
        visible += if column.chunks_visible { column.chunks.len() } else { 0 };
        chunks.extend(column.chunks);
        if let Some((step, change)) = column.sizes {
            visible += usize::from(column.sizes_visible);
            lens.push(step);
            sizes.push(change);
        }
        visible += usize::from(column.attrs.is_some());
        rest.extend(column.attrs);
        removed.extend(column.removed);
    }
    if grown {
        lens.reverse();
    }
    let (first, second) = if grown { (chunks, lens) } else { (lens, chunks) };
    let steps = [first, second, rest, removed].concat();
    Change { steps, visible, sizes }
}
