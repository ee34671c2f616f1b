//! Salvaging damaged containers: a new container of the chunks that are whole, and a report of those that are lost.
//!
//! | module | container |
//! |---|---|
//! | `bloscpack` | bloscpack files |
//! | `frame` | Blosc2 frames |
//! | `bcolz` | carrays and ctables |
//! | `lost` | the memory of the report |

pub(crate) mod bcolz;
mod bloscpack;
pub(crate) mod frame;
mod lost;

pub use self::bloscpack::{Lost, RecoverReport, recover};
