//! Options for appending.

use blosc_core::{Auto, Codec, FilterPipeline, Limits};
use bloscpack_format::Json;

use super::event::Observer;
use crate::{Cancel, Threads};

/// Options for appending. Unset options have the value of the file, or that of
/// [`PackOptions::new`](super::PackOptions::new).
#[derive(Debug, Clone)]
pub struct AppendOptions {
    pub(crate) codec: Codec,
    pub(crate) clevel: u8,
    pub(crate) filters: FilterPipeline,
    pub(crate) typesize: Option<usize>,
    pub(crate) auto: Option<Auto>,
    pub(crate) metadata: Option<Json>,
    pub(crate) limits: Limits,
    pub(crate) threads: Threads,
    pub(crate) cancel: Cancel,
    pub(crate) observer: Observer,
}

impl AppendOptions {
    /// BloscLZ level 7, shuffle, the typesize of the file, metadata unchanged.
    pub fn new() -> Self {
        AppendOptions {
            codec: Codec::BloscLz,
            clevel: 7,
            filters: FilterPipeline::shuffle(),
            typesize: None,
            auto: None,
            metadata: None,
            limits: Limits::new(),
            threads: Threads::default(),
            cancel: Cancel::default(),
            observer: Observer::default(),
        }
    }

    /// The codec of the new chunks.
    pub fn codec(mut self, codec: Codec) -> Self {
        self.codec = codec;
        self
    }

    /// The level of the new chunks, 0..=9.
    pub fn clevel(mut self, clevel: u8) -> Self {
        self.clevel = clevel;
        self
    }

    /// The filters of the new chunks.
    pub fn filters(mut self, filters: FilterPipeline) -> Self {
        self.filters = filters;
        self
    }

    /// The typesize of the new chunks in bytes; `None` for the file's.
    pub fn typesize(mut self, typesize: impl Into<Option<usize>>) -> Self {
        self.typesize = typesize.into();
        self
    }

    /// Chooses the parameters of each new chunk for its data, except those that `auto` fixes. Codec, level, filters and
    /// typesize of these options are then ignored. `None` turns it off.
    pub fn auto(mut self, auto: impl Into<Option<Auto>>) -> Self {
        self.auto = auto.into();
        self
    }

    /// Limits for reading the file.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Metadata to replace the file's; `None` leaves it.
    pub fn metadata(mut self, metadata: Option<Json>) -> Self {
        self.metadata = metadata;
        self
    }
}

impl Default for AppendOptions {
    fn default() -> Self {
        AppendOptions::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typesize_to_append_with_is_a_number_or_none() {
        assert_eq!(AppendOptions::new().typesize(4).typesize, Some(4));
        assert_eq!(AppendOptions::new().typesize(Some(4)).typesize(None).typesize, None);
    }
}
