//! Facts in the header of a chunk, checked as C-Blosc2 does before it looks at the rest.
//!
//! ```text
//! 0        1          2      3         4       8          12      16
//! | version| versionlz| flags| typesize| nbytes| blocksize| cbytes|
//! | filters, 6 | codec | meta | filter metas, 6 | flags2 | blosc2_flags |   if flags has both shuffles
//! 16                                            30       31             32
//! ```

use super::codes::{INVALID_HEADER, READ_BUFFER, VERSION_SUPPORT, trace};
use super::super_chunk::SuperChunk;
use super::{FIRST_USER_ID, MAX_BLOCKSIZE};
use crate::engine::SMALL;

/// Size of a short header.
pub(crate) const SHORT: usize = 16;
/// Size of a long header.
pub(crate) const LONG: usize = 32;

const BOTH_SHUFFLES: u8 = 0x05;
const VL_BLOCKS: u8 = 0x01;
const LAZY: u8 = 0x08;
/// The newest version of the format, and the newest for blocks of one size.
const NEWEST: u8 = 6;
const NEWEST_FIXED: u8 = 5;

/// A header. The second half is zero if it is short, or was not read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Info([u8; LONG]);

impl Info {
    /// Checks the first 16 bytes.
    pub(crate) fn short(bytes: &[u8; SHORT]) -> Result<Info, i32> {
        let mut padded = [0; LONG];
        padded[..SHORT].copy_from_slice(bytes);
        let info = Info(padded);
        let refused =
            |what: &str, found: i32| Err(trace(INVALID_HEADER, format_args!("{what} of the chunk is {found}")));
        match info {
            _ if info.cbytes() < SHORT as i32 => refused("cbytes", info.cbytes()),
            _ if !(1..=MAX_BLOCKSIZE).contains(&info.number(8)) => refused("blocksize", info.number(8)),
            _ if info.typesize() == 0 => refused("typesize", 0),
            _ => Ok(info),
        }
    }

    /// Returns whether 32 bytes belong to the header.
    pub(crate) fn is_long(self) -> bool {
        self.0[2] & BOTH_SHUFFLES == BOTH_SHUFFLES
    }

    /// Checks that a long header is within `available` bytes and the chunk.
    pub(crate) fn check_long(self, available: usize) -> Result<(), i32> {
        if self.cbytes() < LONG as i32 {
            return Err(trace(INVALID_HEADER, format_args!("cbytes of the chunk is {}", self.cbytes())));
        }
        if available < LONG {
            return Err(trace(READ_BUFFER, format_args!("the header of the chunk has 32 bytes, found {available}")));
        }
        Ok(())
    }

    /// Adds the second half of a long header.
    pub(crate) fn long(self, bytes: &[u8; LONG]) -> Result<Info, i32> {
        let info = Info(*bytes);
        if info.version() > NEWEST && info.0[30] & !VL_BLOCKS != 0 {
            return Err(trace(VERSION_SUPPORT, format_args!("the chunk has version {}", info.version())));
        }
        Ok(info)
    }

    pub(crate) fn version(self) -> u8 {
        self.0[0]
    }

    pub(crate) fn stream_version(self) -> u8 {
        self.0[1]
    }

    pub(crate) fn flags(self) -> u8 {
        self.0[2]
    }

    pub(crate) fn typesize(self) -> i32 {
        self.0[3].into()
    }

    pub(crate) fn nbytes(self) -> i32 {
        self.number(4)
    }

    /// Returns the block size, which is at most `nbytes`.
    pub(crate) fn blocksize(self) -> i32 {
        let (nbytes, blocksize) = (self.nbytes(), self.number(8));
        if !self.has_vl_blocks() && nbytes > 0 { blocksize.min(nbytes) } else { blocksize }
    }

    pub(crate) fn cbytes(self) -> i32 {
        self.number(12)
    }

    /// Returns the number of blocks of variable length.
    pub(crate) fn vl_blocks(self) -> Option<i32> {
        self.has_vl_blocks().then(|| self.number(8))
    }

    /// Returns the number of blocks.
    pub(crate) fn nblocks(self) -> i32 {
        let whole = self.nbytes().max(0) / self.blocksize();
        self.vl_blocks().unwrap_or(whole + i32::from(self.nbytes() > whole * self.blocksize()))
    }

    pub(crate) fn has_vl_blocks(self) -> bool {
        self.0[30] & VL_BLOCKS != 0
    }

    /// Returns the byte for flags of the blocks, 0 in a short header.
    pub(crate) fn block_flags(self) -> u8 {
        if self.is_long() { self.0[30] } else { 0 }
    }

    /// Returns whether an index of a frame expresses the chunk: zeros, not-a-numbers, or bytes that were never written.
    pub(crate) fn is_special(self) -> bool {
        self.is_long() && matches!(self.0[31] >> 4 & 7, 1 | 2 | 4)
    }

