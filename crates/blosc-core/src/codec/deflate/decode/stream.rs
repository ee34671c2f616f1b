//! The state of one stream: its blocks, and the symbols that steps do not handle.

use super::bits::{Bits, ENDS};
use super::entries::{END, EntryLayout, LitLen, Offset, literals, number};
use super::fast_path::{Cursor, WINDOW, copy};
use super::header;
use super::table::BlockTables;
use crate::codec::{CorruptStream, DecodeTask};
use crate::kernels;

const TOO_LONG: &str = "the zlib stream does not have the expected size";

pub(super) struct StreamState<'a> {
    bits: Bits<'a>,
    dst: &'a mut [u8],
    /// Uncompressed size of the stream. The rest of `dst` is scratch.
    len: usize,
    /// Number of decoded bytes.
    d: usize,
    tables: &'a mut BlockTables,
    /// Whether the current block, or the one before the next header, is the last.
    is_last: bool,
    in_symbols: bool,
    outcome: Option<Result<(), &'static str>>,
}

impl<'a> StreamState<'a> {
    pub(super) fn new(stream: DecodeTask<'a>, tables: &'a mut BlockTables) -> Self {
        let DecodeTask { src, dst, len } = stream;
        let mut state = StreamState {
            bits: Bits::new(src),
            dst,
            len,
            d: 0,
            tables,
            is_last: false,
            in_symbols: false,
            outcome: None,
        };
        state.outcome = zlib_header(&mut state.bits).err().map(Err);
        state
    }

