//! Arguments of `blpk reference`.

use super::template::HELP;
use super::values;
use clap::Args;
use std::path::PathBuf;

/// `blpk reference`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk reference [--axis <n>] [--new-axis] [--name <name>] [--dims <name,...>]
                      \
                      [--base <url>] -o <refs.json> <file> [<file> ...]",
    after_long_help = "examples:\n  \
        blpk reference -o refs.json field.b2nd                          one array\n  \
        blpk reference -o refs.json bars.bcolz                          a group with each column of a table\n  \
        blpk reference -o refs.json --dims time,x day1.b2nd day2.b2nd   joined along the first axis\n  \
        blpk reference -o refs.json --base s3://bucket/data *.b2nd      for the copies of the files there\n\n\
        The output is kerchunk's JSON, version 1. zarr, xarray and dask read the files through it where\n\
        they are, with fsspec's reference file system. No data is copied.",
    help_template = HELP
)]
pub(crate) struct ReferenceArgs {
    /// file for the references, or - for stdout
    #[arg(short, long, value_name = "refs.json", required = true, value_parser = values::path())]
    pub(crate) output: PathBuf,
    /// axis along which several files are joined, from 0 (default: 0)
    #[arg(long, value_name = "n", value_parser = values::axis_number)]
    pub(crate) axis: Option<usize>,
    /// join the files along a new axis, which --axis places
    #[arg(long)]
    pub(crate) new_axis: bool,
    /// name of the array in a group (default: the array is not in a group)
    #[arg(long, value_name = "name")]
    pub(crate) name: Option<String>,
    /// names of the axes, for xarray
    #[arg(long, value_name = "name,...", value_delimiter = ',', num_args = 1)]
    pub(crate) dims: Vec<String>,
    /// URL of the folder that has copies of the files; they are named by paths relative to it (default: absolute paths)
    #[arg(long, value_name = "url")]
    pub(crate) base: Option<String>,
    /// arrays: .b2nd, sparse frames, bcolz carrays and tables, bloscpack files, Zarr arrays and groups
    #[arg(value_name = "file", help_heading = "files", required = true, value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) files: Vec<PathBuf>,
}
