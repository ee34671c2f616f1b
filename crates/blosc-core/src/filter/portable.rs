//! Delta pipelines that C-Blosc2 decodes to other data.
//!
//! C-Blosc2 undoes delta in the destination, where it expects the first block. With several threads it passes the first
//! block to the other threads as soon as its *first* delta is undone:
//!
//! - A second delta of the first block is then never undone.
//! - Filters that run before delta are not undone yet. The other threads read a half-decoded first block.
//!
//! After delta, two of its three buffers are the same. If three more filters are to undo, one of them gets the same
//! buffer as source and destination, unless delta runs last. This happens with one thread, too.
//!
//! So delta is safe if it is the last filter undone, and occurs once. docs/format/blosc2-chunk.md has the measurements.

use super::{Filter, FilterPipeline};

impl FilterPipeline {
    /// Returns why C-Blosc2 may decode chunks with these filters to other data, or `None` if it never does.
    pub(crate) fn delta_problem(&self, typesize: usize) -> Option<&'static str> {
        let deltas = self.as_slice().iter().filter(|&&filter| filter == Filter::Delta).count();
        let mut undone = self.as_slice().iter().filter(|filter| is_undone(**filter, typesize));
        match deltas {
            0 => None,
            1 if undone.next() == Some(&Filter::Delta) => None,
            1 => Some(
                "C-Blosc2 decodes it to other data where another filter runs before it; \
                 choose filters with delta first (only trunc-prec and int-trunc may run before it)",
            ),
            _ => Some(
                "C-Blosc2 decodes two or more of it to other data; choose filters with one delta, as the first of them",
            ),
        }
    }
}

/// Returns whether decoding changes bytes to undo this filter.
fn is_undone(filter: Filter, typesize: usize) -> bool {
    match filter {
        Filter::TruncPrec(_) | Filter::IntTrunc(_) => false,
        Filter::Shuffle => typesize > 1,
        Filter::ShuffleGroups(bytes) => bytes.get() > 1,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CParams, EncodeError, Encoder};
    use Filter::{BitShuffle, ByteDelta, Delta, IntTrunc, Shuffle, TruncPrec};

    fn encoder(filters: &[Filter], typesize: usize, portable: bool) -> Result<Encoder, EncodeError> {
        let filters = FilterPipeline::try_from(filters).unwrap();
        Encoder::new(CParams::blosc2().typesize(typesize).filters(filters).portable(portable))
    }

    /// Found by experiment with python-blosc2 4.14.1; xtask/interop/delta.py repeats the experiment.
    #[test]
    fn pipelines_that_c_blosc2_decodes_right() {
        let safe: [&[Filter]; 7] = [
            &[Delta],
            &[Delta, Shuffle],
            &[Delta, BitShuffle, ByteDelta(4), Shuffle, BitShuffle, ByteDelta(4)],
            &[TruncPrec(10), Delta, Shuffle],
            &[IntTrunc(10), IntTrunc(9), IntTrunc(8), Delta, Shuffle],
            &[Shuffle, BitShuffle, ByteDelta(4), Shuffle, BitShuffle, ByteDelta(4)],
            &[],
        ];
        for filters in safe {
            assert!(encoder(filters, 4, true).is_ok(), "{filters:?}");
        }
        assert!(encoder(&[Shuffle, Delta], 1, true).is_ok(), "a shuffle of bytes changes nothing");
    }

    #[test]
    fn pipelines_that_c_blosc2_decodes_to_other_data() {
        let unsafe_: [&[Filter]; 7] = [
            &[Delta, Delta],
            &[Shuffle, Delta],
            &[BitShuffle, Delta, Shuffle],
            &[TruncPrec(10), ByteDelta(4), Delta],
            &[Shuffle, BitShuffle, ByteDelta(4), Delta, Shuffle],
            &[Delta, Shuffle, BitShuffle, ByteDelta(4), Shuffle, Delta],
            &[Filter::NdCell(4), Delta],
        ];
        for filters in unsafe_ {
            let error = encoder(filters, 4, true).err().unwrap();
            assert!(matches!(error, EncodeError::Filter { filter: Delta, .. }), "{filters:?}");
            let message = error.to_string();
            assert!(message.contains("C-Blosc2") && message.contains("first"), "{message}");
            assert!(encoder(filters, 4, false).is_ok(), "{filters:?}");
        }
    }
}