    /// Advances to a position where steps can continue, by at least one symbol if the block has any. Returns `None` if
    /// the stream has ended.
    pub(super) fn advance(&mut self) -> Option<Cursor<'a>> {
        if self.outcome.is_some() {
            return None;
        }
        match self.try_advance() {
            Ok(Some(cursor)) => return Some(cursor),
            Ok(None) => self.outcome = Some(Ok(())),
            Err(what) => self.outcome = Some(Err(what)),
        }
        None
    }

    fn try_advance(&mut self) -> Result<Option<Cursor<'a>>, &'static str> {
        loop {
            while self.in_symbols {
                self.in_symbols = self.symbol()?;
                if self.in_symbols
                    && let Some(cursor) = self.cursor()
                {
                    return Ok(Some(cursor));
                }
            }
            if self.is_last {
                return Ok(None);
            }
            self.is_last = self.bits.take(1)? == 1;
            match self.bits.take(2)? {
                0 => {
                    self.stored()?;
                    continue;
                }
                1 => self.tables.fill_fixed()?,
                2 => header::read(&mut self.bits, self.tables)?,
                _ => return Err("invalid block kind"),
            }
            self.in_symbols = true;
            if let Some(cursor) = self.cursor() {
                return Ok(Some(cursor));
            }
        }
    }

    /// Returns the position for steps, if there is room for one.
    fn cursor(&self) -> Option<Cursor<'a>> {
        if self.dst.len() - self.d < WINDOW {
            return None;
        }
        Cursor::new(self.bits.rest(), self.bits.peek(), self.bits.count(), self.d, self.tables)
    }

    /// Returns the tables and the output for steps.
    #[inline(always)]
    pub(super) fn tables_and_dst(&mut self) -> (&BlockTables, &mut [u8]) {
        (self.tables, self.dst)
    }

    /// Takes over from steps, decodes the symbol that they do not handle, and continues as [`StreamState::advance`].
    #[inline(never)]
    pub(super) fn resume(&mut self, cursor: Cursor<'a>) -> Option<Cursor<'a>> {
        self.leave(cursor);
        self.advance()
    }

    /// Takes over from steps.
    pub(super) fn leave(&mut self, cursor: Cursor<'a>) {
        self.bits.seek(cursor.left());
        self.d = cursor.d;
    }

    /// Copies a stored block.
    fn stored(&mut self) -> Result<(), &'static str> {
        self.bits.align();
        let &[low, high, not_low, not_high] = self.bits.bytes(4)? else { return Err(ENDS) };
        if [low, high] != [!not_low, !not_high] {
            return Err("invalid length of a stored block");
        }
        let from = self.bits.bytes(usize::from(u16::from_le_bytes([low, high])))?;
        let Some(to) = self.dst.get_mut(self.d..self.d + from.len()) else { return Err(TOO_LONG) };
        kernels::copy(from, to);
        self.d += from.len();
        Ok(())
    }

    /// Decodes one symbol, or two that share one entry. Returns false at the end of the block.
    fn symbol(&mut self) -> Result<bool, &'static str> {
        // Maximum number of bits of a length and an offset.
        if self.bits.count() < 48 {
            self.bits.refill();
        }
        let mut entry = self.tables.litlen.get(self.bits.peek());
        if literals(entry) == 0 && entry & LitLen::SUB != 0 {
            self.skip(entry)?;
            entry = self.tables.litlen.get_sub(entry, self.bits.peek());
        }
        let word = self.bits.peek();
        self.skip(entry)?;
        if literals(entry) > 0 {
            // A second literal is not read past the end of the stream: the checksum follows.
            let end = self.d + literals(entry);
            let Some(to) = self.dst.get_mut(self.d..end) else { return Err(TOO_LONG) };
            to.copy_from_slice(&entry.to_le_bytes()[1..=to.len()]);
            self.d = end;
            return Ok(true);
        }
        if entry & LitLen::ODD != 0 {
            return if entry & END != 0 { Ok(false) } else { Err("invalid literal or length code") };
        }
        let length = number::<LitLen>(entry, word);
        let mut entry = self.tables.offset.get(self.bits.peek());
        if entry & Offset::SUB != 0 && entry & Offset::ODD != 0 {
            self.skip(entry)?;
            entry = self.tables.offset.get_sub(entry, self.bits.peek());
        }
        if entry & Offset::ODD != 0 {
            return Err("invalid offset code");
        }
        let word = self.bits.peek();
        self.skip(entry)?;
        let offset = number::<Offset>(entry, word);
        if offset > self.d {
            return Err("offset outside the decoded bytes");
        }
        copy(self.dst, self.d, offset, length).ok_or(TOO_LONG)?;
        self.d += length;
        Ok(true)
    }

    /// Drops the bits of `entry`, if they are available.
    fn skip(&mut self, entry: u32) -> Result<(), &'static str> {
        if self.bits.count() < entry & 0xFF {
            return Err(ENDS);
        }
        self.bits.skip(entry & 0xFF);
        Ok(())
    }

    /// Ends the stream and returns its result.
    pub(super) fn finish(mut self) -> Result<(), CorruptStream> {
        let result = self.outcome.take().unwrap_or(Ok(())).and_then(|()| self.check());
        result.map_err(|what| CorruptStream::new(self.bits.position(), what))
    }

    fn check(&mut self) -> Result<(), &'static str> {
        if self.d > self.len {
            return Err(TOO_LONG);
        }
        let Some(plain) = self.dst.get(..self.len).filter(|_| self.d == self.len) else {
            return Err("the zlib stream is truncated");
        };
        self.bits.align();
        let checksum = self.bits.bytes(4)?.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
        if checksum == simd_adler32::adler32(&plain) { Ok(()) } else { Err("wrong checksum") }
    }
}

/// Parses the two-byte header: method 8 with a window of at most 32 KiB, no dictionary, divisible by 31.
fn zlib_header(bits: &mut Bits<'_>) -> Result<(), &'static str> {
    let (method, flags) = (bits.take(8)?, bits.take(8)?);
    if (method << 8 | flags) % 31 != 0 {
        Err("wrong checksum of the zlib header")
    } else if method & 0x0F != 8 {
        Err("unknown method in the zlib header")
    } else if method >> 4 > 7 {
        Err("invalid window size in the zlib header")
    } else if flags & 0x20 != 0 {
        Err("the zlib stream needs a dictionary")
    } else {
        Ok(())
    }
}
