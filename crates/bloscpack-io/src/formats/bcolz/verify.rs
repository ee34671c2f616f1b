//! Verifies a carray or ctable file by file, and reports all damage rather than only the first error.

use std::collections::BTreeSet;
use std::io;

use blosc_core::{Chunk, Decoder};
use bloscpack_format::Format;
use bloscpack_format::bcolz::{
    DATA_DIR, ROOTDIRS_FILE, RootDirs, SIZES_FILE, STORAGE_FILE, Sizes, Storage, chunk_file_name, chunk_file_number,
};

use super::carray::Carray;
use super::replayed::Moves;
use super::root::format_of;
use super::store::Below;
use super::store::{read_attrs, read_meta};
use crate::run::pipeline;
use crate::run::pipeline::Weight;
use crate::source::ReadDirectory;
use crate::{Error, OpenOptions, UnpackOptions};

/// The result of verifying.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct VerifyReport {
    /// All errors, each with its file.
    pub faults: Vec<Error>,
    /// Number of columns of a table; 1 for an array.
    pub columns: u64,
    /// Number of intact chunks.
    pub chunks: u64,
    /// Number of plain bytes in intact chunks.
    pub nbytes: u64,
    /// Number of compressed bytes in intact chunks, without the headers of their files.
    pub cbytes: u64,
    /// Chunk files without rows of the array: leftovers from when it had more rows, or written before `meta/sizes` when
    /// a writer was killed. They are valid.
    pub spare_files: Vec<String>,
}

impl VerifyReport {
    /// Returns whether there are no errors.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.faults.is_empty()
    }
}

/// Checks a directory completely: its metadata and attributes, and each chunk by decoding it. For a table, also checks
/// that the columns have the same length.
///
/// # Errors
/// [`Error::NotBcolz`], [`Error::Cancelled`], and [`Error::InFile`] if the kind of directory cannot be determined. All
/// other errors are faults in the report.
pub fn verify(dir: &impl ReadDirectory, options: &UnpackOptions) -> Result<VerifyReport, Error> {
    let mut report = VerifyReport::default();
    let moves = Moves::read(dir, &options.limits).unwrap_or_else(|error| {
        report.faults.push(error);
        Moves::default()
    });
    let dir = &moves.on(dir);
    match format_of(dir).map_err(|error| Error::io("opening")(error).in_file(dir.name("")))? {
        Some(Format::Ctable) => ctable(dir, options, &mut report)?,
        Some(Format::Carray) => {
            carray(dir, options, &mut report)?;
        }
        _ => return Err(Error::NotBcolz { directory: dir.name("") }),
    }
    Ok(report)
}

fn ctable(dir: &dyn ReadDirectory, options: &UnpackOptions, report: &mut VerifyReport) -> Result<(), Error> {
    report.faults.extend(read_attrs(dir, &options.limits).err());
    let names = match read_meta(dir, ROOTDIRS_FILE, (&options.limits, 1), RootDirs::parse) {
        Ok(rootdirs) => rootdirs.names,
        Err(error) => {
            report.faults.push(error);
            return Ok(());
        }
    };
    let mut expected = None;
    for name in &names {
        let column = Below::new(dir, name);
        // If the journal cannot be read, opening the column reports it.
        let column = Moves::read(&column, &options.limits).unwrap_or_default().on(column);
        let Some(found) = carray(&column, options, report)? else {
            continue;
        };
        let expected = *expected.get_or_insert(found);
        if found != expected {
            report.faults.push(Error::ColumnLength { column: dir.name(name), found, expected });
        }
    }
    Ok(())
}

