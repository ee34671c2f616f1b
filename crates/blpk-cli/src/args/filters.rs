//! Parses `--filter`.

use super::bad_value::BadValue;
use super::choice::choice;
use blosc_core::{Filter, NameError};
use bloscpack_format::python_str_repr;

/// `--filter`: a filter of either chunk format, or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilterArg(pub(crate) Option<Filter>);

/// The names of the filters.
pub(super) const NAMES: [&str; 7] = ["none", "shuffle", "bitshuffle", "delta", "trunc-prec", "bytedelta", "int-trunc"];

/// The names of the filters that every Blosc has.
pub(super) const SHUFFLES: [&str; 3] = ["none", "shuffle", "bitshuffle"];

pub(super) fn filter(text: &str) -> Result<FilterArg, BadValue> {
    let (name, meta) = text.split_once(':').unwrap_or((text, ""));
    let is_none = choice("--filter", name, &NAMES)? == 0;
    let invalid = |expected: &str| {
        let meta = python_str_repr(meta);
        BadValue::Usage(format!("argument --filter: invalid meta value of {name}: {meta} ({expected})"))
    };
    match text.parse::<Filter>() {
        Ok(filter) => Ok(FilterArg(Some(filter))),
        Err(_) if is_none && matches!(meta, "" | "0") => Ok(FilterArg(None)),
        Err(NameError::Meta { found: None, .. }) => {
            let text = format!("argument --filter: {name} needs a number of bits, as in {name}:10 or {name}:-4");
            Err(BadValue::Usage(text))
        }
        Err(NameError::Meta { expected, .. }) if expected != "none" => Err(invalid(expected)),
        Err(_) => Err(invalid("it takes none")),
    }
}

/// Parses one of the filters that every Blosc has.
pub(super) fn shuffle(text: &str) -> Result<FilterArg, BadValue> {
    choice("--filter", text, &SHUFFLES)?;
    filter(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_have_a_meta_value() {
        let filter = |text| filter(text).map(|FilterArg(filter)| filter.map(|filter| filter.to_string()));
        for text in ["trunc-prec:-12", "int-trunc:7", "shuffle", "shuffle:255", "bytedelta:4", "delta", "bitshuffle"] {
            assert_eq!(filter(text), Ok(Some(text.into())));
        }
        assert_eq!(filter("none"), Ok(None));
        assert_eq!(filter("shuffle:0"), Ok(Some("shuffle".into())));
        for text in ["shuffle:x", "shuffle:-1", "shuffle:256", "trunc-prec:200", "trunc-prec", "delta:1", "none:2"] {
            assert!(filter(text).is_err(), "{text}");
        }
        assert!(filter("trunc_prec:1").is_err());
    }
}
