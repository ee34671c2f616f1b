//! Reads the header, trailer and index of a frame, but no chunks.

use std::ops::Range;

use blosc_core::{Limits, memory};
use bloscpack_format::detect::PREFIX_LEN;
use bloscpack_format::frame::{ChunkInfo, Frame, FrameType, Header, Index, Layout, Trailer, check_len};
use bloscpack_format::{Format, detect};

use crate::Error;
use crate::in_memory::room;
use crate::source::{ReadAt, parse_start};

/// Maximum number of bytes of an index that are read at once through a network. Indexes are compressed.
const INDEX_AHEAD: u64 = 1 << 20;

/// Reads the frame at the start of `source`, which has `len` bytes: a contiguous frame, or the index of a sparse one.
///
/// # Errors
/// [`Error::Format`] and [`Error::Truncated`] for damage, and if the frame is of the other type; [`Error::Limit`];
/// [`Error::Io`].
pub(crate) fn read_frame(
    source: &(impl ReadAt + ?Sized),
    len: u64,
    frame_type: FrameType,
    limits: &Limits,
) -> Result<Frame, Error> {
    let read = |at: u64, bytes: u64, what: &str| -> Result<Vec<u8>, Error> {
        if at.checked_add(bytes).is_none_or(|end| end > len) {
            let found = len.saturating_sub(at);
            return Err(Error::Truncated { offset: at, what: what.into(), needed: bytes, found });
        }
        limits.check_memory("a part of the frame", bytes)?;
        let mut buf = room(bytes)?;
        source.read_exact_at(at, &mut buf).map_err(Error::reading)?;
        Ok(buf)
    };
    let header = parse_start(source, Header::FIXED_LEN as u64, Header::parse)?;
    header.expect_type(frame_type)?;
    check_len(&header, len)?;
    let tail_len = Trailer::TAIL_LEN as u64;
    let tail = read(header.frame_len.saturating_sub(tail_len), tail_len, "the frame's trailer")?;
    let layout = Layout::new(&header, Trailer::len_at_end(&tail)?)?;
    let part = |range: &Range<u64>, what| read(range.start, range.end - range.start, what);
    let index = layout.index.start..layout.index.end.min(layout.index.start.saturating_add(INDEX_AHEAD));
    source.prefetch(std::slice::from_ref(&index));
    let trailer = Trailer::parse(&part(&layout.trailer, "the frame's trailer")?)?;
    // Any number of unused bytes may separate the index and the trailer.
    let start = layout.index.start..layout.index.end.min(layout.index.start + blosc_core::Header::EXTENDED_LEN as u64);
    let mut index = part(&start, "the frame's index")?;
    if let Ok(info) = ChunkInfo::parse(&index) {
        let end = layout.index.end.min(layout.index.start + u64::from(info.cbytes));
        memory::extend(&mut index, &part(&(start.end..end.max(start.end)), "the frame's index")?)?;
    }
    let index = Index::decode(&index, &header, *limits)?;
    let frame = Frame { header, index, trailer };
    frame.check_index()?;
    Ok(frame)
}

/// Refuses a source in another or an unknown format.
pub(super) fn expect_frame(source: &(impl ReadAt + ?Sized), len: u64) -> Result<(), Error> {
    let mut prefix = [0; PREFIX_LEN];
    let prefix = prefix.get_mut(..len.min(PREFIX_LEN as u64) as usize).unwrap_or_default();
    source.read_exact_at(0, prefix).map_err(Error::reading)?;
    match detect(prefix, Some(len)) {
        Some(Format::Blosc2Frame) => Ok(()),
        Some(format) => Err(Error::Unsupported { format }),
        None => Err(Error::Unrecognised { found: prefix.get(..prefix.len().min(16)).unwrap_or_default().to_vec() }),
    }
}
