//! What do the commands take that write one container for another?

use super::blosc::BloscArgs;
use super::filters::{self, FilterArg};
use super::values::{self, Int};
use blosc_core::SplitMode;
use bloscpack_format::checksum::Checksum;
use bloscpack_io::ColumnFiles;
use clap::Args;
use std::path::PathBuf;

/// `blpk convert`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk convert [--dtype <dtype>] [--shape <n,n>] [--chunkshape <n,n>]
                    \
                      [--blockshape <n,n>] [--column <name> | --columns-as <format>]
                    \
                      [<blosc settings>] <in_file> <out_file>",
    after_long_help = "examples:\n  \
        blpk convert data.npy data.b2nd                       an array, cut as is usual\n  \
        blpk convert --chunkshape 100,100 data.npy data.b2nd  cut as it is read\n  \
        blpk convert -c zstd data.blp data.b2frame            chunks for Blosc2\n  \
        blpk convert --dtype '<f8' --shape 10,20 x.blp x.npy  plain bytes as an array\n  \
        blpk convert -c zstd data.npy data.bcolz              a carray, as bcolz reads it\n  \
        blpk convert --column close bars.bcolz close.npy      a column of a table\n  \
        blpk convert bars.bcolz bars.csv                      all of it as text\n  \
        blpk convert bars.bcolz bars                          a .npy file for each column",
    help_template = super::HELP
)]
pub(crate) struct ConvertArgs {
    /// dtype of the items, as NumPy writes it (default: that of the input)
    #[arg(long, value_name = "dtype")]
    pub(crate) dtype: Option<String>,
    /// items along each axis (default: those of the input)
    #[arg(long, value_name = "n,n", value_delimiter = ',', value_parser = values::axis, num_args = 1)]
    pub(crate) shape: Option<Vec<u64>>,
    /// the column of a bcolz ctable that is converted
    #[arg(long, value_name = "name")]
    pub(crate) column: Option<String>,
    /// what the columns of a bcolz ctable become, if each becomes a file: npy or b2nd (default: npy)
    #[arg(long, value_name = "format", value_parser = values::column_files, conflicts_with = "column")]
    pub(crate) columns_as: Option<ColumnFiles>,
    /// items of a chunk along each axis; of a carray the first number is the rows of a chunk (default: chunks of about 2 MiB,
    /// in a carray as bcolz does)
    #[arg(long, value_name = "n,n", value_delimiter = ',', value_parser = values::axis, num_args = 1)]
    pub(crate) chunkshape: Option<Vec<u64>>,
    /// items of a block along each axis (default: blocks of about 64 KiB)
    #[arg(long, value_name = "n,n", value_delimiter = ',', value_parser = values::axis, num_args = 1)]
    pub(crate) blockshape: Option<Vec<u64>>,
    #[command(flatten)]
    pub(crate) blosc: BloscArgs,
    /// none, shuffle or bitshuffle; in a frame also delta, trunc-prec, bytedelta and int-trunc, up to six in the order in
    /// which they are to run (default: shuffle, or the lossless ones of the input's frame)
    #[arg(long = "filter", value_name = "name[:meta]", value_parser = filters::filter)]
    pub(crate) filters: Vec<FilterArg>,
    /// bytes of a block of a frame (default: automatic)
    #[arg(long, value_name = "size", value_parser = values::blocksize, allow_negative_numbers = true, hide_short_help = true)]
    pub(crate) blocksize: Option<usize>,
    /// always, never, auto or forward
    #[arg(long, value_name = "mode", value_parser = values::splitmode, hide_short_help = true)]
    pub(crate) splitmode: Option<SplitMode>,
    /// let the blocks of a chunk share a dictionary; frames of lz4, lz4hc and zstd only
    #[arg(long, hide_short_help = true)]
    pub(crate) dict: bool,
    /// bytes, or a number with B, K, M, G or T, or 'max' (default: 1M)
    #[arg(short = 'z', long, value_name = "size", value_parser = values::chunk_size, allow_negative_numbers = true)]
    pub(crate) chunk_size: Option<Int>,
    /// checksum of a bloscpack file (default: adler32)
    #[arg(short = 'k', long, value_name = "checksum", value_parser = values::checksum, hide_short_help = true)]
    pub(crate) checksum: Option<Checksum>,
    /// deactivate offsets of a bloscpack file
    #[arg(short = 'o', long, hide_short_help = true)]
    pub(crate) no_offsets: bool,
    /// JSON file with metadata for a bloscpack file
    #[arg(short, long, value_name = "metadata", hide_short_help = true)]
    pub(crate) metadata: Option<PathBuf>,
    /// file to read, or - for stdin
    #[arg(value_name = "in_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// file to write, whose name ends with .blp, .b2frame, .b2nd or .npy, or directory that ends with .bcolz; of a bcolz
    /// ctable also .csv, or without an end a directory of a file for each column
    #[arg(value_name = "out_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) out_file: PathBuf,
}

/// `blpk recover`
#[derive(Debug, Args)]
#[command(override_usage = "blpk recover [--fill] <in_file> <out_file>", help_template = super::HELP)]
pub(crate) struct RecoverArgs {
    /// give the rows of a lost chunk of a bcolz directory the default value; else the array ends in front of them
    #[arg(long)]
    pub(crate) fill: bool,
    /// frame to save, a file or a directory, or a bcolz carray or ctable
    #[arg(value_name = "in_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// what to write: a new one of the same kind
    #[arg(value_name = "out_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) out_file: PathBuf,
}

/// `blpk compact`
#[derive(Debug, Args)]
#[command(override_usage = "blpk compact <frame>", help_template = super::HELP)]
pub(crate) struct CompactArgs {
    /// frame to rewrite, a file or a directory
    #[arg(value_name = "frame", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}
