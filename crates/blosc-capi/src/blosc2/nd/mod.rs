//! The arithmetic of n-dimensional arrays.
//!
//! | file | content |
//! |---|---|
//! | `shapes` | the shapes of an array, checked, and the numbers that follow from them |
//! | `meta` | the metalayer that makes a super-chunk an array |
//! | `copy` | copies of items between buffers |
//! | `places` | where items are among the chunks and blocks |
//!
//! The chunks that a slice touches are those of bloscpack-format's [`Grid`](bloscpack_format::frame::Grid).

mod copy;
mod meta;
mod places;
mod shapes;

pub(crate) use copy::{Offsets, copy, slice_offsets};
pub(crate) use meta::{Meta, deserialize, serialize};
pub(crate) use places::Places;
pub(crate) use shapes::{Counts, Geometry, MAX_DIM, Shapes, Strides};
