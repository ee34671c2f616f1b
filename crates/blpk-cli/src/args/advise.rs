//! Arguments of `blpk advise`.

use super::auto;
use super::compress_format::CompressFormat;
use super::int::Int;
use super::template::HELP;
use super::values;
use blosc_core::Goal;
use clap::Args;
use std::path::PathBuf;

/// `blpk advise`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk advise [--goal <goal,...>] [-t <size>] [--format <format>]
                   \
                      [--column <name>] [--json] <file> [<file> ...]",
    after_long_help = "examples:\n  \
        blpk advise data.bin                the choice for each of the three goals\n  \
        blpk advise --goal small *.npy      for the smallest output\n  \
        blpk advise --json -t f4 data.bin   for programs; elements of 4 bytes\n\n\
        Up to 16 pieces of 1 MiB are read from all over the file, or from its content if blpk can read it.\n\
        Ratios are those of samples of them. Speeds are nominal: they rank settings, and are not measured\n\
        on this machine. The last lines are commands to paste. Nothing is written.",
    help_template = HELP
)]
pub(crate) struct AdviseArgs {
    /// fast, balanced or small, with commas between them (default: all three)
    #[arg(long = "goal", value_name = "goal,...", value_delimiter = ',', value_parser = auto::goal_name)]
    pub(crate) goals: Vec<Goal>,
    /// bytes of one element, 1 to 255, or its dtype (default: the array's, else detected)
    #[arg(short, long, value_name = "size", value_parser = values::typesize, allow_negative_numbers = true)]
    pub(crate) typesize: Option<Int>,
    /// blp, or b2frame for Blosc2 frames, which have more filters (default: blp)
    #[arg(long, value_name = "format", value_parser = values::compress_format)]
    pub(crate) format: Option<CompressFormat>,
    /// a column of a bcolz ctable, or an array of a Zarr group
    #[arg(long, value_name = "name")]
    pub(crate) column: Option<String>,
    /// one JSON object for each file instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// files to look at
    #[arg(value_name = "file", help_heading = "files", required = true, value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) files: Vec<PathBuf>,
}
