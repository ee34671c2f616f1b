//! Options of the commands of `blpk meta`.

use super::bad_value::BadValue;
use super::template::HELP;
use super::values;
use bloscpack_format::python_str_repr;
use bloscpack_format::{FormatError, Json};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `blpk meta …`
#[derive(Debug, Subcommand)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk meta (get | set | rm) ...",
    subcommand_help_heading = "commands",
    disable_help_subcommand = true,
    help_template = HELP
)]
pub(crate) enum MetaCommand {
    /// print an attribute, or all of them as one JSON object
    Get(MetaGetArgs),
    /// set an attribute to a JSON value
    Set(MetaSetArgs),
    /// remove an attribute
    Rm(MetaRemoveArgs),
}

/// `blpk meta get`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk meta get [--column <name>] [--raw] <file> [<key>]",
    after_long_help = "examples:\n  \
        blpk meta get data.b2nd            all attributes as one JSON object\n  \
        blpk meta get data.blp unit        the value of one, as JSON\n  \
        blpk meta get --raw data.blp unit  a text without its quotes",
    help_template = HELP
)]
pub(crate) struct MetaGetArgs {
    /// a column of a bcolz ctable, or an array of a Zarr group; default: the attributes of the whole
    #[arg(long, value_name = "name")]
    pub(crate) column: Option<String>,
    /// write the bytes of a string or of $bytes, $str or $raw unchanged, without a newline
    #[arg(long, requires = "key")]
    pub(crate) raw: bool,
    /// bloscpack file, frame, bcolz directory, Zarr array or group
    #[arg(value_name = "file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
    /// name of the attribute
    #[arg(value_name = "key", help_heading = "files", allow_hyphen_values = true)]
    pub(crate) key: Option<String>,
}

/// `blpk meta set`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk meta set [--column <name>] [--string] <file> <key> <value>",
    after_long_help = "examples:\n  \
        blpk meta set data.b2nd scale 0.25\n  \
        blpk meta set data.b2nd tags '[\"raw\", \"2024\"]'\n  \
        blpk meta set --string data.blp unit kelvin",
    help_template = HELP
)]
pub(crate) struct MetaSetArgs {
    /// a column of a bcolz ctable; default: the attributes of the table
    #[arg(long, value_name = "name")]
    pub(crate) column: Option<String>,
    /// use the value as a string, not as JSON
    #[arg(long)]
    pub(crate) string: bool,
    /// bloscpack file, frame or bcolz directory
    #[arg(value_name = "file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
    /// name of the attribute
    #[arg(value_name = "key", help_heading = "files", allow_hyphen_values = true)]
    pub(crate) key: String,
    /// its value, as JSON; NaN, Infinity and integers of any size are allowed
    #[arg(value_name = "value", help_heading = "files", allow_hyphen_values = true)]
    pub(crate) value: String,
}

impl MetaSetArgs {
    /// The value, which is JSON unless `--string` is given.
    pub(crate) fn json(&self) -> Result<Json, BadValue> {
        if self.string {
            return Ok(Json::String(self.value.clone()));
        }
        Json::parse(&self.value).map_err(|error| {
            if let FormatError::OutOfMemory(error) = error {
                return BadValue::Usage(error.to_string());
            }
            let shown: String = self.value.chars().take(60).collect();
            let cut = if shown.len() < self.value.len() { "…" } else { "" };
            let shown = python_str_repr(&format!("{shown}{cut}"));
            BadValue::Usage(format!(
                "argument <value>: {shown} is not JSON: {error}; write text with quotes, '\"text\"', or use --string"
            ))
        })
    }
}

/// `blpk meta rm`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk meta rm [--column <name>] <file> <key>",
    after_long_help = "examples:\n  \
        blpk meta rm data.b2nd unit\n  \
        blpk meta rm --column close bars.bcolz unit",
    help_template = HELP
)]
pub(crate) struct MetaRemoveArgs {
    /// a column of a bcolz ctable; default: the attributes of the table
    #[arg(long, value_name = "name")]
    pub(crate) column: Option<String>,
    /// bloscpack file, frame or bcolz directory
    #[arg(value_name = "file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
    /// name of the attribute
    #[arg(value_name = "key", help_heading = "files", allow_hyphen_values = true)]
    pub(crate) key: String,
}
