//! JSON as Python's `json` module reads and writes it.
//!
//! Python wrote the metadata of bloscpack and the small files of bcolz. They contain values that strict JSON lacks:
//! `NaN`, `Infinity`, integers of any size, and duplicate keys, of which the last one counts. [`Json::parse`] accepts
//! what `json.loads` accepts. [`Json::dumps`] writes what `json.dumps` writes, byte for byte.

mod copy;
mod dumps;
mod parse;

pub(crate) use copy::copy_of;
pub(crate) use parse::memory_for;

pub use parse::MAX_DEPTH;

/// A JSON value.
///
/// `==` compares structure: `1` is not `1.0`, and the order of members counts. See [`Json::same_value`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// A larger integer: its decimal digits, after a `-` if it is negative.
    BigInt(Box<str>),
    /// A number with a fraction or an exponent, or `NaN`, `Infinity`, `-Infinity`.
    Float(f64),
    /// A string. Unpaired surrogates, which Python allows, are read as U+FFFD.
    String(String),
    /// A list.
    Array(Vec<Json>),
    /// The members in their order. Keys of a parsed object are unique.
    Object(Vec<(String, Json)>),
}

macro_rules! from {
    ($($from:ty => $value:ident: $json:expr),*) => {$(
        impl From<$from> for Json {
            fn from($value: $from) -> Json {
                $json
            }
        }
    )*};
}

from! {
    bool => value: Json::Bool(value),
    i64 => value: Json::Int(value),
    f64 => value: Json::Float(value),
    &str => value: Json::String(value.into()),
    String => value: Json::String(value)
}

impl Json {
    /// Returns the member `key` of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Returns the string, if the value is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the integer, if the value is one that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the integer, if the value is one that fits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Int(value) => u64::try_from(*value).ok(),
            Self::BigInt(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// Returns the list, if the value is one.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the members, if the value is an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns Python's `bool(x)`: false for `null`, `false`, zero and empty values.
    #[must_use]
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(value) => *value,
            Self::Int(value) => *value != 0,
            Self::BigInt(_) => true,
            Self::Float(value) => *value != 0.0,
            Self::String(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Object(members) => !members.is_empty(),
        }
    }

    /// Returns Python's `==`: numbers are compared by value, with `true` equal to 1. The order of an object's members
    /// is ignored.
    ///
    /// `NaN` equals `NaN`, as for Python inside the results of two calls of `json.loads`.
    #[must_use]
    pub fn same_value(&self, other: &Json) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_value(b)),
            (Self::Object(a), Self::Object(b)) => a.len() == b.len() && same_members(a, b),
            (Self::BigInt(a), Self::BigInt(b)) => a == b,
            // Python compares the exact values; `{:.0}` prints the exact value of a float.
            (Self::BigInt(a), Self::Float(b)) | (Self::Float(b), Self::BigInt(a)) => {
                b.fract() == 0.0 && format!("{b:.0}") == **a
            }
            (Self::Float(a), Self::Float(b)) if a.is_nan() && b.is_nan() => true,
            (a, b) => match (a.number(), b.number()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    /// Returns the value of a number that is not a big integer. It is an integer if it is whole and fits.
    fn number(&self) -> Option<Number> {
        match self {
            Self::Bool(value) => Some(Number::Int(i128::from(*value))),
            Self::Int(value) => Some(Number::Int(i128::from(*value))),
            // 2^63 is the first power of two beyond i64, far within i128: the cast is exact.
            Self::Float(value) if value.fract() == 0.0 && value.abs() <= 9_223_372_036_854_775_808.0 => {
                Some(Number::Int(*value as i128))
            }
            Self::Float(value) => Some(Number::Float(*value)),
            _ => None,
        }
    }
}

#[derive(PartialEq)]
enum Number {
    Int(i128),
    Float(f64),
}

/// Returns whether two objects of the same length have the same members. Sorts them, to avoid quadratic time.
fn same_members(a: &[(String, Json)], b: &[(String, Json)]) -> bool {
    let sorted = |members: &[(String, Json)]| {
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_unstable_by(|&i, &j| members[i].0.cmp(&members[j].0).then(i.cmp(&j)));
        order
    };
    sorted(a).into_iter().zip(sorted(b)).all(|(i, j)| a[i].0 == b[j].0 && a[i].1.same_value(&b[j].1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_value_is_pythons_equality() {
        let same = |a: &str, b: &str| Json::parse(a).unwrap().same_value(&Json::parse(b).unwrap());
        assert!(same(r#"{"a":1,"b":[true]}"#, r#"{"b":[1.0],"a":1}"#));
        assert!(same("0", "-0.0"));
        assert!(same("1e23", "99999999999999991611392"));
        assert!(same("9223372036854775808", "9223372036854775808.0"));
        assert!(!same("1e23", "100000000000000000000000"));
        assert!(!same("9007199254740993", "9007199254740992.0"));
        assert!(same("[NaN]", "[NaN]"));
        assert!(!same("null", "false"));
        assert!(!same(r#"{"a":1}"#, r#"{"b":1}"#));
        assert!(!same("\"1\"", "1"));
    }

    #[test]
    fn accessors() {
        let value = Json::parse(r#"{"a":18446744073709551615,"b":[1],"c":"x"}"#).unwrap();
        assert_eq!(value.get("a").and_then(Json::as_u64), Some(u64::MAX));
        assert_eq!(value.get("b").and_then(Json::as_array).map(<[Json]>::len), Some(1));
        assert_eq!(value.get("c").and_then(Json::as_str), Some("x"));
        assert_eq!(value.get("d"), None);
        assert!(value.is_truthy());
        assert!(!Json::Float(0.0).is_truthy());
    }
}
