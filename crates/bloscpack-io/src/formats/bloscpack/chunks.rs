//! Reads the chunks of a bloscpack file sequentially.
//!
//! The format defines its content in this way: chunk after chunk, each with its own size. The offsets are only a
//! shortcut. A file with wrong offsets still contains all its data.

use std::io::Read;

use blosc_core::{Chunk, Decoder, Header as ChunkHeader, Limits};
use bloscpack_format::bloscpack::Header;
use bloscpack_format::checksum::{Checksum, Digest};

use crate::Error;
use crate::error::ChunkDigestMismatch;
use crate::source::counting::CountingReader;

/// Reads the chunks of a bloscpack file one after the other.
pub(crate) struct Chunks<'a, R> {
    input: CountingReader<R>,
    header: &'a Header,
    number: u64,
    /// `nbytes` of the previous chunk.
    before: Option<u64>,
    limits: Limits,
}

/// A chunk that was read. Its bytes are in the caller's buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundChunk {
    pub(crate) number: u64,
    pub(crate) offset: u64,
    /// Whether it is the last chunk according to the header. False if the header does not contain the number of chunks.
    pub(crate) last: bool,
    pub(crate) nbytes: u64,
    pub(crate) cbytes: u64,
    pub(crate) digest: Digest,
}

/// A chunk with only its header read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkStart {
    number: u64,
    pub(crate) offset: u64,
    digest_size: usize,
    pub(crate) nbytes: u64,
    pub(crate) cbytes: u64,
}

impl ChunkStart {
    /// Reads a chunk header at the current position of `input` and replaces `bytes` with it. Returns `None` at the end
    /// of the input.
    pub(crate) fn read<R: Read>(
        input: &mut CountingReader<R>,
        header: &Header,
        number: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<Option<ChunkStart>, Error> {
        bytes.clear();
        let (offset, len) = (input.position(), ChunkHeader::LEN as u64);
        match input.append(len, bytes)? {
            0 => return Ok(None),
            found if found < len => return Err(input.cut_off(offset, len, &format!("chunk {number}"))),
            _ => {}
        }
        let chunk =
            ChunkHeader::parse_blosc1(bytes).map_err(|source| Error::Chunk { chunk: number, offset, source })?;
        let (nbytes, cbytes) = (chunk.nbytes() as u64, chunk.cbytes() as u64);
        Ok(Some(ChunkStart { number, offset, digest_size: header.checksum.digest_size(), nbytes, cbytes }))
    }

    /// Returns the offset after the digest of the chunk.
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.cbytes + self.digest_size as u64
    }

    /// Refuses a chunk that ends past the end of the file, which has `len` bytes.
    pub(crate) fn check_end(&self, len: u64) -> Result<(), Error> {
        if self.end() <= len {
            return Ok(());
        }
        let (offset, what) = (self.offset, format!("chunk {}", self.number));
        Err(Error::Truncated { offset, what, needed: self.end() - offset, found: len.saturating_sub(offset) })
    }

    /// Appends the rest of the chunk to its header in `bytes`. Returns the digest.
    pub(crate) fn read_body<R: Read>(
        &self,
        input: &mut CountingReader<R>,
        limits: &Limits,
        bytes: &mut Vec<u8>,
    ) -> Result<Digest, Error> {
        limits.check_memory("the compressed bytes of a chunk", self.cbytes).map_err(|over| Error::Chunk {
            chunk: self.number,
            offset: self.offset,
            source: over.into(),
        })?;
        let missing = self.cbytes - bytes.len() as u64;
        let mut digest = [0; 64];
        let digest = &mut digest[..self.digest_size];
        let whole = input.append(missing, bytes)? == missing && input.fill(digest)? == self.digest_size;
        let cut_off = |input: &CountingReader<R>| {
            input.cut_off(self.offset, self.end() - self.offset, &format!("chunk {}", self.number))
        };
        Digest::from_stored(digest).filter(|_| whole).ok_or_else(|| cut_off(input))
    }
}

impl<'a, R: Read> Chunks<'a, R> {
    /// Starts reading. `input` must be at the first chunk.
    pub(crate) fn new(input: CountingReader<R>, header: &'a Header, limits: &Limits) -> Self {
        Chunks { input, header, number: 0, before: None, limits: *limits }
    }

    /// Reads the next chunk and replaces `bytes` with it. Returns `None` after the last chunk.
    pub(crate) fn next(&mut self, bytes: &mut Vec<u8>) -> Result<Option<FoundChunk>, Error> {
        let Some(start) = self.next_start(bytes)? else { return Ok(None) };
        let digest = start.read_body(&mut self.input, &self.limits, bytes)?;
        self.count(&start);
        let ChunkStart { number, offset, nbytes, cbytes, .. } = start;
        let last = self.header.nchunks == Some(self.number);
        Ok(Some(FoundChunk { number, offset, last, nbytes, cbytes, digest }))
    }

