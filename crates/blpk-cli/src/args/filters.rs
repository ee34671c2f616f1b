//! How is `--filter` read?

use super::values::{BadValue, choice};
use blosc_core::Filter;
use bloscpack_format::python_str_repr;

/// `--filter`: one that exists in either chunk format, or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilterArg(pub(crate) Option<Filter>);

/// Their names.
pub(super) const NAMES: [&str; 7] = ["none", "shuffle", "bitshuffle", "delta", "trunc-prec", "bytedelta", "int-trunc"];

/// Those that every Blosc has.
pub(super) const SHUFFLES: [&str; 3] = ["none", "shuffle", "bitshuffle"];

pub(super) fn filter(text: &str) -> Result<FilterArg, BadValue> {
    const IDS: [u8; 7] = [0, 1, 2, 3, 4, 35, 36];
    let (name, meta) = match text.split_once(':') {
        Some((name, meta)) => (name, Some(meta)),
        None => (text, None),
    };
    let id = IDS[choice("--filter", name, &NAMES)?];
    let invalid = |expected: &str| {
        let meta = python_str_repr(meta.unwrap_or_default());
        BadValue::Usage(format!("argument --filter: invalid meta value of {name}: {meta} ({expected})"))
    };
    // One byte, which some filters read as a signed number.
    let byte = match (name, meta.unwrap_or("0")) {
        ("trunc-prec" | "int-trunc", _) if meta.is_none() => {
            let text = format!("argument --filter: {name} needs a number of bits, as in {name}:10 or {name}:-4");
            return Err(BadValue::Usage(text));
        }
        ("trunc-prec" | "int-trunc", meta) => {
            meta.parse().map(i8::cast_unsigned).map_err(|_| invalid("-128 to 127"))?
        }
        ("shuffle" | "bytedelta", meta) => meta.parse().map_err(|_| invalid("0 to 255"))?,
        (_, meta) => meta.parse().ok().filter(|meta| *meta == 0).ok_or_else(|| invalid("it takes none"))?,
    };
    Ok(FilterArg(Filter::from_id(id, byte)))
}

/// One of the filters that every Blosc has.
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
