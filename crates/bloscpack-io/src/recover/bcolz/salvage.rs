//! Salvages the readable rows of one carray, chunk by chunk.

use std::collections::BTreeSet;

use blosc_core::{Chunk, Decoder, Limits, memory};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{
    ChunkFileHeader, DATA_DIR, Dtype, SIZES_FILE, STORAGE_FILE, Sizes, Storage, chunk_file_name, chunk_file_number,
};

use crate::formats::bcolz::carray::Meta;
use crate::formats::bcolz::metadata_budget::MetadataBudget;
use crate::formats::bcolz::store::Directory;
use crate::formats::bcolz::store::read_attrs;
use crate::formats::bcolz::write::Column;
use crate::options::Gaps;
use crate::recover::lost::LostPart;
use crate::recover::report::{Lost, LostReason, or_lost};
use crate::recover::report_budget::ReportBudget;
use crate::source::ReadDirectory;
use crate::{Cancel, Error, RecoverOptions};

/// Counts of the chunks of a carray, or of all columns.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// Undamaged chunks.
    pub(super) kept: u64,
    /// All chunks of the damaged carray, as far as their number is known.
    pub(super) total: u64,
}

impl Counts {
    pub(super) fn add(&mut self, more: Counts) {
        self.kept = self.kept.saturating_add(more.kept);
        self.total = self.total.saturating_add(more.total);
    }
}

/// A damaged carray and its metadata, as far as readable.
pub(super) struct Damaged<'a> {
    dir: &'a dyn ReadDirectory,
    /// The metadata for all rows that can exist.
    pub(super) meta: Meta,
    pub(super) attrs: bloscpack_format::bcolz::Attrs,
    pub(super) lost: Vec<Lost>,
    /// The number of rows, if known.
    len: Option<u64>,
    limits: Limits,
}

impl<'a> Damaged<'a> {
    /// Reads the metadata. Without `meta/storage` it is unknown what a row is.
    pub(super) fn open(dir: &'a dyn ReadDirectory, budget: &mut MetadataBudget) -> Result<Self, Error> {
        let (mut lost, limits) = (Vec::new(), budget.limits);
        let storage = budget.read(dir, STORAGE_FILE, Storage::parse)?;
        let attrs = or_lost(read_attrs(dir, &limits), LostPart::Attributes, &mut lost)?;
        let known = budget
            .read(dir, SIZES_FILE, Sizes::parse)
            .and_then(|sizes| Meta::new(storage.clone(), sizes).map_err(|error| error.in_file(dir.name(SIZES_FILE))));
        let (meta, len) = match known {
            Ok(meta) => {
                let len = meta.rows.len();
                (meta, Some(len))
            }
            Err(error) => {
                lost.push(Lost::unreadable(LostPart::RowCount, error)?);
                let (atom_shape, sure) = atom_shape(dir, &storage)?;
                if !sure {
                    lost.push(LostPart::RowShape { atom_shape: atom_shape.clone() }.into());
                }
                let sizes = Sizes::new([&[0], atom_shape.as_slice()].concat());
                (Meta::new(storage, sizes)?, None)
            }
        };
        Ok(Damaged { dir, meta, attrs, lost, len, limits })
    }

    /// Copies the readable rows into a new carray. A chunk is decoded before its rows are trusted.
    pub(super) fn copy_to<D: Directory>(
        &mut self,
        new: &mut Column<D>,
        options: &RecoverOptions,
        report_budget: &mut ReportBudget,
    ) -> Result<Counts, Error> {
        let cancel = &options.cancel;
        let chunklen = self.meta.rows.chunklen();
        let there: BTreeSet<u64> = numbers(self.dir)?.into_iter().collect();
        let behind_last = there.last().map_or(0, |last| last.saturating_add(1));
        let rows_before = |chunk: u64| chunk.saturating_mul(chunklen);
        // `end` is the end of the range of possible chunks. Without `meta/sizes` it is the first missing chunk file.
        let (end, missing) = match self.len {
            Some(len) => {
                let end = len.div_ceil(chunklen).min(behind_last);
                (end, rows_before(end)..len)
            }
            None => {
                let end = (0..).zip(&there).take_while(|(number, found)| number == *found).count() as u64;
                (end, rows_before(end)..rows_before(behind_last))
            }
        };
        let fill = options.gaps == Gaps::Fill && self.meta.storage.dtype != Dtype::Object;
        if fill {
            // Each existing file is stored as a name at least.
            report_budget.add(end, &self.dir.name(&chunk_file_name(end)), there.len() as u64)?;
        }
        let mut counts = Counts { kept: 0, total: self.len.map_or(behind_last, |len| len.div_ceil(chunklen)) };
        for chunk in 0..end {
            cancel.check()?;
            let first = rows_before(chunk);
            let wanted = self.len.map(|len| len.saturating_sub(first).min(chunklen));
            let is_last = chunk + 1 == end;
            let (rows, bytes, error) = self.standing(chunk, cancel)?;
            // Without `meta/sizes`, the last chunk may have any number of rows.
            let wanted = wanted.unwrap_or(if is_last && error.is_none() { rows } else { chunklen });
            if rows >= wanted {
                new.append_file(&bytes, wanted)?;
                counts.kept += 1;
                continue;
            }
            if rows > 0 {
                // These rows are not a whole chunk any more.
                new.append_file(&bytes, rows)?;
            }
            let reason = error.map_or(LostReason::RowCount { found: rows, expected: wanted }, LostReason::from);
            // If the number of rows is unknown, the array ends after the last undamaged chunk.
            let filled = fill && !(is_last && self.len.is_none());
            let part = LostPart::Rows { chunk, rows: first + rows..first + wanted, filled };
            self.lost.push(Lost::because(part, reason));
            if !filled {
                let after = first + wanted..missing.end.max(rows_before(end).min(self.len.unwrap_or(u64::MAX)));
                self.lost.extend((!after.is_empty()).then(|| LostPart::FollowingRows { rows: after }.into()));
                return Ok(counts);
            }
            new.fill(first + wanted)?;
        }
        self.lost.extend((!missing.is_empty()).then(|| LostPart::MissingRows { rows: missing }.into()));
        Ok(counts)
    }

