//! Runs that end with the command line.

/// A run that ends before anything was done.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A text was asked for.
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
