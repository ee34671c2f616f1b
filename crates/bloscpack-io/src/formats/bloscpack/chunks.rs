//! Reading the chunks of a bloscpack file from front to back.
//!
//! This is how the format defines its content: chunk after chunk, each with its own size. The offsets are only a
//! shortcut, and a file whose offsets are wrong still holds its data.

use std::io::Read;

use blosc_core::{Chunk, Decoder, Header as ChunkHeader, Limits};
use bloscpack_format::bloscpack::Header;
use bloscpack_format::checksum::{Checksum, Digest};

use crate::Error;
use crate::error::ChunkDigestMismatch;
use crate::source::counted::Counted;

/// The chunks of a bloscpack file, one after the other.
pub(crate) struct Chunks<'a, R> {
    input: Counted<R>,
    header: &'a Header,
    number: u64,
    /// `nbytes` of the chunk before.
    before: Option<u64>,
    limits: Limits,
}

/// A chunk as it was found; its bytes are in the caller's buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundChunk {
    pub(crate) number: u64,
    pub(crate) offset: u64,
    /// Whether it is the last one, as far as the header says how many there are.
    pub(crate) last: bool,
    pub(crate) nbytes: u64,
    pub(crate) cbytes: u64,
    pub(crate) digest: Digest,
}

/// A chunk of which only the header has been read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkStart {
    number: u64,
    pub(crate) offset: u64,
    digest_size: usize,
    pub(crate) nbytes: u64,
    pub(crate) cbytes: u64,
}

impl ChunkStart {
    /// Reads the header of the chunk where `input` stands, to `bytes`, which is replaced. `None` at the end of the input.
    pub(crate) fn read<R: Read>(
        input: &mut Counted<R>,
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

    /// Where the chunk's digest ends.
    pub(crate) fn end(&self) -> u64 {
        self.offset + self.cbytes + self.digest_size as u64
    }

    /// Refuses a chunk that ends after the file, which has `len` bytes.
    pub(crate) fn check_end(&self, len: u64) -> Result<(), Error> {
        if self.end() <= len {
            return Ok(());
        }
        let (offset, what) = (self.offset, format!("chunk {}", self.number));
        Err(Error::Truncated { offset, what, needed: self.end() - offset, found: len.saturating_sub(offset) })
    }

    /// Reads the rest of the chunk to `bytes`, behind the header, and its digest.
    pub(crate) fn read_body<R: Read>(
        &self,
        input: &mut Counted<R>,
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
        let cut_off = |input: &Counted<R>| {
            input.cut_off(self.offset, self.end() - self.offset, &format!("chunk {}", self.number))
        };
        Digest::from_stored(digest).filter(|_| whole).ok_or_else(|| cut_off(input))
    }
}

impl<'a, R: Read> Chunks<'a, R> {
    /// `input` stands at the first chunk.
    pub(crate) fn new(input: Counted<R>, header: &'a Header, limits: &Limits) -> Self {
        Chunks { input, header, number: 0, before: None, limits: *limits }
    }

    /// The next chunk, its bytes to `bytes`, which is replaced. `None` behind the last one.
    pub(crate) fn next(&mut self, bytes: &mut Vec<u8>) -> Result<Option<FoundChunk>, Error> {
        let Some(start) = self.next_start(bytes)? else { return Ok(None) };
        let digest = start.read_body(&mut self.input, &self.limits, bytes)?;
        self.count(&start);
        let ChunkStart { number, offset, nbytes, cbytes, .. } = start;
        let last = self.header.nchunks == Some(self.number);
        Ok(Some(FoundChunk { number, offset, last, nbytes, cbytes, digest }))
    }

    /// The header of the next chunk, to `bytes`; it is to be followed by the chunk's body, or by [`Chunks::passed`].
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
            // Without a number of chunks, the end of the file is theirs; but there is at least one.
            None if self.header.nchunks.is_none() && number > 0 => {
                self.check_end()?;
                Ok(None)
            }
            None => Err(self.input.cut_off(offset, ChunkHeader::LEN as u64, &format!("chunk {number}"))),
        }
    }

    /// Goes on behind the chunk `start`, where `input` stands.
    pub(crate) fn passed(&mut self, start: &ChunkStart, input: Counted<R>) {
        self.count(start);
        self.input = input;
    }

    fn count(&mut self, start: &ChunkStart) {
        self.number += 1;
        self.before = Some(start.nbytes);
    }

    /// Where the input stands.
    pub(crate) fn position(&self) -> u64 {
        self.input.position()
    }

    /// Compares a chunk's size with what the header says: all but the last have `chunk_size`, that one `last_chunk`.
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
            // Which one is the last is known only afterwards: another chunk shows that the one before was not.
            (None, Some(expected)) => match self.before {
                Some(before) if before != expected => mismatch(self.number - 1, before, expected),
                _ if found > expected => mismatch(self.number, found, expected),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// At the end of a file that does not say how many chunks it has.
    fn check_end(&self) -> Result<(), Error> {
        match (self.before, self.header.last_chunk.map(u64::from)) {
            (Some(found), Some(expected)) if found != expected => {
                Err(Error::ChunkSize { chunk: self.number - 1, offset: self.input.position(), found, expected })
            }
            _ => Ok(()),
        }
    }

    /// Refuses more data after the last chunk; how many bytes follow it that are none.
    pub(crate) fn finish(mut self) -> Result<u64, Error> {
        let offset = self.input.position();
        refuse_more(&mut self.input, self.header, self.number, &self.limits)?;
        self.input.skip(u64::MAX)?;
        Ok(self.input.position() - offset)
    }
}

/// Refuses a chunk or a bloscpack file after the last of `nchunks` chunks, where `input` stands. A shorter chunk written over a
/// longer one leaves some of the old bytes, which mean nothing. Another whole chunk shows that the header counts too few, and
/// another file that the two were put together. A chunk beyond the limits is not read.
pub(crate) fn refuse_more<R: Read>(
    input: &mut Counted<R>,
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

/// Whether a whole chunk decodes.
fn is_decoded(chunk: &[u8], limits: &Limits) -> bool {
    Chunk::parse(chunk).and_then(|chunk| Decoder::new().limits(*limits).decompress(&chunk)).is_ok()
}

/// Compares the digest that was found after a chunk with that of its bytes.
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
