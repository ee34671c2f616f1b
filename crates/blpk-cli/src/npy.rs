//! `.npy` files as containers: their plain bytes are the file without its header.

use crate::kind::prefix;
use anyhow::{Context as _, Result, anyhow, bail};
use bloscpack_format::numpy::{NumpyMeta, npy};
use bloscpack_io::ReadAt as _;
use std::fs::File;
use std::io::Write;
use std::ops::Range;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 20;

/// An open `.npy` file whose array is all there.
#[derive(Debug)]
pub(crate) struct Npy {
    file: File,
    len: u64,
    meta: NumpyMeta,
    data_at: u64,
    nbytes: u64,
}

impl Npy {
    /// Reads the header and compares what it promises with the length of the file.
    pub(crate) fn open(file: File) -> Result<Npy> {
        let len = file.len().context("reading the file")?;
        let mut needed = 128;
        let (meta, data_at) = loop {
            let head = prefix(&file, needed).context("reading the file")?;
            match npy::parse(&head) {
                Ok(parsed) => break parsed,
                // A header is asked for in steps, and has a limit that the parser watches.
                Err(error) => match error.bytes_needed().and_then(|bytes| usize::try_from(bytes).ok()) {
                    Some(more) if more > head.len() && head.len() == needed => needed = more,
                    _ => return Err(error.into()),
                },
            }
        };
        let nbytes = meta.nbytes().ok_or_else(|| anyhow!("the array is too large"))?;
        let (data_at, found) = (data_at as u64, len.saturating_sub(data_at as u64));
        if found != nbytes {
            bail!("offset {data_at}: the array takes {nbytes} bytes, but {found} are there");
        }
        Ok(Npy { file, len, meta, data_at, nbytes })
    }

    /// What the array is.
    pub(crate) fn meta(&self) -> &NumpyMeta {
        &self.meta
    }

    /// Bytes of the array.
    pub(crate) fn nbytes(&self) -> u64 {
        self.nbytes
    }

    /// Bytes of the file.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Writes a range of the array's bytes.
    pub(crate) fn copy_range(&self, range: Range<u64>, output: &mut impl Write) -> Result<()> {
        if range.end > self.nbytes {
            bail!("bytes {}..{} are not within 0..{}", range.start, range.end, self.nbytes);
        }
        let (mut at, mut piece) = (range.start, vec![0; PIECE]);
        while at < range.end {
            piece.truncate(usize::try_from(range.end - at).unwrap_or(usize::MAX));
            self.read(at, &mut piece)?;
            output.write_all(&piece).context("writing the output")?;
            at += piece.len() as u64;
        }
        output.flush().context("writing the output")
    }

    /// Reads some of the array's bytes, from `at` on.
    pub(crate) fn read(&self, at: u64, bytes: &mut [u8]) -> Result<()> {
        self.file.read_exact_at(self.data_at.saturating_add(at), bytes).context("reading the file")
    }
}
