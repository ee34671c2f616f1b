//! The Arrow type of each NumPy dtype.
//!
//! Only NaT is null, but every field is nullable, as in the tables that consumers make of NumPy arrays: tables are joined
//! only if their fields agree.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};
use bloscpack_io::bloscpack_format::numpy::{ByteOrder, Dtype, Scalar, ScalarKind};

use super::time::Ticks;

/// How the bytes of an item become a value of an Arrow array.
#[derive(Debug)]
pub(super) enum Layout {
    /// One byte, a bit in Arrow.
    Bool,
    /// Numbers and raw bytes, as they are or with their bytes reversed.
    Plain { data_type: DataType, size: usize, swap: bool },
    /// Bytes padded with NULs, text unless `binary`.
    Bytes { size: usize, binary: bool },
    /// UTF-32 padded with NULs.
    Text { size: usize, swap: bool },
    /// Dates and spans of time.
    Ticks(Ticks),
    /// A fixed number of items.
    List { item: Box<Layout>, len: usize },
    /// Members within items of `size` bytes.
    Struct { members: Vec<Member>, size: usize },
}

/// A member of a struct.
#[derive(Debug)]
pub(super) struct Member {
    name: String,
    pub(super) offset: usize,
    pub(super) layout: Layout,
}

/// Returns whether the bytes of items are in the order of another machine.
fn swap(scalar: &Scalar) -> bool {
    let big = scalar.byte_order() == ByteOrder::Big;
    scalar.byte_order() != ByteOrder::NotApplicable && big != cfg!(target_endian = "big")
}

impl Layout {
    /// Returns the layout of rows with these axes.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn of_rows(dtype: &Dtype, axes: &[u64], binary: bool) -> Result<Self, String> {
        Self::of(dtype, binary)?.with_axes(axes.iter().copied())
    }

    fn of(dtype: &Dtype, binary: bool) -> Result<Self, String> {
        match dtype {
            Dtype::Scalar(scalar) => Self::of_scalar(scalar, binary),
            Dtype::Subarray(base, axes) => Self::of(base, binary)?.with_axes(axes.iter().copied().map(u64::from)),
            Dtype::Struct(fields) => {
                let (mut members, mut offset) = (Vec::new(), 0);
                for field in fields.iter() {
                    let size = usize::try_from(field.dtype.itemsize()).unwrap_or(usize::MAX);
                    if !field.is_padding() {
                        let layout = Self::of(&field.dtype, binary)?;
                        members.push(Member { name: field.name.clone(), offset, layout });
                    }
                    offset = offset.saturating_add(size);
                }
                if offset == 0 {
                    return Err("its items have no bytes".into());
                }
                Ok(Layout::Struct { members, size: offset })
            }
            _ => Err("the dtype is unknown".into()),
        }
    }

    fn with_axes(self, axes: impl DoubleEndedIterator<Item = u64>) -> Result<Self, String> {
        axes.rev().try_fold(self, |item, axis| {
            let len = usize::try_from(axis).ok().filter(|len| i32::try_from(*len).is_ok() && *len > 0);
            let len = len.ok_or_else(|| format!("an axis within its rows has length {axis}"))?;
            Ok(Layout::List { item: Box::new(item), len })
        })
    }

    fn of_scalar(scalar: &Scalar, binary: bool) -> Result<Self, String> {
        let (size, swap) = (scalar.itemsize() as usize, swap(scalar));
        if size == 0 {
            return Err("its items have no bytes".into());
        }
        let plain = |data_type| Layout::Plain { data_type, size, swap };
        Ok(match (scalar.kind(), size) {
            (ScalarKind::Bool, _) => Layout::Bool,
            (ScalarKind::Int, 1) => plain(DataType::Int8),
            (ScalarKind::Int, 2) => plain(DataType::Int16),
            (ScalarKind::Int, 4) => plain(DataType::Int32),
            (ScalarKind::Int, _) => plain(DataType::Int64),
            (ScalarKind::UInt, 1) => plain(DataType::UInt8),
            (ScalarKind::UInt, 2) => plain(DataType::UInt16),
            (ScalarKind::UInt, 4) => plain(DataType::UInt32),
            (ScalarKind::UInt, _) => plain(DataType::UInt64),
            (ScalarKind::Float, 2) => plain(DataType::Float16),
            (ScalarKind::Float, 4) => plain(DataType::Float32),
            (ScalarKind::Float, 8) => plain(DataType::Float64),
            (ScalarKind::Complex, 8) => Self::complex(DataType::Float32, 4, swap),
            (ScalarKind::Complex, 16) => Self::complex(DataType::Float64, 8, swap),
            (ScalarKind::Float | ScalarKind::Complex, _) => {
                return Err("Arrow has no floats of more than 8 bytes".into());
            }
            (ScalarKind::Bytes, _) => Layout::Bytes { size, binary },
            (ScalarKind::Str, _) => Layout::Text { size, swap },
            // At most i32::MAX, NumPy's own limit.
            (ScalarKind::Void, _) => plain(DataType::FixedSizeBinary(size as i32)),
            (ScalarKind::Datetime, _) => Layout::Ticks(Ticks::datetime(scalar.unit(), swap)?),
            (ScalarKind::Timedelta, _) => Layout::Ticks(Ticks::timedelta(scalar.unit(), swap)?),
            _ => return Err("the dtype is unknown".into()),
        })
    }

    fn complex(data_type: DataType, size: usize, swap: bool) -> Self {
        let part = |name: &str, offset| Member {
            name: name.into(),
            offset,
            layout: Layout::Plain { data_type: data_type.clone(), size, swap },
        };
        Layout::Struct { members: vec![part("real", 0), part("imag", size)], size: 2 * size }
    }

    /// Returns the size of an item in the column, at least 1.
    pub(super) fn size(&self) -> usize {
        match self {
            Layout::Bool => 1,
            Layout::Plain { size, .. } | Layout::Bytes { size, .. } => *size,
            Layout::Text { size, .. } | Layout::Struct { size, .. } => *size,
            Layout::Ticks(_) => 8,
            Layout::List { item, len } => item.size().saturating_mul(*len),
        }
    }

    /// Returns the Arrow type.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Layout::Bool => DataType::Boolean,
            Layout::Plain { data_type, .. } => data_type.clone(),
            Layout::Bytes { binary: true, .. } => DataType::Binary,
            Layout::Bytes { .. } | Layout::Text { .. } => DataType::Utf8,
            Layout::Ticks(ticks) => ticks.data_type(),
            Layout::List { item, len } => DataType::FixedSizeList(item.item_field(), *len as i32),
            Layout::Struct { members, .. } => DataType::Struct(Self::fields(members)),
        }
    }

    /// Returns the field of the items of a list.
    pub(super) fn item_field(&self) -> FieldRef {
        Arc::new(Field::new("item", self.data_type(), true))
    }

    /// Returns the fields of a struct.
    pub(super) fn fields(members: &[Member]) -> Fields {
        let field = |member: &Member| Field::new(&member.name, member.layout.data_type(), true);
        members.iter().map(field).collect()
    }
}
