//! Type strings: the dtypes without fields, such as `<f8`, `|S5`, `<M8[25s]`.

use super::NumpyError;
use std::fmt;

/// Maximum size of an item in bytes: NumPy stores it in a C `int`.
pub(super) const MAX_ITEMSIZE: u32 = i32::MAX as u32;

/// A dtype without fields and without shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    kind: ScalarKind,
    byte_order: ByteOrder,
    itemsize: u32,
    unit: Option<DatetimeUnit>,
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScalarKind {
    /// `b`: one byte, 0 or 1.
    Bool,
    /// `i`: signed integer.
    Int,
    /// `u`: unsigned integer.
    UInt,
    /// `f`: floating point. 12 and 16 bytes are C's `long double`, whose layout depends on the writing machine.
    Float,
    /// `c`: two floats, real and imaginary part.
    Complex,
    /// `S`: bytes, padded with NULs.
    Bytes,
    /// `U`: text in UTF-32, four bytes a character, padded with NULs.
    Str,
    /// `V`: raw bytes.
    Void,
    /// `M`: a point in time, an `i64` number of units since 1970.
    Datetime,
    /// `m`: a span of time, an `i64` number of units.
    Timedelta,
}

/// The order of an item's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// `<`
    Little,
    /// `>`
    Big,
    /// `|`: single bytes have no order.
    NotApplicable,
}

/// The unit of a datetime or timedelta, `[25s]`. Datetimes and timedeltas without a unit are generic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DatetimeUnit {
    /// Number of units in one step.
    pub multiple: u32,
    /// NumPy's name of the unit: `Y M W D h m s ms us ns ps fs as`.
    pub name: &'static str,
}

const UNITS: [&str; 13] = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"];

/// NumPy's names of native types, printed instead of their type strings. bcolz stores them.
const NAMES: [(&str, &str); 16] = [
    ("bool", "b1"),
    ("int8", "i1"),
    ("int16", "i2"),
    ("int32", "i4"),
    ("int64", "i8"),
    ("uint8", "u1"),
    ("uint16", "u2"),
    ("uint32", "u4"),
    ("uint64", "u8"),
    ("float16", "f2"),
    ("float32", "f4"),
    ("float64", "f8"),
    ("float128", "f16"),
    ("complex64", "c8"),
    ("complex128", "c16"),
    ("complex256", "c32"),
];

/// The code of a boolean in `str` of a structured dtype.
const BOOL_CODE: &str = "?";

/// Names of datetimes and timedeltas, before the unit.
const TIME_NAMES: [(&str, &str); 2] = [("datetime64", "M8"), ("timedelta64", "m8")];

impl Scalar {
    /// Parses a type string in the form of `dtype.str`, `<f8`, or the name of a native type, `float64`.
    ///
    /// No byte order, or `=`, means little-endian, the order of nearly all machines that wrote such files.
    ///
    /// # Errors
    ///
    /// [`NumpyError::Object`] for arrays of Python objects, [`NumpyError::TypeString`] for anything unknown.
    pub fn parse(text: &str) -> Result<Self, NumpyError> {
        let unknown = || NumpyError::TypeString(text.into());
        let code = NAMES.iter().find(|(name, _)| *name == text).map_or(text, |(_, code)| code);
        for (name, code) in TIME_NAMES {
            if let Some(unit) = text.strip_prefix(name) {
                return Self::from_code(false, &format!("{code}{unit}")).ok_or_else(unknown);
            }
        }
        let (big, code) = match code.strip_prefix(['<', '>', '|', '=']) {
            Some(rest) => (code.starts_with('>'), rest),
            None => (false, code),
        };
        if code.starts_with('O') || text == "object" {
            return Err(NumpyError::Object);
        }
        Self::from_code(big, code).ok_or_else(unknown)
    }

