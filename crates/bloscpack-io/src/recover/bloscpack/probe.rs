//! Tests for an undamaged chunk at a position of a damaged file, and detects the checksum of the chunks.

use std::fs::File;

use blosc_core::{Chunk, DecodeError, Decoder, Header as ChunkHeader, Limits};
use bloscpack_format::checksum::Checksum;

use crate::recover::report::LostReason;
use crate::source::Sequential;
use crate::source::counting::CountingReader;
use crate::{Cancel, Error};

/// An undamaged chunk.
#[derive(Debug, Clone)]
pub(super) struct IntactChunk {
    pub(super) at: u64,
    pub(super) nbytes: u32,
    pub(super) cbytes: u32,
    /// The end of its digest.
    pub(super) end: u64,
    /// The reason if it could not be checked.
    pub(super) unchecked: Option<LostReason>,
}

/// A chunk header that can be valid, and the bytes that it declares as the chunk.
struct Candidate {
    header: ChunkHeader,
    bytes: Vec<u8>,
    /// The bytes after the chunk, where its digest is.
    stored: Vec<u8>,
}

/// The result of decoding a chunk.
#[derive(Debug)]
pub(super) enum Decoded {
    Whole,
    /// This build does not have the chunk's codec or filter, which the reason names.
    Unchecked(LostReason),
    Damaged,
}

/// The budget of a search: inspected positions and candidate reads may take this many times the length of the file,
/// plus [`SPARE`] bytes. A hostile file can contain many candidates that share bytes.
const TIMES: u64 = 8;
const SPARE: u64 = 64 << 20;
/// Number of bytes searched for candidates when the checksum is detected.
const SAMPLE: u64 = 4 << 20;
/// Maximum number of candidates when the checksum is detected.
const CANDIDATES: usize = 64;
/// Number of bytes that a search reads at a time.
const WINDOW: u64 = 1 << 16;
/// The length of the longest digest.
const MAX_DIGEST: u64 = 64;

/// A search for chunks in a file.
pub(super) struct Probe<'a> {
    pub(super) source: &'a File,
    pub(super) len: u64,
    pub(super) limits: Limits,
    pub(super) cancel: &'a Cancel,
    checksum: Checksum,
    /// The maximum uncompressed size of a chunk, if known.
    largest: Option<u32>,
    decoder: Decoder,
    /// The remaining budget for reading candidates, in bytes.
    budget: u64,
}

/// Possible positions of chunks, and the checksum that they should have.
pub(super) struct Hints<'a> {
    pub(super) first_chunk: Option<u64>,
    /// Entries of the offsets section, unchecked.
    pub(super) offsets: &'a [i64],
    /// No chunk starts before this position.
    pub(super) start: u64,
    pub(super) checksum: Checksum,
}

