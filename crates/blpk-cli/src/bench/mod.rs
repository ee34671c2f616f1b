//! `blpk bench`: measures many settings on a sample of the user's data.
//!
//! | file | contents |
//! |---|---|
//! | `sample` | the measured bytes of an input |
//! | `setting` | one setting, and its measured figures |
//! | `sweep` | measures many settings |
//! | `front` | the settings that no other one beats |
//! | `budget` | the time limit |
//! | `winners` | the settings to choose, and the command lines for them |
//! | `table`, `plot` | the figures as a table, as JSON and as a picture |

mod budget;
mod front;
mod plot;
mod sample;
mod setting;
mod sweep;
mod table;
mod winners;

pub(crate) use plot::plot;
pub(crate) use sample::{Sample, TYPESIZES};
pub(crate) use setting::{Figures, Setting};
pub(crate) use sweep::Sweep;
pub(crate) use table::{json, table};
pub(crate) use winners::{command, winners};
