//! Filters and pipelines as text: `FromStr` reads the output of `Display`.

use core::num::NonZeroU8;
use core::str::FromStr;

use super::{Filter, FilterPipeline};
use crate::name::NameError;

impl FromStr for Filter {
    type Err = NameError;

    /// Parses a name, and after a colon the meta value as a decimal number: `shuffle`, `bytedelta:4`, `trunc-prec:-7`.
    ///
    /// ```
    /// use blosc_core::Filter;
    /// assert_eq!("trunc-prec:-7".parse(), Ok(Filter::TruncPrec(-7)));
    /// assert_eq!("user(160):3".parse(), Ok(Filter::Other { id: 160, meta: 3 }));
    /// assert!("trunc-prec".parse::<Filter>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, NameError> {
        let (name, meta) = match text.split_once(':') {
            Some((name, meta)) => (name, Some(meta)),
            None => (text, None),
        };
        let refuse = |filter, expected| NameError::Meta { filter, found: meta.map(Box::from), expected };
        let bits = |filter| meta.and_then(|meta| meta.parse().ok()).ok_or_else(|| refuse(filter, "-128 to 127"));
        let byte = |filter| meta.unwrap_or("0").parse::<u8>().map_err(|_| refuse(filter, "0 to 255"));
        let plain = |filter: Filter| match byte(filter.name()) {
            Ok(0) => Ok(filter),
            _ => Err(refuse(filter.name(), "none")),
        };
        match name {
            "shuffle" => Ok(NonZeroU8::new(byte("shuffle")?).map_or(Filter::Shuffle, Filter::ShuffleGroups)),
            "bitshuffle" => plain(Filter::BitShuffle),
            "delta" => plain(Filter::Delta),
            "trunc-prec" => bits("trunc-prec").map(Filter::TruncPrec),
            "int-trunc" => bits("int-trunc").map(Filter::IntTrunc),
            "ndcell" => byte("ndcell").map(Filter::NdCell),
            "ndmean" => byte("ndmean").map(Filter::NdMean),
            "bytedelta-old" => byte("bytedelta-old").map(Filter::ByteDeltaOld),
            "bytedelta" => byte("bytedelta").map(Filter::ByteDelta),
            _ => {
                let id = other_id(name).ok_or_else(|| NameError::Filter { found: name.into() })?;
                byte("with an id").map(|meta| Filter::Other { id, meta })
            }
        }
    }
}

/// Returns the id in `user(160)` or `unknown(7)`, if it belongs to no named filter.
fn other_id(name: &str) -> Option<u8> {
    let id = name.strip_prefix("user(").or_else(|| name.strip_prefix("unknown("))?;
    let id = id.strip_suffix(')')?.parse().ok()?;
    let filter = Filter::from_id(id, 0)?;
    (matches!(filter, Filter::Other { .. }) && name.starts_with(filter.name())).then_some(id)
}

impl FromStr for FilterPipeline {
    type Err = NameError;

    /// Parses filters separated by commas, in the order in which compression runs them. Empty text and `none` mean no
    /// filter.
    ///
    /// ```
    /// use blosc_core::FilterPipeline;
    /// let pipeline: FilterPipeline = "trunc-prec:10,shuffle".parse()?;
    /// assert_eq!(pipeline.to_string().parse(), Ok(pipeline));
    /// # Ok::<(), blosc_core::NameError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, NameError> {
        if matches!(text.trim(), "" | "none") {
            return Ok(FilterPipeline::none());
        }
        let mut pipeline = FilterPipeline::none();
        for filter in text.split(',') {
            pipeline.try_push(filter.trim().parse()?)?;
        }
        Ok(pipeline)
    }
}

impl From<Filter> for FilterPipeline {
    fn from(filter: Filter) -> Self {
        let mut pipeline = FilterPipeline::none();
        pipeline.push(filter);
        pipeline
    }
}

impl TryFrom<&[Filter]> for FilterPipeline {
    type Error = NameError;

    fn try_from(filters: &[Filter]) -> Result<Self, NameError> {
        FilterPipeline::try_from_iter(filters.iter().copied())
    }
}

impl<const N: usize> From<[Filter; N]> for FilterPipeline {
    /// Converts an array of filters. More than six filters are a compile error.
    ///
    /// ```
    /// use blosc_core::{Filter, FilterPipeline};
    /// let pipeline = FilterPipeline::from([Filter::Shuffle, Filter::ByteDelta(4)]);
    /// assert_eq!(pipeline.as_slice().len(), 2);
    /// ```
    fn from(filters: [Filter; N]) -> Self {
        const { assert!(N <= FilterPipeline::MAX_LEN, "a chunk has six slots for filters") };
        let mut pipeline = FilterPipeline::none();
        filters.into_iter().for_each(|filter| pipeline.push(filter));
        pipeline
    }
}

impl FilterPipeline {
    /// Collects the filters of an iterator, in the order in which compression runs them.
    ///
    /// # Errors
    /// [`NameError::TooManyFilters`] for more than six.
    pub fn try_from_iter(filters: impl IntoIterator<Item = Filter>) -> Result<Self, NameError> {
        let mut pipeline = FilterPipeline::none();
        filters.into_iter().try_for_each(|filter| pipeline.try_push(filter))?;
        Ok(pipeline)
    }

    /// Adds a filter that runs after all others.
    ///
    /// # Errors
    /// [`NameError::TooManyFilters`] if there are six.
    pub fn try_push(&mut self, filter: Filter) -> Result<(), NameError> {
        if self.as_slice().len() == FilterPipeline::MAX_LEN {
            return Err(NameError::TooManyFilters);
        }
        self.push(filter);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_is_read_back() {
        for id in 0..=255 {
            for meta in 0..=255 {
                let Some(filter) = Filter::from_id(id, meta) else { continue };
                // The meta byte of a filter that ignores it is not written.
                assert_eq!(filter.to_string().parse(), Ok(filter), "{filter}");
            }
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "shuffle:256", "delta:1", "int-trunc:", "user(1)", "user(7)", "unknown(160)", "user(160", "a:b"]
        {
            assert!(text.parse::<Filter>().is_err(), "{text}");
        }
        assert_eq!("delta,,delta".parse::<FilterPipeline>(), Err(NameError::Filter { found: "".into() }));
        let seven = [Filter::Shuffle; 7];
        assert_eq!(FilterPipeline::try_from(&seven[..]), Err(NameError::TooManyFilters));
        assert_eq!(FilterPipeline::try_from_iter(seven), Err(NameError::TooManyFilters));
        assert_eq!("none".parse(), Ok(FilterPipeline::none()));
        assert_eq!(FilterPipeline::from(Filter::Delta), FilterPipeline::from([Filter::Delta]));
    }
}
