//! Arguments of `blpk chunk`.

use super::filters::{self, FilterArg};
use super::int::Int;
use super::levels;
use super::template::HELP;
use super::values;
use blosc_core::{ChunkFormat, Codec, SplitMode};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `blpk chunk …`
#[derive(Debug, Subcommand)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk chunk (encode | decode | info) ...",
    subcommand_help_heading = "commands",
    disable_help_subcommand = true,
    help_template = HELP
)]
pub(crate) enum ChunkCommand {
    /// compress a file into one chunk
    Encode(ChunkEncodeArgs),
    /// decompress one chunk
    Decode(ChunkDecodeArgs),
    /// print the header of a chunk and describe its blocks
    Info(ChunkInfoArgs),
}

/// `blpk chunk encode`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk chunk encode [--format <format>] [-c <codec>] [-l [0, 9]] [-t <size>]
                         \
                      [--filter <name[:meta]>]... [--blocksize <size>]
                         \
                      [--splitmode <mode>] [--dict] <in_file> <out_file>",
    after_long_help = "examples:\n  \
        blpk chunk encode -c lz4 -t 4 data c\n  \
        blpk chunk encode --format blosc2 -t 8 --filter trunc-prec:20 --filter shuffle data c\n  \
        blpk chunk encode --format blosc2 -c zstd --blocksize 4096 --dict data c",
    help_template = HELP
)]
pub(crate) struct ChunkEncodeArgs {
    /// blosc1 (default), which every Blosc library reads, or blosc2
    #[arg(long, value_name = "format", value_parser = values::format)]
    pub(crate) format: Option<ChunkFormat>,
    /// blosclz, lz4, lz4hc, snappy, zlib or zstd (default: blosclz)
    #[arg(short, long, value_name = "codec", value_parser = values::codec)]
    pub(crate) codec: Option<Codec>,
    /// compression level (default: 7)
    #[arg(
        short = 'l', long, value_name = "0-9", value_parser = values::clevel, allow_negative_numbers = true,
        help = levels::help("7"), long_help = levels::long_help("7")
    )]
    pub(crate) clevel: Option<u8>,
    /// bytes of one element, 1 to 255, more in a blosc2 chunk, or its dtype (default: 8)
    #[arg(short, long, value_name = "size", value_parser = values::typesize, allow_negative_numbers = true)]
    pub(crate) typesize: Option<Int>,
    /// none, shuffle or bitshuffle; more in a blosc2 chunk (default: shuffle)
    ///
    /// A blosc2 chunk also supports delta, trunc-prec, bytedelta and int-trunc, and up to six filters, separated by
    /// commas, in the order in which they run.
    #[arg(long = "filter", value_name = "name[:meta]", value_delimiter = ',', value_parser = filters::filter)]
    pub(crate) filters: Vec<FilterArg>,
    /// bytes of a block, or with a unit: 64K, 64KiB, 64KB (default: automatic)
    ///
    /// C-Blosc's adjustments apply to it. 0 is automatic.
    #[arg(long, value_name = "size", value_parser = values::blocksize, allow_negative_numbers = true)]
    pub(crate) blocksize: Option<usize>,
    /// always, never, auto or forward (default: forward)
    #[arg(long, value_name = "mode", value_parser = values::splitmode)]
    pub(crate) splitmode: Option<SplitMode>,
    /// let the blocks share a dictionary; blosc2 chunks of lz4, lz4hc and zstd only
    #[arg(long)]
    pub(crate) dict: bool,
    /// file to compress, or - for stdin
    #[arg(value_name = "in_file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// file to compress to, or - for stdout
    #[arg(value_name = "out_file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) out_file: PathBuf,
}

/// `blpk chunk decode`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk chunk decode <in_file> <out_file>",
    after_long_help = "examples:\n  \
        blpk chunk decode c data       the uncompressed bytes of one chunk\n  \
        blpk chunk decode - - < c      from and to a pipe",
    help_template = HELP
)]
pub(crate) struct ChunkDecodeArgs {
    /// file that contains the chunk, or - for stdin
    #[arg(value_name = "in_file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// file to decompress to, or - for stdout
    #[arg(value_name = "out_file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) out_file: PathBuf,
}

/// `blpk chunk info`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk chunk info [--json] <file>",
    after_long_help = "examples:\n  \
        blpk chunk info c          the header, and the positions of its first blocks and streams\n  \
        blpk chunk info --json c   all of them, for programs",
    help_template = HELP
)]
pub(crate) struct ChunkInfoArgs {
    /// one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// file that contains the chunk
    #[arg(value_name = "file", help_heading = "files", value_parser = values::path(), allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}
