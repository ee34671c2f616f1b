//! Packing for programs that push: a writer that takes plain bytes and makes a bloscpack file of them.

use std::fmt;
use std::io::{self, BufWriter, Seek, Write};

use blosc_core::{Encoder, memory};
use bloscpack_format::bloscpack::ChunkPlan;

use crate::formats::bloscpack::chunk_run::Packed;
use crate::formats::bloscpack::front::Front;
use crate::formats::bloscpack::pack::{
    chunk_run, create_spool, fill_offsets, plain_checksum, spooled_chunk_size, unspool,
};
use crate::fs::spool::Spool;
use crate::read_back::Digesting;
use crate::{Error, PackOptions, PackReport, Threads};

/// Plain bytes that wait for the worker threads at most, if a chunk has no more.
const MAX_BATCH: usize = 32 << 20;

/// Packs what is written to it to another writer.
///
/// Written bytes are collected until there are two chunks for each thread, at most 32 MiB or one chunk. Then the threads of
/// [`PackOptions::threads`] compress them, while `write` waits. The file is the same, byte for byte, as that of
/// [`pack`](crate::pack).
///
/// [`PackWriter::finish`] completes the file. A writer that is dropped without it compresses nothing more, and leaves an
/// output that is not to be used: empty, or without its last chunks and its offsets. For a file that appears whole or not at
/// all, write to an [`AtomicFile`](crate::AtomicFile) and commit that last:
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
/// Errors come out of `write` as an [`io::Error`] with an [`Error`] inside. After a failure to compress or to write, all that
/// follows fails. `flush` flushes the output, but compresses nothing: chunks have a fixed size. [`PackOptions::overwrite`] and
/// [`PackOptions::verify`] mean nothing here, as for [`pack`](crate::pack).
pub struct PackWriter<W: Write> {
    output: W,
    options: PackOptions,
    target: Target<W>,
    /// Bytes that have to be written, if that is known.
    size: Option<u64>,
    /// Bytes that were written so far.
    taken: u64,
    chunk_size: u32,
    /// Bytes that are not compressed yet: at most `batch`.
    pending: Vec<u8>,
    batch: usize,
    packed: Packed,
    plain: Digesting<io::Sink>,
    failed: bool,
}

/// Where chunks go.
enum Target<W> {
    /// To a temporary file without a name, because the header counts them.
    Spool(BufWriter<Spool>),
    /// To the output, after the header. The function fills in their offsets.
    Output(Box<Front>, FillOffsets<W>),
}

type FillOffsets<W> = fn(&Front, &Packed, &mut W, &PackOptions) -> Result<(), Error>;

impl<W: Write> PackWriter<W> {
    /// Starts a file on an output that is written front to back. `size` is the number of bytes that will be written, if it is
    /// known: then, without offsets, chunks go to the output as they come. Else they wait in a temporary file without a name
    /// until [`PackWriter::finish`], because the header counts them.
    ///
    /// # Errors
    /// [`Error::Encode`], [`Error::Format`] and [`Error::PackParams`] for parameters out of range; [`Error::Io`].
    pub fn new(mut output: W, size: Option<u64>, options: &PackOptions) -> Result<Self, Error> {
        check(options)?;
        match size {
            Some(size) if !options.offsets => {
                let front = start(&mut output, size, options)?;
                PackWriter::with_target(
                    output,
                    Target::Output(Box::new(front), |_, _, _, _| Ok(())),
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
            plain: Digesting::new(io::sink(), plain_checksum(options)),
            failed: false,
        })
    }

    /// Compresses what is left, completes the output and flushes it.
    ///
    /// # Errors
    /// [`Error::InputChanged`] if fewer bytes were written than announced; [`Error::Io`], also if writing failed before;
    /// [`Error::Cancelled`]. The output is then not to be used.
    pub fn finish(mut self) -> Result<PackReport, Error> {
        self.check_usable()?;
        if let Some(expected) = self.size.filter(|size| *size > self.taken) {
            return Err(Error::InputChanged { expected, found: self.taken });
        }
        self.compress(true)?;
        let PackWriter { mut output, options, target, packed, plain, .. } = self;
        let front = match target {
            Target::Spool(spool) => unspool(spool, &packed, &mut output, &options)?,
            Target::Output(front, fill_offsets) => {
                fill_offsets(&front, &packed, &mut output, &options)?;
                *front
            }
        };
        output.flush().map_err(Error::writing)?;
        Ok(PackReport::new(front, &packed, plain.finish()))
    }

    /// Takes bytes of `buf`, at least one if there is one, and returns how many.
    fn take(&mut self, buf: &[u8]) -> Result<usize, Error> {
        self.check_usable()?;
        if let Some(len) = self.size {
            let (start, end) = (self.taken, self.taken.saturating_add(buf.len() as u64));
            if end > len {
                return Err(Error::Range { unit: "bytes", start, end, len });
            }
        }
        // Only when more comes, for then the chunks are known not to be the last ones.
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
        // Until it has succeeded: some of the chunks may have been written.
        self.failed = true;
        let run = chunk_run(&self.options, self.chunk_size, Some(self.pending.len() as u64));
        let (packed, pending) = (&mut self.packed, self.pending.as_slice());
        match &mut self.target {
            Target::Spool(spool) => run.extend(packed, pending, spool, is_end)?,
            Target::Output(..) => run.extend(packed, pending, &mut self.output, is_end)?,
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
    /// Starts a file on an output that can be gone back in and is at its start, as an empty file: chunks go to it as they
    /// come, and their offsets are filled in by [`PackWriter::finish`]. `size` is the number of bytes that will be written.
    ///
    /// # Errors
    /// As [`PackWriter::new`].
    pub fn seekable(mut output: W, size: u64, options: &PackOptions) -> Result<Self, Error> {
        check(options)?;
        let front = start(&mut output, size, options)?;
        PackWriter::with_target(output, Target::Output(Box::new(front), fill_offsets), Some(size), options)
    }
}

/// Refuses parameters that would be refused only after much has been written.
fn check(options: &PackOptions) -> Result<(), Error> {
    Front::new(options, ChunkPlan::new(0, options.chunk_size)?)?;
    Encoder::new(options.params)?;
    Ok(())
}

/// Writes what stands in front of the chunks of `size` bytes.
fn start(output: &mut impl Write, size: u64, options: &PackOptions) -> Result<Front, Error> {
    let front = Front::new(options, ChunkPlan::new(size, options.chunk_size)?)?;
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
            // The output has not been written to.
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