    /// Reads the header at the start of `chunk`, which has all its bytes.
    pub(crate) fn of(chunk: &[u8]) -> Result<Info, i32> {
        let info = Info::short(chunk.first_chunk().ok_or(READ_BUFFER)?)?;
        if !info.is_long() {
            return Ok(info);
        }
        info.check_long(chunk.len())?;
        info.long(chunk.first_chunk().ok_or(READ_BUFFER)?)
    }

    /// Returns whether the header names a codec or a filter that only a program can have.
    pub(crate) fn has_user_ids(self) -> bool {
        self.is_long() && self.0[16..23].iter().any(|id| i32::from(*id) >= FIRST_USER_ID)
    }

    /// Returns whether a filter needs facts of the super-chunk.
    pub(crate) fn needs_super_chunk(self) -> bool {
        self.is_long() && SuperChunk::is_needed_by(&self.0[16..22], &self.0[24..30])
    }

    /// Returns whether the blocks of the chunk are in a file.
    pub(crate) fn is_lazy(self) -> bool {
        self.0[31] & LAZY != 0
    }

    /// Returns the newest known version with the same meaning, for a chunk of a later one that uses nothing new.
    pub(crate) fn older_version(self) -> Option<u8> {
        let version = if self.has_vl_blocks() { NEWEST } else { NEWEST_FIXED };
        (self.version() > NEWEST).then_some(version)
    }

    fn number(self, at: usize) -> i32 {
        number(&self.0, at)
    }
}

/// The sizes of a chunk of at least 32 and at most [`SMALL`] uncompressed bytes.
///
/// They are read from the chunk, not from a copy of its header as [`Info`] has: a copy made of parts would stall its next
/// reader.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SmallChunk {
    pub(crate) cbytes: usize,
    pub(crate) nbytes: usize,
    pub(crate) typesize: i32,
}

impl SmallChunk {
    /// Returns the sizes of a chunk that is within `available` bytes and fits into `room` bytes. `None` for any other
    /// chunk, and for a header that [`Info`] refuses.
    #[inline]
    pub(crate) fn of(header: &[u8; SHORT], available: usize, room: usize) -> Option<SmallChunk> {
        // A negative number is a huge one.
        let size = |at| number(header, at) as u32 as usize;
        let (nbytes, blocksize, cbytes) = (size(4), size(8), size(12));
        let typesize = i32::from(header[3]);
        // One jump each: of conditions that are joined, the compiler forgets what follows for the sizes, and checks them again.
        if nbytes == 0 || nbytes > SMALL || nbytes > room {
            return None;
        }
        if cbytes < LONG || cbytes > available {
            return None;
        }
        let is_valid = (1..=MAX_BLOCKSIZE as usize).contains(&blocksize) && typesize > 0 && header[0] <= NEWEST;
        is_valid.then_some(SmallChunk { cbytes, nbytes, typesize })
    }
}

/// Returns whether the blocks of a chunk are in a file.
#[inline]
pub(crate) fn is_lazy(chunk: &[u8]) -> bool {
    chunk
        .first_chunk()
        .is_some_and(|header: &[u8; LONG]| header[2] & BOTH_SHUFFLES == BOTH_SHUFFLES && header[31] & LAZY != 0)
}

/// Returns the block size of a chunk that this library made. `None` if there are no 16 bytes.
pub(crate) fn blocksize_of(chunk: &[u8]) -> Option<i32> {
    let header: &[u8; SHORT] = chunk.first_chunk()?;
    let (nbytes, blocksize) = (number(header, 4), number(header, 8));
    Some(if nbytes > 0 { blocksize.min(nbytes) } else { blocksize })
}

fn number<const N: usize>(header: &[u8; N], at: usize) -> i32 {
    i32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_headers_have_codes() {
        let chunk = blosc_core::compress(&[7; 1000], &blosc_core::CParams::blosc2()).unwrap();
        let short = |bytes: &[u8]| Info::short(bytes.first_chunk().unwrap());
        let changed = |at: usize, to: u8| {
            let mut chunk = chunk.clone();
            chunk[at] = to;
            chunk
        };
        let info = short(&chunk).unwrap();
        assert!(info.is_long());
        assert_eq!((info.nbytes(), info.cbytes() as usize), (1000, chunk.len()));
        assert_eq!(info.check_long(31), Err(READ_BUFFER));
        assert_eq!(short(&changed(3, 0)).map(|_| ()), Err(INVALID_HEADER));
        assert_eq!(short(&changed(15, 0x80)).map(|_| ()), Err(INVALID_HEADER));
        assert_eq!(short(&changed(11, 0x80)).map(|_| ()), Err(INVALID_HEADER));
        let later = changed(0, 7);
        let later = short(&later).unwrap().long(later.first_chunk().unwrap()).unwrap();
        assert_eq!(later.older_version(), Some(5));
        let mut unknown = changed(30, 2);
        assert!(short(&unknown).unwrap().long(unknown.first_chunk().unwrap()).is_ok());
        unknown[0] = 7;
        let unknown = short(&unknown).unwrap().long(unknown.first_chunk().unwrap());
        assert_eq!(unknown.map(|_| ()), Err(VERSION_SUPPORT));
    }
}
