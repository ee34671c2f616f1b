//! Pictures in README, drawn from saved tables.
//!
//! | file | picture |
//! |---|---|
//! | `speed` | our speed as a multiple of C-Blosc2's, codec by codec |
//! | `auto` | ratio over speed of automatic choice and other programs, one panel per kind of data |
//! | `canvas` | the elements of a picture |

mod auto;
mod canvas;
mod speed;

use anyhow::Result;
use std::path::Path;

/// Draws the named pictures, or all of them, in the folder of the tables.
pub fn draw(folder: &Path, names: &[String]) -> Result<()> {
    let is_asked = |name| names.is_empty() || names.iter().any(|asked| asked == name);
    if is_asked("speed") {
        speed::draw(folder)?;
    }
    if is_asked("auto") {
        auto::draw(folder)?;
    }
    Ok(())
}
