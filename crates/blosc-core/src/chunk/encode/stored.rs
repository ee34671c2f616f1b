//! Chunks whose data is stored, because it is incompressible, or because the compressed blocks do not fit.

use super::output::Output;
use crate::error::EncodeError;
use crate::header::Header;

/// The stored chunk to write if the data does not get smaller.
pub(super) struct Stored {
    header: Header,
    /// Maximum size of the output.
    room: usize,
    /// Whether the data may be compressed. The header of a chunk that is always stored differs.
    tried: bool,
}

impl Stored {
    /// Limits the output to chunks that are smaller than the stored one, because a compressed chunk takes longer to decode.
    #[inline]
    pub(super) fn limiting(out: &mut Output<'_>, header: Header, tried: bool) -> Self {
        let stored = Stored { header, room: out.max(), tried };
        out.limit(stored.size() - 1);
        stored
    }

    /// Writes the chunk, whatever was written before, and returns its header.
    pub(super) fn write(&self, src: &[u8], is_parallel: bool, out: &mut Output<'_>) -> Result<Header, EncodeError> {
        let header = self.start(out)?;
        if is_parallel {
            out.append_parallel(&[src]);
        } else {
            out.append(src);
        }
        Ok(header)
    }

    /// Writes the chunk if the data is `noise`, and returns its header. With threads, the data is copied while one of them
    /// tests it: the test takes as long as copying 0.1 to 0.3 MB.
    #[inline]
    pub(super) fn write_if(
        &self,
        is_noise: impl Fn() -> bool + Sync,
        src: &[u8],
        is_parallel: bool,
        out: &mut Output<'_>,
    ) -> Result<Option<Header>, EncodeError> {
        if !is_parallel || self.room < self.size() {
            return if is_noise() { self.write(src, is_parallel, out).map(Some) } else { Ok(None) };
        }
        let header = self.start(out)?;
        let is_written = out.append_while(src, is_noise);
        if !is_written {
            out.restart(self.size() - 1);
        }
        Ok(is_written.then_some(header))
    }

    /// Starts the chunk: leaves room for its header, which is returned. The data follows.
    pub(super) fn start(&self, out: &mut Output<'_>) -> Result<Header, EncodeError> {
        let needed = self.size();
        if self.room < needed {
            return Err(EncodeError::Destination { needed, found: self.room });
        }
        out.restart(needed);
        out.skip(self.header.len());
        Ok(self.header.finish_memcpyed(self.tried))
    }

    fn size(&self) -> usize {
        self.header.len() + self.header.nbytes()
    }
}
