//! Dtypes with fields and subarrays, and their `descr`.

use super::NumpyError;
use super::literal::Literal;
use super::scalar::{MAX_ITEMSIZE, Scalar};
use crate::error::{FormatError, Part};
use crate::json::Json;
use crate::python::write_str_repr;
use blosc_core::{OutOfMemory, memory};
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::sync::Arc;

/// Maximum nesting of dtypes. Each level takes at most two levels of a literal, which may nest four times as deep.
const MAX_DEPTH: usize = 32;

/// A NumPy dtype.
///
/// The fields of a struct follow each other without gaps. If NumPy's own dtype has gaps (`align=True`, or explicit
/// offsets), its `descr` has fields with an empty name for them, `('', '|V7')`, and so does this type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dtype {
    /// `<f8`
    Scalar(Scalar),
    /// `[('a', '<i4'), ('b', '<f8')]`. Shared, because there may be many fields and dtypes are often cloned.
    Struct(Arc<Vec<Field>>),
    /// `('<f8', (2, 3))`: an array as one item. Arrays themselves never have this dtype, only their fields do.
    Subarray(Box<Dtype>, Vec<u32>),
}

/// A field of a struct.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// The name; empty for padding.
    pub name: String,
    /// NumPy's second name for a field.
    pub title: Option<String>,
    /// The dtype of the field.
    pub dtype: Dtype,
}

impl Dtype {
    /// Parses a dtype as Python's `repr` writes its `str` or `descr`: `'<f8'` (quoted), `[('a', '<i4'), ('b', '<f8')]`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`] if it is not a Python literal; [`FormatError::Numpy`] if NumPy has no such dtype, if it
    /// contains Python objects, or if an item would take more than 2³¹ - 1 bytes.
    pub fn parse(descr: &str) -> Result<Self, FormatError> {
        Ok(Self::from_literal(&Literal::parse(descr, Part::Dtype)?)?)
    }

    /// Parses a type string, `<f8`, or the name of a native type, `float64`.
    ///
    /// # Errors
    ///
    /// [`NumpyError::Object`] or [`NumpyError::TypeString`].
    pub fn from_type_string(text: &str) -> Result<Self, NumpyError> {
        Scalar::parse(text).map(Self::Scalar)
    }

    /// Parses the `dtype` of bloscpack metadata, a string that contains a Python literal. Before bloscpack 0.7.2 it was
    /// the bare type string, or the `descr` as JSON lists, `[["a", "<f4"], ["b", [["c", "|S4"]]], ["d", "<f4", 2]]`.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn from_json(dtype: &Json) -> Result<Self, FormatError> {
        match dtype {
            Json::String(text) => match Literal::parse(text, Part::Dtype) {
                Ok(literal) => Ok(Self::from_literal(&literal)?),
                // If it is not a type string either, the error in the literal is the more useful one.
                Err(error) => Self::from_type_string(text).map_err(|e| match e {
                    NumpyError::TypeString(_) => error,
                    e => e.into(),
                }),
            },
            lists => Ok(Self::from_literal(&legacy_literal(lists, 0)?)?),
        }
    }

    pub(super) fn from_literal(literal: &Literal) -> Result<Self, NumpyError> {
        let dtype = from_literal(literal, 0)?;
        if dtype.itemsize() > u64::from(MAX_ITEMSIZE) {
            return Err(NumpyError::ItemTooLarge { limit: MAX_ITEMSIZE });
        }
        Ok(dtype)
    }

    /// Returns the size of an item in bytes. Never more than 2³¹ - 1 for a dtype that was parsed.
    #[must_use]
    pub fn itemsize(&self) -> u64 {
        match self {
            Self::Scalar(scalar) => u64::from(scalar.itemsize()),
            Self::Struct(fields) => fields.iter().fold(0, |size, field| size.saturating_add(field.dtype.itemsize())),
            Self::Subarray(_, shape) if shape.contains(&0) => 0,
            Self::Subarray(base, shape) => {
                shape.iter().fold(base.itemsize(), |size, n| size.saturating_mul(u64::from(*n)))
            }
        }
    }

    /// Formats the dtype like `Display`: as Python writes `repr(dtype.str)`, or `repr(dtype.descr)` if it has fields.
    /// [`parse`](Self::parse) reads it back.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`]: the text is as long as the one that was parsed.
    pub fn to_descr(&self) -> Result<String, OutOfMemory> {
        memory::format(format_args!("{self}"))
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => write!(f, "'{scalar}'"),
            Self::Struct(fields) => {
                f.write_char('[')?;
                for (index, field) in fields.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    field.write_descr(f)?;
                }
                f.write_char(']')
            }
            Self::Subarray(base, shape) => write!(f, "({base}, {})", tuple(shape)),
        }
    }
}

