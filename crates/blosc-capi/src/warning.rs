//! Messages on stderr, where the originals print them.

use std::io::Write as _;

/// Prints a message. A closed stderr is not an error.
pub(crate) fn warn(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
