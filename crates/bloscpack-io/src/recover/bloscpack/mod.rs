//! Salvages a damaged bloscpack file. The damage may be in the header, metadata, offsets or chunks, or the file is cut
//! off.
//!
//! ```text
//! head ──► decide the checksum ──► scan: chunks and gaps ──► number them ──► write a whole file
//! ```
//!
//! | file | content |
//! |---|---|
//! | `head` | header, metadata and offsets, as far as they can be read |
//! | `probe` | whether a whole chunk is at a position, and which checksum the file has |
//! | `scan` | all chunks of the file, and the gaps between them |
//! | `number` | which chunk numbers the gaps had |
//! | `write` | the new file |
//!
//! A chunk counts as undamaged if its digest matches, or, in a file without digests, if it decodes. After a damaged
//! chunk the scan continues at the first of these positions where it finds an undamaged chunk:
//!
//! - the end that the damaged chunk's header states
//! - the next entry of the offsets section
//! - the next byte where an undamaged chunk starts

mod head;
mod number;
mod probe;
mod scan;
mod write;

use std::fs::File;
use std::path::Path;

use self::head::Head;
use self::probe::Probe;
use super::report::RecoverReport;
use crate::{Error, ReadAt as _, RecoverOptions};

/// Writes the undamaged chunks of a bloscpack file to a new one.
pub(super) fn recover(source: &File, output: &Path, options: &RecoverOptions) -> Result<RecoverReport, Error> {
    let RecoverOptions { limits, ref cancel, overwrite, .. } = *options;
    let len = source.len().map_err(Error::reading)?;
    let mut lost = Vec::new();
    let mut head = Head::read(source, len, &limits, &mut lost)?;
    let mut probe = Probe::new(source, len, limits, cancel);
    head.settle(&mut probe, &mut lost)?;
    let pieces = scan::scan(&head, &mut probe)?;
    if pieces.chunks().next().is_none() {
        return Err(Error::NoChunks);
    }
    let slots = number::number(&head, pieces, &mut lost);
    write::write(&head, &mut probe, &slots, (output, overwrite), lost)
}
