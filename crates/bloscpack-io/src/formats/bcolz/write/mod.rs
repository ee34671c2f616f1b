//! Writing carrays and ctables so that a process that is killed at any moment leaves the old state or the new one.
//!
//! | file | what it knows |
//! |---|---|
//! | `params` | what a new carray is to be |
//! | `carray`, `ctable` | what a user can do with an array, with a table |
//! | `attrs` | the attributes of a table and its columns |
//! | `columns` | columns that are added, removed, renamed |
//! | `column` | a carray, alone or in a table, on its way from one state to the next |
//! | `chunks` | its chunks: where they are now, and where new ones go |
//! | `rows` | rows appended, put in place of others, removed |
//! | `stream` | rows from a stream, by many threads |
//! | `flush` | which files get their names, in which order |
//! | `staging` | where what is new is until then, and how many changes become one |

mod attrs;
mod carray;
mod chunks;
mod column;
mod columns;
mod ctable;
mod flush;
mod params;
mod rows;
mod staging;
mod stream;

pub use carray::CarrayWriter;
pub(crate) use carray::Place;
pub(crate) use column::Column;
pub use ctable::CtableWriter;
pub use params::CarrayParams;
pub(crate) use staging::Staging;