/// Checks a carray. Returns its number of rows, if it is known.
fn carray(dir: &dyn ReadDirectory, options: &UnpackOptions, report: &mut VerifyReport) -> Result<Option<u64>, Error> {
    report.columns += 1;
    report.faults.extend(read_attrs(dir, &options.limits).err());
    let carray = match Carray::open_with(dir, &OpenOptions::new().limits(options.limits)) {
        Ok(carray) => carray,
        Err(error) => {
            // If `meta/storage` is damaged, `meta/sizes` was not checked yet.
            let storage_is_whole = read_meta(dir, STORAGE_FILE, (&options.limits, 1), Storage::parse).is_ok();
            let sizes = read_meta(dir, SIZES_FILE, (&options.limits, 1), Sizes::parse);
            report.faults.push(error);
            report.faults.extend(sizes.err().filter(|_| !storage_is_whole));
            return Ok(None);
        }
    };
    let rows = *carray.rows();
    let there = match numbers(dir) {
        Ok(there) => there,
        // An array without rows needs no data directory.
        Err(error) if error.kind() == io::ErrorKind::NotFound && rows.is_empty() => BTreeSet::new(),
        Err(source) => {
            report.faults.push(Error::io("listing")(source).in_file(dir.name(DATA_DIR)));
            return Ok(Some(rows.len()));
        }
    };
    report.spare_files.extend(there.range(rows.nchunks()..).map(|number| dir.name(&chunk_file_name(*number))));
    missing(dir, &there, rows.nchunks(), report);
    chunks(&carray, there.range(..rows.nchunks()).copied(), options, report)?;
    Ok(Some(rows.len()))
}

/// Returns the numbers of the existing chunk files.
fn numbers(dir: &dyn ReadDirectory) -> io::Result<BTreeSet<u64>> {
    Ok(dir.list(DATA_DIR)?.iter().filter_map(|name| chunk_file_number(name)).collect())
}

/// Reports missing chunk files. A run of them is one fault, because damaged metadata can claim any number of chunks.
fn missing(dir: &dyn ReadDirectory, there: &BTreeSet<u64>, nchunks: u64, report: &mut VerifyReport) {
    let mut next = 0;
    for number in there.range(..nchunks).copied().chain([nchunks]) {
        if number > next {
            report.faults.push(Error::MissingChunks { file: dir.name(&chunk_file_name(next)), chunks: next..number });
        }
        next = number.saturating_add(1);
    }
}

/// Decodes chunks and reports the error of each.
fn chunks<D: ReadDirectory>(
    carray: &Carray<D>,
    mut numbers: impl Iterator<Item = u64>,
    options: &UnpackOptions,
    report: &mut VerifyReport,
) -> Result<(), Error> {
    let (dir, meta) = (&carray.dir, &carray.meta);
    // The decoded bytes are discarded, so `max_nbytes` does not apply.
    let limits = options.limits.max_nbytes(usize::MAX);
    let weigh = |number: &u64| {
        Weight::of_chunk(meta.nbytes_in_memory(*number), &options.threads, &limits, || meta.cbytes_of(dir, *number))
    };
    pipeline::run_within(
        (&limits, &weigh),
        &options.threads,
        &options.cancel,
        || Ok((Decoder::new().limits(limits).cancel(options.cancel.clone()), Vec::new())),
        || Ok(numbers.next()),
        |(decoder, plain): &mut (Decoder, Vec<u8>), number| {
            let decoded = meta.fetch(dir, number, &options.limits).and_then(|bytes| {
                let chunk = Chunk::parse(&bytes);
                let decoded = chunk.and_then(|chunk| decoder.decompress_to(&chunk, plain));
                let refuse = |source| Error::Chunk { chunk: number, offset: super::chunk::AT, source };
                decoded.map_err(|source| refuse(source).in_file(dir.name(&meta.chunk_file(number))))?;
                Ok((plain.len() as u64, bytes.len() as u64))
            });
            Ok(decoded)
        },
        |decoded| {
            match decoded {
                Ok((nbytes, cbytes)) => {
                    report.chunks += 1;
                    report.nbytes += nbytes;
                    report.cbytes += cbytes;
                }
                Err(error) if error.is_cancelled() => return Err(error),
                Err(error) => report.faults.push(error),
            }
            Ok(())
        },
    )
}