impl<'a> Probe<'a> {
    pub(super) fn new(source: &'a File, len: u64, limits: Limits, cancel: &'a Cancel) -> Probe<'a> {
        let budget = len.saturating_mul(TIMES).saturating_add(SPARE);
        let decoder = Decoder::new().limits(limits.max_nbytes(usize::MAX)).cancel(cancel.clone());
        Probe { source, len, limits, cancel, checksum: Checksum::None, largest: None, decoder, budget }
    }

    /// Sets the checksum and the maximum uncompressed size of chunks from now on.
    pub(super) fn expect(&mut self, checksum: Checksum, largest: Option<u32>) {
        (self.checksum, self.largest) = (checksum, largest);
    }

    pub(super) fn digest_size(&self) -> u64 {
        self.checksum.digest_size() as u64
    }

    /// Returns whether the budget is spent, so that the search ended early.
    pub(super) fn is_spent(&self) -> bool {
        self.budget == 0
    }

    /// Charges one inspected position. Returns whether more are allowed.
    pub(super) fn spend(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(ChunkHeader::LEN as u64);
        !self.is_spent()
    }

    fn read(&self, at: u64, len: u64) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        CountingReader::starting_at(Sequential::within(self.source, at, self.len), at).append(len, &mut bytes)?;
        Ok(bytes)
    }

    /// Like [`Probe::read`], for candidates. Unreadable bytes contain no chunk.
    fn peek(&self, at: u64, len: u64) -> Result<Vec<u8>, Error> {
        match self.read(at, len) {
            Ok(bytes) => Ok(bytes),
            Err(error) => error.unless_out_of_memory().map(|_| Vec::new()),
        }
    }

    /// Returns the chunk header at a position if it can be valid and the chunk ends within the file.
    pub(super) fn header(&self, at: u64) -> Result<Option<ChunkHeader>, Error> {
        Ok(self.accept(at, &self.peek(at, ChunkHeader::LEN as u64)?))
    }

    fn accept(&self, at: u64, bytes: &[u8]) -> Option<ChunkHeader> {
        let header = ChunkHeader::parse_blosc1(bytes).ok()?;
        let fits = at.checked_add(header.cbytes() as u64).is_some_and(|end| end <= self.len);
        let is_small = self.largest.is_none_or(|largest| header.nbytes() <= largest as usize);
        (fits && is_small).then_some(header)
    }

    /// Returns the compressed bytes of a candidate, and up to `digest` following bytes as its digest.
    fn candidate(&mut self, at: u64, digest: u64) -> Result<Option<Candidate>, Error> {
        self.cancel.check()?;
        if !self.spend() {
            return Ok(None);
        }
        let Some(header) = self.header(at)? else { return Ok(None) };
        let (nbytes, cbytes) = (header.nbytes() as u64, header.cbytes() as u64);
        let allowed = self.limits.check_chunk(nbytes).is_ok()
            && self.limits.check_memory("a chunk", Limits::chunk_memory(nbytes, cbytes)).is_ok();
        if !allowed || self.budget < cbytes {
            self.budget = if allowed { 0 } else { self.budget };
            return Ok(None);
        }
        self.budget -= cbytes;
        let mut bytes = self.peek(at, cbytes + digest)?;
        let stored = bytes.split_off((cbytes as usize).min(bytes.len()));
        Ok(Some(Candidate { header, bytes, stored }))
    }

    /// Returns the undamaged chunk at a position, if there is one.
    pub(super) fn whole(&mut self, at: u64) -> Result<Option<IntactChunk>, Error> {
        let size = self.digest_size();
        let Some(Candidate { header, bytes, stored }) = self.candidate(at, size)? else { return Ok(None) };
        let is_cut = (stored.len() as u64) < size;
        let unchecked = if is_cut || self.checksum == Checksum::None {
            match self.decode(&bytes)? {
                // The file ends within its digest.
                Decoded::Whole if is_cut => Some(LostReason::CutDigest),
                Decoded::Whole => None,
                Decoded::Unchecked(why) => Some(why),
                Decoded::Damaged => return Ok(None),
            }
        } else if self.checksum.digest(&bytes).as_ref() == stored {
            None
        } else {
            return Ok(None);
        };
        // Both sizes of a chunk are less than 2 GiB.
        let (nbytes, cbytes) = (header.nbytes() as u32, header.cbytes() as u32);
        Ok(Some(IntactChunk { at, nbytes, cbytes, end: at + u64::from(cbytes) + stored.len() as u64, unchecked }))
    }

    /// Decodes a chunk.
    ///
    /// # Errors
    /// [`Error::Cancelled`] and [`Error::OutOfMemory`], which say nothing about the chunk.
    pub(super) fn decode(&mut self, bytes: &[u8]) -> Result<Decoded, Error> {
        use DecodeError::{Cancelled, CodecUnavailable, OutOfMemory, UnregisteredCodec};
        let mut plain = Vec::new();
        match Chunk::parse(bytes).and_then(|chunk| self.decoder.decompress_to(&chunk, &mut plain)) {
            Ok(()) => Ok(Decoded::Whole),
            Err(error @ (UnregisteredCodec { .. } | CodecUnavailable { .. })) => Ok(Decoded::Unchecked(error.into())),
            Err(Cancelled) => Err(Error::Cancelled),
            Err(OutOfMemory(error)) => Err(error.into()),
            Err(_) => Ok(Decoded::Damaged),
        }
    }

    /// Reads the compressed bytes of a chunk that was found.
    pub(super) fn bytes(&self, found: &IntactChunk) -> Result<Vec<u8>, Error> {
        self.read(found.at, found.cbytes.into())
    }

    /// Returns the first position in a part of the file where an undamaged chunk starts.
    pub(super) fn search(&mut self, from: u64, to: u64) -> Result<Option<u64>, Error> {
        let mut at = from;
        while at < to && !self.is_spent() {
            for candidate in self.candidates(at, to.min(at.saturating_add(WINDOW)))? {
                if self.whole(candidate)?.is_some() {
                    return Ok(Some(candidate));
                }
            }
            at = at.saturating_add(WINDOW);
        }
        Ok(None)
    }

    /// Returns the positions in a part of the file where a chunk header can be.
    fn candidates(&self, from: u64, to: u64) -> Result<Vec<u64>, Error> {
        self.cancel.check()?;
        let bytes = self.peek(from, to.saturating_sub(from).saturating_add(ChunkHeader::LEN as u64 - 1))?;
        let heads = (from..to).zip(bytes.windows(ChunkHeader::LEN));
        Ok(heads.filter(|(at, head)| self.accept(*at, head).is_some()).map(|(at, _)| at).collect())
    }

    /// Detects the checksum of the file's chunks and the uncompressed size of one of them. Returns `None` if no chunk
    /// is valid under any checksum.
    pub(super) fn decide(&mut self, hints: &Hints<'_>) -> Result<(Option<Checksum>, Option<u32>), Error> {
        let mut places: Vec<u64> = hints.first_chunk.into_iter().collect();
        places.extend(hints.offsets.iter().filter_map(|at| u64::try_from(*at).ok()).take(CANDIDATES));
        places.extend(self.candidates(hints.start, self.len.min(hints.start.saturating_add(SAMPLE)))?);
        places.dedup();
        let stated = hints.checksum;
        let mut order = vec![stated];
        order.extend(Checksum::ALL.into_iter().filter(|checksum| *checksum != stated));
        order.retain(|checksum| *checksum != Checksum::None);
        let mut decoded = None;
        for at in places.into_iter().take(2 * CANDIDATES) {
            let Some(Candidate { header, bytes, stored }) = self.candidate(at, MAX_DIGEST)? else { continue };
            let nbytes = Some(header.nbytes() as u32);
            let matches = |checksum: &&Checksum| {
                stored.get(..checksum.digest_size()).is_some_and(|stored| checksum.digest(&bytes).as_ref() == stored)
            };
            if let Some(checksum) = order.iter().find(matches) {
                return Ok((Some(*checksum), nbytes));
            }
            // Without digests, another chunk or the end of the file follows directly.
            let end = at + header.cbytes() as u64;
            if decoded.is_none()
                && (end == self.len || self.header(end)?.is_some())
                && !matches!(self.decode(&bytes)?, Decoded::Damaged)
            {
                decoded = Some((Some(Checksum::None), nbytes));
            }
        }
        Ok(decoded.unwrap_or((None, None)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_chunk_is_not_damaged() {
        let source = tempfile::tempfile().unwrap();
        let chunk = blosc_core::compress(&[7; 1000], &blosc_core::CParams::new()).unwrap();
        let cancel = Cancel::new();
        let mut probe = Probe::new(&source, 0, Limits::new(), &cancel);
        assert!(matches!(probe.decode(&chunk).unwrap(), Decoded::Whole));
        assert!(matches!(probe.decode(&chunk[..20]).unwrap(), Decoded::Damaged));
        cancel.cancel();
        assert!(matches!(probe.decode(&chunk), Err(Error::Cancelled)));
        assert!(matches!(probe.decode(&chunk[..20]).unwrap(), Decoded::Damaged));
    }
}
