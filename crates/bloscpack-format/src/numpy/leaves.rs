//! The scalars of an item of any dtype, for tables and statistics that show them as columns.

use super::{Dtype, Scalar};
use blosc_core::{OutOfMemory, memory};

/// Maximum number of scalars, more than a table has columns.
const MAX_LEAVES: usize = 1 << 16;

/// A scalar within an item, or an array of them where a field is a subarray.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The names of the enclosing fields, joined with dots; empty if the item is itself a scalar.
    pub name: String,
    /// Offset of the first scalar in the item.
    pub offset: usize,
    /// The axes of a subarray; empty for a single scalar.
    pub axes: Vec<u64>,
    /// Distance between consecutive scalars of the subarray, in bytes.
    pub step: usize,
    /// The dtype of each scalar.
    pub scalar: Scalar,
}

impl Leaf {
    /// Returns the number of scalars.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.axes.iter().fold(1, |len, axis| len.saturating_mul(*axis))
    }

    /// Returns whether it has no scalar, like an empty subarray.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the scalars of an item, in C order.
    #[inline]
    pub fn scalars<'a>(&'a self, item: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + 'a {
        let size = self.scalar.itemsize() as usize;
        (0..self.len()).map_while(move |number| {
            let at = self.offset.checked_add(usize::try_from(number).ok()?.checked_mul(self.step)?)?;
            item.get(at..at.checked_add(size)?)
        })
    }
}

impl Dtype {
    /// Returns the scalars of an item, in memory order and without padding. `None` if the dtype has more than 65536 of
    /// them, or a subarray of structs, which no table shows as columns.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn leaves(&self) -> Result<Option<Vec<Leaf>>, OutOfMemory> {
        let mut leaves = Vec::new();
        let is_table = collect(self, String::new(), 0, &mut leaves)?;
        Ok(is_table.then_some(leaves))
    }
}

/// Appends the scalars of a dtype at `offset`. Returns `false` if a table cannot show them.
fn collect(dtype: &Dtype, name: String, offset: usize, leaves: &mut Vec<Leaf>) -> Result<bool, OutOfMemory> {
    match dtype {
        Dtype::Scalar(scalar) => {
            let step = scalar.itemsize() as usize;
            memory::push(leaves, Leaf { name, offset, axes: Vec::new(), step, scalar: *scalar })?;
        }
        Dtype::Subarray(base, shape) => {
            let (mut base, mut axes) = (&**base, memory::collect(shape.iter().copied().map(u64::from))?);
            while let Dtype::Subarray(inner, shape) = base {
                memory::reserve(&mut axes, shape.len())?;
                axes.extend(shape.iter().copied().map(u64::from));
                base = inner;
            }
            let Dtype::Scalar(scalar) = base else { return Ok(false) };
            let step = scalar.itemsize() as usize;
            memory::push(leaves, Leaf { name, offset, axes, step, scalar: *scalar })?;
        }
        Dtype::Struct(fields) => {
            let mut at = offset;
            for field in fields.iter() {
                if !field.is_padding() {
                    let dot = if name.is_empty() { "" } else { "." };
                    let name = memory::format(format_args!("{name}{dot}{}", field.name))?;
                    if !collect(&field.dtype, name, at, leaves)? {
                        return Ok(false);
                    }
                }
                let end = usize::try_from(field.dtype.itemsize()).ok().and_then(|size| at.checked_add(size));
                let Some(end) = end else { return Ok(false) };
                at = end;
            }
        }
    }
    Ok(leaves.len() <= MAX_LEAVES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_at_their_offsets() {
        let dtype = "[('a', '<i2'), ('', '|V2'), ('b', [('x', '<f4'), ('y', '<u1', (2, 3))])]";
        let leaves = Dtype::parse(dtype).unwrap().leaves().unwrap().unwrap();
        let found: Vec<_> = leaves.iter().map(|leaf| (leaf.name.as_str(), leaf.offset, leaf.len())).collect();
        assert_eq!(found, [("a", 0, 1), ("b.x", 4, 1), ("b.y", 8, 6)]);
        let item: Vec<u8> = (0..14).collect();
        assert_eq!(leaves[2].scalars(&item).collect::<Vec<_>>().concat(), [8, 9, 10, 11, 12, 13]);
        assert_eq!(Dtype::parse("[('a', [('b', '<i2')], (2,))]").unwrap().leaves(), Ok(None));
        assert_eq!(Dtype::parse("'<f8'").unwrap().leaves().unwrap().unwrap()[0].name, "");
    }
}
