//! The steps that commit the changes of a carray, or of all columns of a ctable, and their order.

use bloscpack_format::bcolz::{JournalStep, SizesChange};

use super::attrs::AttrsEdit;
use super::chunks::Chunks;
use super::meta::MetaEdit;
use super::staging::Change;
use super::subdirectory::Subdirectory;
use crate::Error;
use crate::formats::bcolz::store::Directory;

/// The steps that commit the changes of one carray. All new files are written.
#[derive(Debug)]
pub(super) struct Prepared {
    /// Whether there are at least as many rows as before.
    grown: bool,
    /// Chunks that are replaced.
    chunks: Vec<JournalStep>,
    /// Whether readers notice the replaced chunks. They do not if a chunk only has more rows than `meta/sizes` counts.
    chunks_visible: bool,
    sizes: Option<(JournalStep, SizesChange)>,
    /// Whether the number of rows changes.
    sizes_visible: bool,
    attrs: Option<JournalStep>,
    /// Chunk files that are no longer needed.
    removed: Vec<JournalStep>,
}

impl Prepared {
    /// Stages metadata and attributes, after all chunks were written.
    pub(super) fn stage<D: Directory>(
        dir: &Subdirectory<D>,
        meta: &mut MetaEdit,
        chunks: &Chunks,
        attrs: &AttrsEdit,
    ) -> Result<Self, Error> {
        chunks.sync_later(dir);
        Ok(Prepared {
            grown: meta.len() >= meta.committed_rows().len(),
            chunks: chunks.moves(dir),
            chunks_visible: meta.is_changed(),
            removed: chunks.removals(dir, meta.rows().nchunks()),
            sizes_visible: meta.is_resized(),
            sizes: meta.stage(dir, chunks.has_staged())?,
            attrs: attrs.stage(dir)?,
        })
    }
}

/// Joins the changes of all columns and other steps to one change.
///
/// If rows are added, chunks come before `meta/sizes`, and `meta/sizes` of the first column comes last, because its
/// length is that of the table. If rows are removed, the order is the opposite one.
pub(super) fn together(columns: Vec<Prepared>, others: Vec<JournalStep>) -> Change {
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
