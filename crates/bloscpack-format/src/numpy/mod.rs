//! NumPy arrays in bloscpack files: dtypes, their metadata, and `.npy` headers.
//!
//! | file | contents |
//! |---|---|
//! | `scalar` | type strings: `<f8`, `\|S5`, `<M8[25s]` |
//! | `dtype` | dtypes with fields and subarrays, and their `descr` |
//! | `literal` | the Python literals of a `descr` |
//! | `metadata` | the JSON that bloscpack stores beside an array |
//! | `text` | an item as text |
//! | `value` | an item as a number |
//! | `leaves` | the scalars of an item of any dtype |
//! | `slice`, `strided` | basic slices, the selected items, and their positions in memory |
//! | `half` | floats of two bytes |
//! | `npy` | the header of a `.npy` file |

mod dtype;
pub(crate) mod half;
mod leaves;
mod literal;
mod metadata;
pub mod npy;
mod scalar;
mod slice;
mod strided;
mod text;
mod value;

pub use crate::error::NumpyError;
pub use dtype::{Dtype, Field};
pub use leaves::Leaf;
pub use metadata::{NumpyMeta, Order};
pub use scalar::{ByteOrder, DatetimeUnit, Scalar, ScalarKind};
pub use slice::{AxisSelection, Selection, Slice};
pub(crate) use strided::steps;
pub use strided::{Run, Runs, Strided};
pub use value::Value;
