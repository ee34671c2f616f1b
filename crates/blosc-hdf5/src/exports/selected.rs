//! The filter of this library.

use crate::filter::Filter;

pub(super) const FILTER: Filter = if cfg!(feature = "blosc2") { Filter::Blosc2 } else { Filter::Blosc1 };
