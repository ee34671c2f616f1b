//! Arguments of the commands that only read.

use super::auto::{self, CodecArg};
use super::digest::{self, DigestArg};
use super::filters::{self, FilterArg};
use super::int::Int;
use super::levels;
use super::range::{self, Range};
use super::template::HELP;
use super::values;
use bloscpack_format::numpy::Slice;
use bloscpack_io::ItemFormat;
use clap::{ArgGroup, Args};
use std::path::PathBuf;

/// `blpk info`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk info [--json] [-r] <file> [<file> ...]",
    after_long_help = "examples:\n  \
        blpk info data.blp           header, metadata and first chunk\n  \
        blpk info --json data.b2nd   the same for programs, on one line",
    help_template = HELP
)]
pub(crate) struct InfoArgs {
    /// one JSON object for each file instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// process all files in directories
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// files to describe
    #[arg(value_name = "file", help_heading = "files", required = true, value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// `blpk list`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk list [--json] [-r] <file> [<file> ...]",
    after_long_help = "examples:\n  \
        blpk list *.blp                    a line for each, and a total\n  \
        blpk list -r --json dir            all in a directory that blpk reads, for programs",
    help_template = HELP
)]
pub(crate) struct ListArgs {
    /// one JSON object for each file instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// process all files in directories
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// files to list
    #[arg(value_name = "file", help_heading = "files", required = true, value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// `blpk verify`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk verify [-r] [--digest <checksum[:hex]>] <file> [<file> ...]",
    after_long_help = "examples:\n  \
        blpk verify *.blp                a line for each; exit code 0 if all are intact\n  \
        blpk verify -qr dir              errors only, of all files in a directory\n  \
        blpk verify --digest md5 *.blp   with the md5 of their content\n\n\
        environment variables, used without the option:\n  \
        BLPK_NTHREADS  -n/--nthreads\n  \
        BLPK_MEMORY    --memory",
    help_template = HELP
)]
pub(crate) struct VerifyArgs {
    /// process all files in directories
    #[arg(short, long)]
    pub(crate) recursive: bool,
    /// memory limit for chunks in flight; reduces the number of threads
    #[arg(long, value_name = "size", value_parser = values::memory, help_heading = "global options")]
    pub(crate) memory: Option<u64>,
    /// print a checksum of the uncompressed bytes, in the format of sha256sum; with a digest, fail if it differs
    #[arg(long, value_name = "checksum[:hex]", value_parser = digest::digest)]
    pub(crate) digest: Option<DigestArg>,
    /// files to check; an error in one does not stop the others
    #[arg(value_name = "file", help_heading = "files", required = true, value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) files: Vec<PathBuf>,
}

impl VerifyArgs {
    /// Returns an error message for options that exclude each other.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_given = self.digest.as_ref().is_some_and(|digest| digest.expected.is_some());
        match is_given && (self.files.len() > 1 || self.recursive) {
            true => Err("argument --digest: a digest belongs to one input; name one".into()),
            false => Ok(()),
        }
    }
}

