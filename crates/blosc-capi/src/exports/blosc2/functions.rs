//! Functions of codecs, filters and tuners that the program registered.

use super::abi::{BackwardFn, DecoderFn, EncoderFn, ForwardFn, TunerFn, TunerInitFn};
use crate::blosc2::registered::{self, Table};

/// A codec of the program.
#[derive(Debug, Clone, Copy)]
pub(super) struct UserCodec {
    pub(super) encoder: EncoderFn,
    pub(super) decoder: DecoderFn,
}

/// A filter of the program.
#[derive(Debug, Clone, Copy)]
pub(super) struct UserFilter {
    pub(super) forward: ForwardFn,
    pub(super) backward: BackwardFn,
}

/// A tuner of the program.
#[derive(Debug, Clone, Copy)]
pub(super) struct UserTuner {
    pub(super) init: TunerInitFn,
    pub(super) next_blocksize: TunerFn,
}

pub(super) static CODECS: Table<UserCodec> = Table::new();
pub(super) static FILTERS: Table<UserFilter> = Table::new();
pub(super) static TUNERS: Table<UserTuner> = Table::new();

/// Forgets everything. C-Blosc2 does so when it is initialized again, which would race with registrations here.
pub(super) fn clear() {
    registered::CODECS.clear();
    CODECS.clear();
    FILTERS.clear();
    TUNERS.clear();
}