    /// Reads the header of the next chunk to `bytes`. The caller must then read the chunk's body or call
    /// [`Chunks::passed`].
    pub(crate) fn next_start(&mut self, bytes: &mut Vec<u8>) -> Result<Option<ChunkStart>, Error> {
        let (number, offset) = (self.number, self.input.position());
        if self.header.nchunks == Some(number) {
            return Ok(None);
        }
        match ChunkStart::read(&mut self.input, self.header, number, bytes)? {
            Some(start) => {
                self.check_size(offset, start.nbytes)?;
                Ok(Some(start))
            }
            // If the header does not contain the number of chunks, they extend to the end of the file. There is at
            // least one.
            None if self.header.nchunks.is_none() && number > 0 => {
                self.check_end()?;
                Ok(None)
            }
            None => Err(self.input.cut_off(offset, ChunkHeader::LEN as u64, &format!("chunk {number}"))),
        }
    }

    /// Continues after the chunk `start`. `input` must be at its end.
    pub(crate) fn passed(&mut self, start: &ChunkStart, input: CountingReader<R>) {
        self.count(start);
        self.input = input;
    }

    fn count(&mut self, start: &ChunkStart) {
        self.number += 1;
        self.before = Some(start.nbytes);
    }

    /// Returns the current position of the input.
    pub(crate) fn position(&self) -> u64 {
        self.input.position()
    }

    /// Compares the size of a chunk with the header: `last_chunk` for the last chunk, `chunk_size` for all others.
    fn check_size(&self, offset: u64, found: u64) -> Result<(), Error> {
        let chunk_size = self.header.chunk_size.map(u64::from);
        let mismatch = |chunk, found, expected| Err(Error::ChunkSize { chunk, offset, found, expected });
        match (self.header.nchunks, chunk_size) {
            (Some(nchunks), Some(expected)) if self.number + 1 < nchunks && found != expected => {
                mismatch(self.number, found, expected)
            }
            (Some(nchunks), _) if self.number + 1 == nchunks => match self.header.last_chunk.map(u64::from) {
                Some(expected) if found != expected => mismatch(self.number, found, expected),
                _ => Ok(()),
            },
            // The last chunk is not known in advance. A further chunk shows that the previous one was not the last.
            (None, Some(expected)) => match self.before {
                Some(before) if before != expected => mismatch(self.number - 1, before, expected),
                _ if found > expected => mismatch(self.number, found, expected),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Checks the size of the last chunk at the end of a file whose header does not contain the number of chunks.
    fn check_end(&self) -> Result<(), Error> {
        match (self.before, self.header.last_chunk.map(u64::from)) {
            (Some(found), Some(expected)) if found != expected => {
                Err(Error::ChunkSize { chunk: self.number - 1, offset: self.input.position(), found, expected })
            }
            _ => Ok(()),
        }
    }

    /// Refuses more data after the last chunk. Returns the number of trailing bytes that are not data.
    pub(crate) fn finish(mut self) -> Result<u64, Error> {
        let offset = self.input.position();
        refuse_more(&mut self.input, self.header, self.number, &self.limits)?;
        self.input.skip(u64::MAX)?;
        Ok(self.input.position() - offset)
    }
}

/// Refuses a chunk or a bloscpack file after the last of `nchunks` chunks, at the current position of `input`. Other
/// trailing bytes are allowed: a shorter chunk written over a longer one leaves old bytes, which are unused. A whole
/// chunk means that the number of chunks in the header is too low, and a bloscpack file that two files were
/// concatenated. A chunk over the limits is not read.
pub(crate) fn refuse_more<R: Read>(
    input: &mut CountingReader<R>,
    header: &Header,
    nchunks: u64,
    limits: &Limits,
) -> Result<(), Error> {
    let offset = input.position();
    let mut rest = Vec::new();
    input.append(ChunkHeader::LEN as u64, &mut rest)?;
    if Header::parse(&rest).is_ok() || rest.starts_with(b"blpk") {
        return Err(Error::MoreData { offset, found: "another bloscpack file", nchunks });
    }
    let Ok(chunk) = ChunkHeader::parse_blosc1(&rest) else { return Ok(()) };
    let largest = header.chunk_size.map_or(u64::MAX, u64::from);
    let missing = (chunk.cbytes() - ChunkHeader::LEN) as u64;
    let (nbytes, cbytes) = (chunk.nbytes() as u64, chunk.cbytes() as u64);
    let allowed = limits.check_memory("a chunk", Limits::chunk_memory(nbytes, cbytes)).is_ok();
    let whole = allowed && nbytes <= largest && input.append(missing, &mut rest)? == missing;
    let mut digest = vec![0; header.checksum.digest_size()];
    if whole
        && input.fill(&mut digest)? == digest.len()
        && header.checksum.digest(&rest).as_ref() == digest
        && (!digest.is_empty() || is_decoded(&rest, limits))
    {
        return Err(Error::MoreData { offset, found: "another chunk", nchunks });
    }
    Ok(())
}

/// Returns whether a whole chunk can be decoded.
fn is_decoded(chunk: &[u8], limits: &Limits) -> bool {
    Chunk::parse(chunk).and_then(|chunk| Decoder::new().limits(*limits).decompress(&chunk)).is_ok()
}

/// Compares the stored digest of a chunk with that of its bytes.
pub(crate) fn check_digest(checksum: Checksum, found: &FoundChunk, bytes: &[u8]) -> Result<(), Error> {
    let FoundChunk { number: chunk, offset, digest: stored, .. } = *found;
    match checksum.digest(bytes) {
        computed if computed == stored => Ok(()),
        computed => {
            let mismatch = ChunkDigestMismatch { chunk, offset, checksum, stored, computed };
            Err(Error::ChunkDigest(Box::new(mismatch)))
        }
    }
}
