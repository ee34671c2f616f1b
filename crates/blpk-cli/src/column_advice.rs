//! Advice to users whose input has many arrays, for commands that read one.

/// How the user can choose a column of a ctable, or an array of a Zarr group, for a command.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ColumnAdvice {
    /// The command has the option `--column`.
    UseOption,
    /// The command has no such option, but `convert` has it.
    ConvertFirst,
}

impl ColumnAdvice {
    /// Returns the advice for a `column` or an `array`.
    pub(crate) fn for_a(self, what: &str) -> String {
        let article = if what.starts_with('a') { "an" } else { "a" };
        match self {
            ColumnAdvice::UseOption => format!("choose {article} {what} with --column"),
            ColumnAdvice::ConvertFirst => {
                format!("convert {article} {what} first, with 'blpk convert --column NAME'")
            }
        }
    }
}
