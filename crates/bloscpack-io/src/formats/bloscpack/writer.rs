//! A writer that packs the bytes written to it to a bloscpack file.

use std::fmt;
use std::io::{self, BufWriter, Seek, Write};

use blosc_core::{Encoder, memory};

use crate::choice::Choice;
use crate::formats::bloscpack::chunk_run::Packed;
use crate::formats::bloscpack::content::{chunk_run, plain_checksum};
use crate::formats::bloscpack::front::Front;
use crate::formats::bloscpack::pack::{create_spool, fill_front, spooled_chunk_size, unspool};
use crate::fs::spool::Spool;
use crate::read_back::Digesting;
use crate::{Error, PackOptions, PackReport, Threads};

/// Maximum number of plain bytes that wait for the worker threads, unless a single chunk is larger.
const MAX_BATCH: usize = 32 << 20;

/// Packs the bytes written to it, and writes the bloscpack file to another writer.
///
/// Written bytes are buffered up to two chunks per thread, but at most 32 MiB or one chunk. Then the threads of
/// [`PackOptions::threads`] compress them while `write` waits. The file is byte-identical to that of
/// [`pack`](crate::pack).
///
/// [`PackWriter::finish`] completes the file. Dropping the writer without it leaves an unusable output: empty, or
/// without the last chunks and the offsets. For a file that appears complete or not at all, write to an
/// [`AtomicFile`](crate::AtomicFile) and commit it last:
///
/// ```
/// use std::io::Write;
/// use bloscpack_io::{AtomicFile, PackOptions, PackWriter};
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("lines.blp");
/// let mut file = AtomicFile::create(&path, false)?;
/// let mut writer = PackWriter::new(&mut file, None, &PackOptions::new().typesize(1))?;
/// for number in 0..1000 {
///     writeln!(writer, "line {number}")?;
/// }
/// let report = writer.finish()?;
/// file.commit()?;
/// assert_eq!(report.nbytes, 8890);
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
///
/// `write` returns errors as an [`io::Error`] with an [`Error`] inside. After a failure to compress or to write, all
/// further calls fail. `flush` flushes the output but compresses nothing, because chunks have a fixed size.
/// [`PackOptions::overwrite`] and [`PackOptions::verify`] have no effect here, as for [`pack`](crate::pack) to a
/// writer.
pub struct PackWriter<W: Write> {
    output: W,
    options: PackOptions,
    target: Target<W>,
    /// Announced number of bytes, if it is known.
    size: Option<u64>,
    /// Number of bytes written so far.
    taken: u64,
    chunk_size: u32,
    /// Bytes that are not compressed yet: at most `batch`.
    pending: Vec<u8>,
    batch: usize,
    packed: Packed,
    choice: Choice,
    plain: Digesting<io::Sink>,
    failed: bool,
}

/// The destination of chunks.
enum Target<W> {
    /// An unnamed temporary file, because the header contains the number of chunks.
    Spool(BufWriter<Spool>),
    /// The output, after the header. The function writes what was not known before the chunks.
    Output(Box<Front>, FillFront<W>),
}

type FillFront<W> = fn(Front, &Packed, &mut W, &PackOptions) -> Result<Front, Error>;

impl<W: Write> PackWriter<W> {
    /// Starts a file on an output that is written sequentially. `size` is the number of bytes that will be written, if
    /// it is known. If it is known and there are no offsets, chunks are written to the output immediately. Otherwise
    /// they are kept in an unnamed temporary file until [`PackWriter::finish`], because the header contains their
    /// number.
    ///
    /// # Errors
    /// [`Error::Encode`], [`Error::Argument`] and [`Error::PackParams`] for parameters out of range; [`Error::Io`].
    pub fn new(mut output: W, size: Option<u64>, options: &PackOptions) -> Result<Self, Error> {
        check(options)?;
        match size {
            Some(size) if !options.offsets => {
                let front = start(&mut output, size, options)?;
                PackWriter::with_target(
                    output,
                    Target::Output(Box::new(front), |front, _, _, _| Ok(front)),
                    Some(size),
                    options,
                )
            }
            _ => PackWriter::with_target(output, Target::Spool(create_spool()?), size, options),
        }
    }

    fn with_target(output: W, target: Target<W>, size: Option<u64>, options: &PackOptions) -> Result<Self, Error> {
        let chunk_size = match &target {
            Target::Spool(_) => spooled_chunk_size(options)?,
            Target::Output(front, _) => front.plan.chunk_size,
        };
        let chunk_size = chunk_size.max(1);
        let chunks = match &options.threads {
            Threads::Serial => 1,
            threads => threads.count().saturating_mul(2),
        };
        let whole = (MAX_BATCH / chunk_size as usize).clamp(1, chunks.max(1));
        Ok(PackWriter {
            output,
            options: options.clone(),
            target,
            size,
            taken: 0,
            chunk_size,
            pending: Vec::new(),
            batch: whole * chunk_size as usize,
            packed: Packed::default(),
            choice: Choice::new(options.params, options.auto),
            plain: Digesting::new(io::sink(), plain_checksum(options)),
            failed: false,
        })
    }

