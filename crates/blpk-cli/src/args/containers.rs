//! Arguments of the commands that write a new container from an existing one.

use super::filters::{self, FilterArg};
use super::int::Int;
use super::levels;
use super::settings::BloscArgs;
use super::template::HELP;
use super::values;
use blosc_core::SplitMode;
use bloscpack_format::checksum::Checksum;
use bloscpack_format::zarr::Version;
use bloscpack_io::ColumnFiles;
use clap::Args;
use std::path::PathBuf;

/// `blpk convert`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk convert [--dtype <dtype>] [--shape <n,n>] [--raw] [--chunkshape <n,n>]
                    \
                      [--blockshape <n,n>] [--column <name> | --columns-as <format>]
                    \
                      [<settings>] <in_file> <out_file>",
    after_long_help = "examples:\n  \
        blpk convert data.npy data.b2nd                       an array, with default chunks\n  \
        blpk convert --chunkshape 100,100 data.npy data.b2nd  with chunks as it is read\n  \
        blpk convert -c zstd data.blp data.b2frame            as Blosc2 chunks\n  \
        blpk convert --auto data.npy data.blp                 with settings that suit the data\n  \
        blpk convert --dtype '<f8' --shape 10,20 x.blp x.npy  raw bytes as an array\n  \
        blpk convert --dtype f4 --shape 10,20 raw.bin x.b2nd  the same for any file\n  \
        blpk convert -c zstd data.npy data.bcolz              a carray, as bcolz reads it\n  \
        blpk convert bars.bcolz bars.zarr                     a Zarr group; compressed chunks are copied
  \
        blpk convert bars.zarr bars.bcolz                     its arrays as columns of a table\n  \
        blpk convert --column close bars.bcolz close.npy      a column of a table\n  \
        blpk convert bars.bcolz bars.csv                      the table as text; also for arrays\n  \
        blpk convert bars.bcolz bars                          a .npy file for each column",
    mut_arg("typesize", |arg| arg.help("bytes of one element, or its dtype (default: the input's)")),
    mut_arg("clevel", |arg| arg.help("compression level (default: the input's, else 5; 7 in .blp)")
        .long_help(levels::long_help("the input's, else 5; 7 in .blp"))),
    mut_arg("codec", |arg| arg.help("blosclz, lz4, lz4hc, snappy, zlib, zstd or auto (default: the input's, else \
        zstd in frames, lz4 in .bcolz and .zarr, blosclz in .blp)")),
    help_template = HELP
)]
pub(crate) struct ConvertArgs {
    /// dtype of the items, in NumPy's notation (default: the input's)
    #[arg(long, value_name = "dtype")]
    pub(crate) dtype: Option<String>,
    /// items along each axis; -1 infers one axis (default: the input's)
    #[arg(long, value_name = "n,n", value_delimiter = ',', value_parser = values::shape, num_args = 1, allow_hyphen_values = true)]
    pub(crate) shape: Option<Vec<Option<u64>>>,
    /// read the input as raw bytes of the dtype, even if it looks like a container
    #[arg(long, requires = "dtype", conflicts_with = "column", hide_short_help = true)]
    pub(crate) raw: bool,
    /// the column of a bcolz ctable, or the array of a Zarr group, to convert
    #[arg(long, value_name = "name")]
    pub(crate) column: Option<String>,
    /// format for columns of a bcolz ctable: npy (default) or b2nd files
    #[arg(long, value_name = "format", value_parser = values::column_files, conflicts_with = "column")]
    pub(crate) columns_as: Option<ColumnFiles>,
    /// items of a chunk along each axis (default: chunks of about 2 MiB)
    ///
    /// For .b2nd, .zarr and .bcolz. In .bcolz the first number is the rows of a chunk (default: as in bcolz). Where
    /// compressed chunks are copied, the default is the input's chunks.
    #[arg(long, value_name = "n,n", value_delimiter = ',', value_parser = values::chunkshape, num_args = 1, allow_negative_numbers = true)]
    pub(crate) chunkshape: Option<Vec<u64>>,
    /// items of a block of .b2nd along each axis (default: blocks of about 64 KiB)
    #[arg(long, value_name = "n,n", value_delimiter = ',', value_parser = values::blockshape, num_args = 1, allow_negative_numbers = true)]
    pub(crate) blockshape: Option<Vec<u64>>,
    #[command(flatten)]
    pub(crate) blosc: BloscArgs,
    /// none, shuffle or bitshuffle; more in a frame (default: the input's, or shuffle)
    ///
    /// A frame also supports delta, trunc-prec, bytedelta and int-trunc, and up to six filters, separated by commas, in
    /// the order in which they run. Lossy filters of the input run again only if they are named.
    #[arg(
        long = "filter", value_name = "name[:meta]", help_heading = "settings", value_delimiter = ',',
        value_parser = filters::filter,
        conflicts_with = "no_shuffle"
    )]
    pub(crate) filters: Vec<FilterArg>,
    /// compress chunks again, even if their compressed bytes could be copied
    ///
    /// A .blp, .bcolz or .zarr output gets the compressed bytes of the input's chunks if these are Blosc1 chunks of the same
    /// rows. Any option for codec, level, filter or typesize has the same effect as this one.
    #[arg(long, help_heading = "settings", hide_short_help = true)]
    pub(crate) recompress: bool,
    /// version of the format of a .zarr: 2 or 3 (default: 3)
    #[arg(long, value_name = "version", help_heading = "settings", value_parser = values::zarr_format, hide_short_help = true)]
    pub(crate) zarr_format: Option<Version>,
    /// store chunks of a .zarr that consist of fill values; otherwise they are left out
    #[arg(long, help_heading = "settings", hide_short_help = true)]
    pub(crate) write_empty_chunks: bool,
    /// bytes of a block of a .b2frame or .zarr, as for -z (default: automatic)
    #[arg(
        long, value_name = "size", help_heading = "settings", value_parser = values::blocksize,
        allow_negative_numbers = true, hide_short_help = true
    )]
    pub(crate) blocksize: Option<usize>,
    /// always, never, auto or forward: whether each byte of the elements gets its own stream (default: forward)
    #[arg(long, value_name = "mode", help_heading = "settings", value_parser = values::splitmode, hide_short_help = true)]
    pub(crate) splitmode: Option<SplitMode>,
    /// let the blocks of a chunk share a dictionary; frames of lz4, lz4hc and zstd only
    #[arg(long, help_heading = "settings", hide_short_help = true)]
    pub(crate) dict: bool,
    /// bytes of a chunk of .blp and .b2frame, as for compress (default: 1M)
    #[arg(
        short = 'z', long, value_name = "size", help_heading = "settings", value_parser = values::chunk_size,
        allow_negative_numbers = true
    )]
    pub(crate) chunk_size: Option<Int>,
    /// checksum of each chunk of a .blp (default: adler32)
    #[arg(
        short = 'k', long, value_name = "checksum", help_heading = "settings", value_parser = values::checksum,
        hide_short_help = true
    )]
    pub(crate) checksum: Option<Checksum>,
    /// deactivate offsets, the table of the positions of chunks in a .blp
    #[arg(short = 'o', long, help_heading = "settings", hide_short_help = true)]
    pub(crate) no_offsets: bool,
    /// JSON file with metadata for a .blp
    #[arg(
        short, long, value_name = "metadata", help_heading = "settings", value_parser = values::path(),
        hide_short_help = true
    )]
    pub(crate) metadata: Option<PathBuf>,
    /// file to read, or - for stdin
    #[arg(value_name = "in_file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// output; its extension is the format: .blp, .b2frame, .b2nd, .npy, .bcolz, .zarr or .csv; for a bcolz ctable .bcolz,
    /// .zarr, .csv, or without extension a directory with a file for each column
    #[arg(value_name = "out_file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) out_file: PathBuf,
}

/// `blpk recover`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk recover [--fill] <in_file> <out_file>",
    after_long_help = "examples:\n  \
        blpk recover torn.b2nd whole.b2nd           the intact data, and a line for each lost part\n  \
        blpk recover bad.blp whole.blp              with zeros for lost chunks\n  \
        blpk recover --fill bars.bcolz whole.bcolz  with default values for lost rows",
    help_template = HELP
)]
pub(crate) struct RecoverArgs {
    /// give the rows of a lost chunk of a bcolz directory the default value; otherwise the array ends before them
    #[arg(long)]
    pub(crate) fill: bool,
    /// bloscpack file, frame (a file or a directory), or bcolz carray or ctable to recover
    #[arg(value_name = "in_file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// output: a new container of the same format
    #[arg(value_name = "out_file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) out_file: PathBuf,
}

/// `blpk compact`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk compact <frame>",
    after_long_help = "examples:\n  \
        blpk compact data.b2nd   the frame is complete at every moment, old or new",
    help_template = HELP
)]
pub(crate) struct CompactArgs {
    /// frame to rewrite, a file or a directory
    #[arg(value_name = "frame", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}
