//! Runs that end after the command line is parsed.

/// A run that ends before any work starts.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The user asked for a text.
    Text(String),
    /// The command line cannot be understood.
    Usage {
        /// The usage of the command.
        usage: String,
        /// The error.
        message: String,
    },
    /// A value on the command line is refused.
    Failure(String),
}