    /// Compresses the remaining bytes, completes the output and flushes it.
    ///
    /// # Errors
    /// [`Error::InputChanged`] if fewer bytes were written than announced; [`Error::Io`], also if writing failed
    /// before; [`Error::Cancelled`]. After an error, the output is unusable.
    pub fn finish(mut self) -> Result<PackReport, Error> {
        self.check_usable()?;
        if let Some(expected) = self.size.filter(|size| *size > self.taken) {
            return Err(Error::InputChanged { expected, found: self.taken });
        }
        self.compress(true)?;
        let PackWriter { mut output, options, target, packed, plain, .. } = self;
        let front = match target {
            Target::Spool(spool) => unspool(spool, &packed, &mut output, &options)?,
            Target::Output(front, fill_front) => fill_front(*front, &packed, &mut output, &options)?,
        };
        output.flush().map_err(Error::writing)?;
        Ok(PackReport::new(front, &packed, plain.finish()))
    }

    /// Takes bytes from `buf`, at least one unless it is empty. Returns their number.
    fn take(&mut self, buf: &[u8]) -> Result<usize, Error> {
        self.check_usable()?;
        if let Some(len) = self.size {
            let (start, end) = (self.taken, self.taken.saturating_add(buf.len() as u64));
            if end > len {
                return Err(Error::Range { unit: "bytes", start, end, len });
            }
        }
        // Compress only when more bytes arrive. Then these chunks are known not to be the last ones.
        if self.pending.len() == self.batch && !buf.is_empty() {
            self.compress(false)?;
        }
        let buf = buf.get(..self.batch - self.pending.len()).unwrap_or(buf);
        memory::extend(&mut self.pending, buf)?;
        self.plain.write_all(buf).map_err(Error::writing)?;
        self.taken += buf.len() as u64;
        Ok(buf.len())
    }

    /// Compresses and writes the chunks that are pending.
    fn compress(&mut self, is_end: bool) -> Result<(), Error> {
        // Reset on success. After an error, some of the chunks may have been written.
        self.failed = true;
        let run = chunk_run(&self.options, self.chunk_size, Some(self.pending.len() as u64));
        let (packed, choice, pending) = (&mut self.packed, &mut self.choice, self.pending.as_slice());
        match &mut self.target {
            Target::Spool(spool) => run.extend(packed, choice, pending, spool, is_end)?,
            Target::Output(..) => run.extend(packed, choice, pending, &mut self.output, is_end)?,
        }
        self.pending.clear();
        self.failed = false;
        Ok(())
    }

    fn check_usable(&self) -> Result<(), Error> {
        match self.failed {
            true => Err(Error::writing(io::Error::other("an earlier write failed"))),
            false => Ok(()),
        }
    }
}

impl<W: Write + Seek> PackWriter<W> {
    /// Starts a file on an output that can seek and is at position 0, such as an empty file. Chunks are written to it
    /// immediately. [`PackWriter::finish`] writes their offsets. `size` is the number of bytes that will be written.
    ///
    /// # Errors
    /// As [`PackWriter::new`].
    pub fn seekable(mut output: W, size: u64, options: &PackOptions) -> Result<Self, Error> {
        check(options)?;
        let front = start(&mut output, size, options)?;
        PackWriter::with_target(output, Target::Output(Box::new(front), fill_front), Some(size), options)
    }
}

/// Refuses invalid parameters early, before bytes are buffered or written.
fn check(options: &PackOptions) -> Result<(), Error> {
    Front::new(options, 0)?;
    Encoder::new(options.params)?;
    Ok(())
}

/// Writes the parts before the chunks of `size` bytes.
fn start(output: &mut impl Write, size: u64, options: &PackOptions) -> Result<Front, Error> {
    let front = Front::new(options, size)?;
    front.write(output, &[], options)?;
    Ok(front)
}

impl<W: Write> Write for PackWriter<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        Ok(self.take(buf)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.check_usable()?;
        match &self.target {
            // Nothing has been written to the output yet.
            Target::Spool(_) => Ok(()),
            Target::Output(..) => self.output.flush(),
        }
    }
}

impl<W: Write> fmt::Debug for PackWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PackWriter { size, taken, chunk_size, failed, .. } = self;
        let mut fields = f.debug_struct("PackWriter");
        fields.field("size", size).field("taken", taken).field("chunk_size", chunk_size).field("failed", failed);
        fields.finish_non_exhaustive()
    }
}
