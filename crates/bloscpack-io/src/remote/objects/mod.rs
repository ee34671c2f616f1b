//! Operations on the objects of a store.
//!
//! | file | content |
//! |---|---|
//! | `list` | the names below a prefix |
//! | `put` | objects that are written, large ones in parts |

mod list;
#[cfg(feature = "write")]
mod put;

pub(super) use self::list::{Names, list};
#[cfg(feature = "write")]
pub(super) use self::put::{exists, put, put_file};
