//! Runs that end with the command line.

/// A run that ends before anything was done.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A text was asked for.
    Text(String),
    /// The command line cannot be understood.
    Usage {
        /// How it should look.
        usage: String,
        /// What is wrong with it.
        message: String,
    },
    /// A value on the command line is refused.
    Failure(String),
}