impl Field {
    /// Returns whether the field only fills a gap.
    #[must_use]
    pub fn is_padding(&self) -> bool {
        self.name.is_empty() && matches!(&self.dtype, Dtype::Scalar(scalar) if scalar.kind() == super::ScalarKind::Void)
    }

    fn write_descr(&self, out: &mut impl Write) -> fmt::Result {
        out.write_char('(')?;
        match &self.title {
            None => write_str_repr(&self.name, out)?,
            Some(title) => {
                out.write_char('(')?;
                write_str_repr(title, out)?;
                out.write_str(", ")?;
                write_str_repr(&self.name, out)?;
                out.write_char(')')?;
            }
        }
        match &self.dtype {
            Dtype::Subarray(base, shape) => write!(out, ", {base}, {})", tuple(shape)),
            dtype => write!(out, ", {dtype})"),
        }
    }
}

/// Formats a tuple of integers as Python does: `()`, `(4,)`, `(2, 3)`.
pub(super) fn tuple<T: ToString>(items: &[T]) -> String {
    match items {
        [only] => format!("({},)", only.to_string()),
        items => format!("({})", items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Converts a literal to a dtype: a string, a list of fields, or a tuple of a dtype and a shape.
fn from_literal(literal: &Literal, depth: usize) -> Result<Dtype, NumpyError> {
    if depth == MAX_DEPTH {
        return Err(NumpyError::Descr("the dtype nests too deep"));
    }
    match literal {
        Literal::Str(text) => Dtype::from_type_string(text),
        Literal::List(fields) => struct_of(fields, depth),
        Literal::Tuple(pair) => match pair.as_slice() {
            [base, shape] => subarray(from_literal(base, depth + 1)?, shape),
            _ => Err(NumpyError::Descr("a dtype that is a tuple must be a dtype and a shape")),
        },
        _ => Err(NumpyError::Descr("a dtype must be a string, a list of fields, or a dtype and a shape")),
    }
}

fn struct_of(fields: &[Literal], depth: usize) -> Result<Dtype, NumpyError> {
    let fields: Vec<Field> = memory::try_collect(fields.iter().map(|literal| field(literal, depth)))?;
    // NumPy also looks up fields by title. It numbers fields without a name.
    let mut names = HashSet::new();
    let most = 2 * fields.len();
    names.try_reserve(most).map_err(|_| OutOfMemory::new(most.saturating_mul(size_of::<&str>())))?;
    for name in fields.iter().flat_map(|field| [Some(&field.name), field.title.as_ref()]).flatten() {
        if !name.is_empty() && !names.insert(name) {
            return Err(NumpyError::DuplicateField(name.as_str().into()));
        }
    }
    Ok(Dtype::Struct(Arc::new(fields)))
}

/// Parses `(name, dtype)` or `(name, dtype, shape)`, where the name may be `(title, name)`.
fn field(literal: &Literal, depth: usize) -> Result<Field, NumpyError> {
    let Literal::Tuple(items) = literal else {
        return Err(NumpyError::Descr("a field must be a tuple"));
    };
    let (name, dtype, shape) = match items.as_slice() {
        [name, dtype] => (name, dtype, None),
        [name, dtype, shape] => (name, dtype, Some(shape)),
        _ => return Err(NumpyError::Descr("a field must be a tuple of two or three")),
    };
    let (title, name) = match name {
        Literal::Str(name) => (None, name),
        Literal::Tuple(names) => match names.as_slice() {
            [Literal::Str(title), Literal::Str(name)] => (Some(title), name),
            [Literal::None, Literal::Str(name)] => (None, name),
            _ => return Err(NumpyError::Descr("a field's title and name must be strings")),
        },
        _ => return Err(NumpyError::Descr("a field's name must be a string")),
    };
    let dtype = from_literal(dtype, depth + 1)?;
    let dtype = match shape {
        None => dtype,
        Some(shape) => subarray(dtype, shape)?,
    };
    let title = title.map(|title| memory::text_of(title)).transpose()?;
    Ok(Field { name: memory::text_of(name)?, title, dtype })
}

/// Creates a subarray. The shape is a tuple, a list or a single number. Without dimensions the result is the base
/// itself.
fn subarray(base: Dtype, shape: &Literal) -> Result<Dtype, NumpyError> {
    let items = match shape {
        Literal::Tuple(items) | Literal::List(items) => items.as_slice(),
        single => std::slice::from_ref(single),
    };
    let dimension = |item: &Literal| match item {
        Literal::Int(n) => u32::try_from(*n).ok().filter(|n| *n <= MAX_ITEMSIZE),
        _ => None,
    };
    let refuse = || NumpyError::Descr("a field's shape must be made of integers from 0 to 2147483647");
    let shape: Vec<u32> = memory::try_collect(items.iter().map(|item| dimension(item).ok_or_else(refuse)))?;
    Ok(if shape.is_empty() { base } else { Dtype::Subarray(Box::new(base), shape) })
}

/// Converts the JSON lists of a `descr` back: a list of lists was a list, any other list was a tuple.
fn legacy_literal(json: &Json, depth: usize) -> Result<Literal, NumpyError> {
    if depth > 2 * MAX_DEPTH {
        return Err(NumpyError::Descr("the dtype nests too deep"));
    }
    match json {
        Json::String(text) => Ok(Literal::Str(memory::text_of(text)?)),
        Json::Int(value) => Ok(Literal::Int(*value)),
        Json::Array(items) => {
            let literals = memory::try_collect(items.iter().map(|item| legacy_literal(item, depth + 1)))?;
            Ok(match items.first() {
                Some(Json::Array(_)) => Literal::List(literals),
                _ => Literal::Tuple(literals),
            })
        }
        _ => Err(NumpyError::Key("dtype")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descr_leads_back() {
        for (descr, itemsize) in [
            ("'<f8'", 8),
            ("[('a', '<i4'), ('b', '<f8')]", 12),
            ("[('p', [('x', '<f4'), ('y', '<f4')]), ('c', '|S3')]", 11),
            ("[('m', '<f8', (2, 3)), ('n', '<i2', (4,))]", 56),
            ("[('a', '|i1'), ('', '|V7'), ('b', '<f8')]", 16),
            ("[(('title', 'a'), '<i4')]", 4),
            ("[('a', ('<f4', (2,)), (3,))]", 24),
            ("[('p', [('x', '<f4')], (2,))]", 8),
            ("[('é', '<i4'), (\"it's\", '<i4'), ('\\u200b', '<U1')]", 12),
            ("[]", 0),
            ("[('a', '<f8', (0, 7))]", 0),
        ] {
            let dtype = Dtype::parse(descr).unwrap();
            assert_eq!((dtype.to_string().as_str(), dtype.itemsize()), (descr, itemsize));
        }
    }

    #[test]
    fn old_json_lists() {
        let read = |json: &str| Dtype::from_json(&Json::parse(json).unwrap()).map(|dtype| dtype.to_string());
        let nested = r#"[["a","<f4"],["b",[["c","|S4"]]],["d","<f4",2],["e","<f4",[2,3]]]"#;
        let descr = "[('a', '<f4'), ('b', [('c', '|S4')]), ('d', '<f4', (2,)), ('e', '<f4', (2, 3))]";
        assert_eq!(read(nested).as_deref(), Ok(descr));
        assert_eq!(read(r#""<f8""#).as_deref(), Ok("'<f8'"));
        assert_eq!(read(r#""|S1""#).as_deref(), Ok("'|S1'"));
        assert_eq!(read(r#""|O""#), Err(NumpyError::Object.into()));
        assert!(matches!(read(r#""[('a',""#), Err(FormatError::Text { offset: 6, .. })));
        assert!(read("[]").is_err());
        assert!(read("{}").is_err());
    }

    #[test]
    fn refuses_what_cannot_be() {
        let refused = |descr: &str| match Dtype::parse(descr) {
            Err(FormatError::Numpy(error)) => error,
            other => panic!("{descr}: {other:?}"),
        };
        assert_eq!(refused("'|O'"), NumpyError::Object);
        assert_eq!(refused("[('a', '<f4'), ('b', [('x', '|O8')])]"), NumpyError::Object);
        assert_eq!(refused("[('a', '<f4'), ('a', '<f4')]"), NumpyError::DuplicateField("a".into()));
        assert_eq!(refused("[(('b', 'a'), '<f4'), ('b', '<f4')]"), NumpyError::DuplicateField("b".into()));
        let too_large = NumpyError::ItemTooLarge { limit: 2_147_483_647 };
        assert_eq!(refused("[('a', 'S2147483647'), ('b', '<i4')]"), too_large);
        assert_eq!(refused("[('a', '<f8', (2147483647, 2147483647, 2147483647))]"), too_large);
        for descr in ["[('a',)]", "[['a', '<f4']]", "('<f4',)", "7", "{}", "[('a', '<f4', (-1,))]", "[(1, '<f4')]"] {
            assert!(matches!(refused(descr), NumpyError::Descr(_)));
        }
        let nested = |depth| "[('a', ".repeat(depth) + "'<f4'" + &")]".repeat(depth);
        assert!(Dtype::parse(&nested(MAX_DEPTH - 1)).is_ok());
        assert!(matches!(refused(&nested(MAX_DEPTH)), NumpyError::Descr(_)));
    }
}