    /// Parses a kind, a size and a unit: `f8`, `S5`, `M8[25s]`.
    fn from_code(big: bool, code: &str) -> Option<Self> {
        let code = if code == BOOL_CODE { "b1" } else { code };
        let kind = ScalarKind::from_code(code.chars().next()?)?;
        let rest = code.get(1..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (size, unit) = rest.split_at_checked(digits)?;
        let size: u64 = match (size, kind) {
            ("", ScalarKind::Bytes | ScalarKind::Str | ScalarKind::Void) => 0,
            (size, _) => size.parse().ok()?,
        };
        let known = match kind {
            ScalarKind::Bool => size == 1,
            ScalarKind::Int | ScalarKind::UInt => matches!(size, 1 | 2 | 4 | 8),
            ScalarKind::Float => matches!(size, 2 | 4 | 8 | 12 | 16),
            ScalarKind::Complex => matches!(size, 8 | 16 | 24 | 32),
            ScalarKind::Bytes | ScalarKind::Str | ScalarKind::Void => true,
            ScalarKind::Datetime | ScalarKind::Timedelta => size == 8,
        };
        let itemsize = if kind == ScalarKind::Str { size.checked_mul(4)? } else { size };
        let itemsize = u32::try_from(itemsize).ok().filter(|size| known && *size <= MAX_ITEMSIZE)?;
        let unit = match (unit, kind) {
            ("", _) | ("[generic]", ScalarKind::Datetime | ScalarKind::Timedelta) => None,
            (unit, ScalarKind::Datetime | ScalarKind::Timedelta) => Some(DatetimeUnit::parse(unit)?),
            _ => return None,
        };
        let byte_order = match kind {
            ScalarKind::Bool | ScalarKind::Bytes | ScalarKind::Void => ByteOrder::NotApplicable,
            ScalarKind::Int | ScalarKind::UInt if itemsize == 1 => ByteOrder::NotApplicable,
            _ if big => ByteOrder::Big,
            _ => ByteOrder::Little,
        };
        Some(Self { kind, byte_order, itemsize, unit })
    }

    /// Returns NumPy's `str(dtype)`: the name of a native type, `float64`, otherwise the type string, `>f8`, `|S5`.
    #[must_use]
    pub fn name(&self) -> String {
        let text = self.to_string();
        let code = match self.byte_order {
            ByteOrder::Big => return text,
            ByteOrder::Little | ByteOrder::NotApplicable => text.get(1..).unwrap_or_default(),
        };
        if let Some((name, _)) = NAMES.iter().find(|(_, known)| *known == code) {
            return (*name).into();
        }
        let time = TIME_NAMES.iter().find_map(|(name, known)| Some((name, code.strip_prefix(known)?)));
        time.map_or(text.clone(), |(name, unit)| format!("{name}{unit}"))
    }

    /// Returns the kind of an item.
    #[must_use]
    pub fn kind(&self) -> ScalarKind {
        self.kind
    }

    /// Returns the order of an item's bytes.
    #[must_use]
    pub fn byte_order(&self) -> ByteOrder {
        self.byte_order
    }

    /// Returns the size of an item in bytes.
    #[must_use]
    pub fn itemsize(&self) -> u32 {
        self.itemsize
    }

    /// Returns the unit of a datetime or timedelta, unless it is generic.
    #[must_use]
    pub fn unit(&self) -> Option<DatetimeUnit> {
        self.unit
    }
}

/// Writes the type string, in the form of `dtype.str`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = if self.kind == ScalarKind::Str { self.itemsize / 4 } else { self.itemsize };
        write!(f, "{}{}{size}", self.byte_order.code(), self.kind.code())?;
        match self.unit {
            None => Ok(()),
            Some(DatetimeUnit { multiple: 1, name }) => write!(f, "[{name}]"),
            Some(DatetimeUnit { multiple, name }) => write!(f, "[{multiple}{name}]"),
        }
    }
}

impl ScalarKind {
    const ALL: [Self; 10] = [
        Self::Bool,
        Self::Int,
        Self::UInt,
        Self::Float,
        Self::Complex,
        Self::Bytes,
        Self::Str,
        Self::Void,
        Self::Datetime,
        Self::Timedelta,
    ];

    /// Returns NumPy's letter for the kind.
    #[must_use]
    pub fn code(self) -> char {
        match self {
            Self::Bool => 'b',
            Self::Int => 'i',
            Self::UInt => 'u',
            Self::Float => 'f',
            Self::Complex => 'c',
            Self::Bytes => 'S',
            Self::Str => 'U',
            Self::Void => 'V',
            Self::Datetime => 'M',
            Self::Timedelta => 'm',
        }
    }

    fn from_code(code: char) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

impl ByteOrder {
    fn code(self) -> char {
        match self {
            Self::Little => '<',
            Self::Big => '>',
            Self::NotApplicable => '|',
        }
    }
}

impl DatetimeUnit {
    /// Parses `[25s]`. NumPy also accepts µ for the u of `us`.
    fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('[')?.strip_suffix(']')?;
        let (digits, name) = text.split_at_checked(text.bytes().take_while(u8::is_ascii_digit).count())?;
        let multiple = match digits {
            "" => 1,
            digits => digits.parse().ok().filter(|multiple| i32::try_from(*multiple).is_ok())?,
        };
        let name = if name == "\u{3bc}s" { "us" } else { name };
        UNITS.into_iter().find(|unit| *unit == name).map(|name| Self { multiple, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalises_as_numpy() {
        for (text, canonical) in [
            ("<f8", "<f8"),
            ("|i4", "<i4"),
            ("=i4", "<i4"),
            ("i4", "<i4"),
            (">i1", "|i1"),
            ("<S5", "|S5"),
            (">V4", "|V4"),
            ("|U3", "<U3"),
            ("S", "|S0"),
            ("U0", "<U0"),
            ("<b1", "|b1"),
            ("?", "|b1"),
            ("|?", "|b1"),
            ("M8[generic]", "<M8"),
            (">M8[1s]", ">M8[s]"),
            ("M8[25s]", "<M8[25s]"),
            ("<M8[μs]", "<M8[us]"),
            ("m8[2147483647as]", "<m8[2147483647as]"),
            ("S2147483647", "|S2147483647"),
            ("U536870911", "<U536870911"),
            ("float64", "<f8"),
            ("datetime64[ns]", "<M8[ns]"),
            ("timedelta64", "<m8"),
        ] {
            assert_eq!(Scalar::parse(text).unwrap().to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn refuses_what_numpy_refuses() {
        for text in [
            "",
            "<",
            "x",
            "f3",
            "i3",
            "b8",
            "M4",
            "S-1",
            " f8",
            "<f8 ",
            "f8[s]",
            "M8[5]",
            "M8[Ys]",
            "M8[s",
            "m8[D]5",
            "V7[2]",
            "M8[-1s]",
            "M8[2147483648s]",
            "S2147483648",
            "U536870912",
            "S18446744073709551616",
            ">|i4",
            "é",
            "<é4",
        ] {
            assert_eq!(Scalar::parse(text), Err(NumpyError::TypeString(text.into())));
        }
        assert_eq!(Scalar::parse("|O"), Err(NumpyError::Object));
        assert_eq!(Scalar::parse("O8"), Err(NumpyError::Object));
    }
}