/// `blpk cat`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    group = ArgGroup::new("part").required(true).multiple(false),
    override_usage = "blpk cat (--items <A..B> | --slice <slice> | --bytes <A..B> | --chunk <K>)
                \
                      [--format <format>] [--dtype <dtype>] [--column <name>] <file>",
    after_long_help = "examples:\n  \
        blpk cat --items 1000..2000 data.blp                a thousand elements\n  \
        blpk cat --items -10.. --format text data.blp       the last ten, as text\n  \
        blpk cat --slice '3,100:200,::2' data.b2nd          a part of an array, with a NumPy slice\n  \
        blpk cat --slice ::-1 --format npy a.bcolz > a.npy  the whole array, reversed, as a NumPy file\n  \
        blpk cat --bytes ..16 data.blp                      the first 16 bytes\n  \
        blpk cat --chunk 0 data.blp                         the first chunk",
    help_template = HELP
)]
pub(crate) struct CatArgs {
    /// elements A to B (exclusive); A or B may be omitted, -10 is the tenth from the end
    #[arg(long, value_name = "A..B", group = "part", value_parser = range::items, allow_hyphen_values = true)]
    pub(crate) items: Option<Range>,
    /// a basic slice of the array, as in NumPy: 3,100:200,::2
    ///
    /// An index, start:stop:step or ... for each axis, with commas between them. Numbers below 0 count from the end.
    #[arg(long, value_name = "slice", group = "part", value_parser = values::slice, allow_hyphen_values = true)]
    pub(crate) slice: Option<Slice>,
    /// bytes A to B (exclusive); A or B may be omitted, -10 is the tenth from the end
    #[arg(long, value_name = "A..B", group = "part", value_parser = range::bytes, allow_hyphen_values = true)]
    pub(crate) bytes: Option<Range>,
    /// the chunk with this number, from 0
    #[arg(long, value_name = "K", group = "part", value_parser = values::chunk)]
    pub(crate) chunk: Option<u64>,
    /// output format: raw (default), npy, csv or text
    #[arg(long, value_name = "format", value_parser = values::item_format)]
    pub(crate) format: Option<ItemFormat>,
    /// dtype of the items, in NumPy's notation (default: the file's, else integers of its typesize)
    #[arg(long, value_name = "dtype")]
    pub(crate) dtype: Option<String>,
    /// a column of a bcolz ctable, or an array of a Zarr group
    #[arg(long, value_name = "name")]
    pub(crate) column: Option<String>,
    /// file to read from
    #[arg(value_name = "file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}

/// `blpk stats`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk stats [--json] [--dtype <dtype>] [--column <name>] <file>",
    after_long_help = "examples:\n  \
        blpk stats data.b2nd              count, range, mean and a histogram\n  \
        blpk stats --dtype f4 data.blp    for bytes without a dtype\n  \
        blpk stats --json bars.bcolz      every column of a table, for programs",
    help_template = HELP
)]
pub(crate) struct StatsArgs {
    /// print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// dtype of the items, in NumPy's notation (default: the file's, else integers of its typesize)
    #[arg(long, value_name = "dtype")]
    pub(crate) dtype: Option<String>,
    /// only this column of a bcolz ctable, or this array of a Zarr group
    #[arg(long, value_name = "name")]
    pub(crate) column: Option<String>,
    /// file to read, or - for stdin
    #[arg(value_name = "file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}

/// `blpk bench`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk bench [-c <codec,...>] [-l <level,...>] [--filter <name,...>]
                  \
                      [-z <size,...>] [-t <size,...>] [--sample <size>] [--seconds <s>]
                  \
                      [--time <s>] [--json] [--plot <out.svg>] <file>",
    after_long_help = "examples:\n  \
        blpk bench data.bin                         all codecs, three levels, three filters, and --auto\n  \
        blpk bench -c lz4,zstd -z 256K,1M data.npy  two codecs, and two chunk sizes\n  \
        blpk bench --plot speed.svg data.blp        a plot: ratio over speed\n\n\
        Samples from the whole file are measured, or from its content if blpk can read it. Settings\n\
        marked with * are those that no other setting beats in ratio and both speeds. The last lines are\n\
        commands to paste.",
    help_template = HELP
)]
pub(crate) struct BenchArgs {
    /// codecs, with commas between them, or auto for the goals of --auto (default: all)
    #[arg(short, long = "codec", value_name = "codec,...", value_delimiter = ',', value_parser = auto::codec)]
    pub(crate) codecs: Vec<CodecArg>,
    /// levels (default: 1,5,9)
    #[arg(
        short = 'l', long = "clevel", value_name = "0-9,...", value_delimiter = ',', value_parser = values::clevel,
        help = levels::help("1,5,9"), long_help = levels::long_help("1,5,9")
    )]
    pub(crate) clevels: Vec<u8>,
    /// none, shuffle, bitshuffle (default: all three)
    #[arg(long = "filter", value_name = "name,...", value_delimiter = ',', value_parser = filters::shuffle)]
    pub(crate) filters: Vec<FilterArg>,
    /// chunk sizes (default: 1M)
    #[arg(short = 'z', long = "chunk-size", value_name = "size,...", value_delimiter = ',', value_parser = values::chunk_size)]
    pub(crate) chunk_sizes: Vec<Int>,
    /// bytes of one element, 1 to 255, or its dtype (default: the content's, else the best of 1, 2, 4, 8 and 16)
    #[arg(short, long = "typesize", value_name = "size,...", value_delimiter = ',', value_parser = values::typesize, allow_negative_numbers = true)]
    pub(crate) typesizes: Vec<Int>,
    /// number of bytes to measure (default: 16M)
    #[arg(long, value_name = "size", value_parser = values::sample, allow_negative_numbers = true)]
    pub(crate) sample: Option<u64>,
    /// seconds for each setting (default: 0.3, less if the time does not suffice for all)
    #[arg(long, value_name = "s", value_parser = values::seconds)]
    pub(crate) seconds: Option<f64>,
    /// seconds for the whole measurement; 0 for no limit (default: 30)
    ///
    /// Fast settings are measured first. A line names the omitted settings.
    #[arg(long, value_name = "s", value_parser = values::time)]
    pub(crate) time: Option<f64>,
    /// one JSON object instead of a table; speeds in bytes per second
    #[arg(long)]
    pub(crate) json: bool,
    /// write a plot, as SVG
    #[arg(long, value_name = "out.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// file to measure, or - for stdin
    #[arg(value_name = "file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}
