//! Messages on stderr, where C-Blosc prints them.

use std::io::Write as _;

/// Prints a message. A closed stderr is not an error.
pub(super) fn warn(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
