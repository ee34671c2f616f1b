//! The scalars of an item and their texts.

use bloscpack_format::numpy::{Dtype, Leaf, Scalar};

use crate::error::{Error, NoText};

/// Returns the scalars of an item, all of which must have a text form.
pub(crate) fn text_leaves(dtype: &Dtype) -> Result<Vec<Leaf>, Error> {
    let refuse = || Error::from(NoText::dtype(dtype));
    let leaves = dtype.leaves()?.ok_or_else(refuse)?;
    if leaves.iter().all(|leaf| leaf.scalar.has_text()) { Ok(leaves) } else { Err(refuse()) }
}

/// Calls `field` with the text of every scalar of an item.
pub(crate) fn each_text(
    leaves: &[Leaf],
    item: &[u8],
    text: &mut Vec<u8>,
    mut field: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    for leaf in leaves {
        let scalar: &Scalar = &leaf.scalar;
        for bytes in leaf.scalars(item) {
            text.clear();
            scalar.text_of(bytes, text)?;
            field(text)?;
        }
    }
    Ok(())
}