    /// Returns the number of readable rows of a chunk, its file, and its error.
    fn standing(&self, chunk: u64, cancel: &Cancel) -> Result<(u64, Vec<u8>, Option<Error>), Error> {
        match self.read(chunk, cancel) {
            Ok((rows, bytes)) => Ok((rows, bytes, None)),
            Err(error) if error.is_cancelled() => Err(Error::Cancelled),
            Err(error) => Ok((0, Vec::new(), Some(error.unless_out_of_memory()?))),
        }
    }

    fn read(&self, chunk: u64, cancel: &Cancel) -> Result<(u64, Vec<u8>), Error> {
        let chunklen = self.meta.rows.chunklen();
        // The chunk may have any number of rows up to a full chunk.
        let rows = self.meta.rows.with_len(chunk.saturating_mul(chunklen)).map_err(FormatError::from)?;
        let limits = self.limits;
        let meta = Meta { rows, ..self.meta.clone() };
        let path = meta.chunk_file(chunk);
        let decode = || -> Result<(u64, Vec<u8>), Error> {
            let bytes = meta.read_chunk_file(self.dir, &path, chunk, &limits)?;
            let refuse = |source| Error::Chunk { chunk, offset: ChunkFileHeader::LEN as u64, source };
            let parsed = Chunk::parse(&bytes).map_err(refuse)?;
            let mut decoder = Decoder::new().limits(limits).cancel(cancel.clone());
            let found = decoder.decompress(&parsed).map_err(refuse)?.len() as u64;
            let atomsize = rows.atomsize();
            let count = if self.meta.storage.dtype == Dtype::Object { 1 } else { found / atomsize };
            if self.meta.storage.dtype != Dtype::Object && !found.is_multiple_of(atomsize) {
                return Err(Error::NotRows { found, atomsize, rows: None });
            }
            let mut file = memory::with_capacity(ChunkFileHeader::LEN + bytes.len())?;
            file.extend_from_slice(&ChunkFileHeader::NEW.to_bytes());
            file.extend_from_slice(&bytes);
            Ok((count, file))
        };
        decode().map_err(|error| error.in_file(self.dir.name(&path)))
    }
}

/// Lists the numbers of the existing chunk files.
fn numbers(dir: &dyn ReadDirectory) -> Result<Vec<u64>, Error> {
    match dir.list(DATA_DIR) {
        Ok(names) => Ok(names.iter().filter_map(|name| chunk_file_number(name)).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::io("listing")(error).in_file(dir.name(DATA_DIR))),
    }
}

/// Returns the axes within a row, and whether they are certain. They follow from the size of the first chunk that can
/// be valid and that another chunk follows, because such a chunk is full. They are certain for a row of one item.
fn atom_shape(dir: &dyn ReadDirectory, storage: &Storage) -> Result<(Vec<u64>, bool), Error> {
    if storage.dtype == Dtype::Object {
        return Ok((Vec::new(), true));
    }
    let mut numbers = numbers(dir)?;
    numbers.sort_unstable();
    let Some((1.., full)) = numbers.split_last() else { return Ok((Vec::new(), false)) };
    let nbytes = |number: &u64| -> Option<u64> {
        let file = dir.open(&chunk_file_name(*number)).ok()?;
        let mut head = [0; blosc_core::Header::EXTENDED_LEN];
        let room = file.len().ok()?.checked_sub(ChunkFileHeader::LEN as u64)?;
        let head = head.get_mut(..room.min(blosc_core::Header::EXTENDED_LEN as u64) as usize)?;
        file.read_exact_at(ChunkFileHeader::LEN as u64, head).ok()?;
        let header = blosc_core::Header::parse(head).ok()?;
        (header.cbytes() as u64 <= room).then_some(header.nbytes() as u64)
    };
    let full_chunk = storage.chunklen.checked_mul(storage.dtype.itemsize());
    let items = full.iter().find_map(nbytes).and_then(|nbytes| nbytes.checked_div(full_chunk?));
    match items {
        Some(0 | 1) => Ok((Vec::new(), true)),
        Some(items) => Ok((vec![items], false)),
        None => Ok((Vec::new(), false)),
    }
}
