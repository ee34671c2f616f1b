//! What does each command take?

use super::values::{self, FilterArg, Int, Range};
use blosc_core::{ChunkFormat, Codec, SplitMode};
use bloscpack_format::checksum::Checksum;
use clap::{ArgGroup, Args, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

/// The commands.
#[derive(Debug, Subcommand)]
#[command(infer_long_args = true)]
pub(crate) enum Command {
    /// compress a file (alias: c)
    #[command(alias = "c")]
    Compress(CompressArgs),
    /// decompress a file (alias: d)
    #[command(alias = "d")]
    Decompress(DecompressArgs),
    /// append data to a compressed file (alias: a)
    #[command(alias = "a")]
    Append(AppendArgs),
    /// print information about a compressed file (alias: i)
    #[command(alias = "i")]
    Info(InfoArgs),
    /// check files in full: headers, offsets, checksums, every chunk (alias: test)
    #[command(alias = "test")]
    Verify(VerifyArgs),
    /// write a part of a file's content to stdout
    Cat(CatArgs),
    /// write a file's content to a container of another kind
    Convert(ConvertArgs),
    /// save what still stands of a torn or damaged frame
    Recover(RecoverArgs),
    /// rewrite a frame without dead bytes
    Compact(CompactArgs),
    /// measure codecs, levels, filters and chunk sizes on a file of yours
    Bench(BenchArgs),
    /// encode, decode or describe one bare chunk
    #[command(subcommand)]
    Chunk(ChunkCommand),
    /// print completions for a shell
    Completions(CompletionsArgs),
    /// print a man page
    Man(ManArgs),
}

/// How chunks are compressed.
#[derive(Debug, Args)]
#[command(next_help_heading = "blosc settings")]
pub(crate) struct BloscArgs {
    /// bytes of one element, 1 to 255 (default: 8; for append that of the file)
    #[arg(short, long, value_name = "size", value_parser = values::typesize, allow_negative_numbers = true)]
    pub(crate) typesize: Option<Int>,
    /// compression level (default: 7)
    #[arg(short = 'l', long, value_name = "0-9", value_parser = values::clevel, allow_negative_numbers = true)]
    pub(crate) clevel: Option<u8>,
    /// deactivate shuffle
    #[arg(short = 's', long)]
    pub(crate) no_shuffle: bool,
    /// blosclz, lz4, lz4hc, snappy, zlib or zstd (default: blosclz)
    #[arg(short, long, value_name = "codec", value_parser = values::codec)]
    pub(crate) codec: Option<Codec>,
}

/// `blpk compress`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk compress [-t <size>] [-l [0, 9]] [-s] [-c <codec>] [-z <size>]
                     \
                      [-k <checksum>] [-o] [-m <metadata>]
                     \
                      <in_file> [<out_file>]",
    after_long_help = "examples:\n  \
        blpk c data.dat                        to data.dat.blp, as 8-byte elements\n  \
        blpk c -t 4 -c zstd data.dat out.blp   as 4-byte elements, with zstd\n  \
        tar c dir | blpk c -t 1 - - > dir.blp  from and to a pipe",
    help_template = super::HELP
)]
pub(crate) struct CompressArgs {
    #[command(flatten)]
    pub(crate) blosc: BloscArgs,
    /// chunk size: bytes, a number with B, K, M, G or T, or 'max' (default: 1M)
    #[arg(
        short = 'z', long, value_name = "size", help_heading = "bloscpack settings",
        value_parser = values::chunk_size, allow_negative_numbers = true
    )]
    pub(crate) chunk_size: Option<Int>,
    /// None, adler32, crc32, md5, sha1, sha224, sha256, sha384 or sha512 (default: adler32)
    #[arg(short = 'k', long, value_name = "checksum", help_heading = "bloscpack settings", value_parser = values::checksum)]
    pub(crate) checksum: Option<Checksum>,
    /// deactivate offsets
    #[arg(short = 'o', long, help_heading = "bloscpack settings")]
    pub(crate) no_offsets: bool,
    /// JSON file with metadata to store
    #[arg(short, long, value_name = "metadata", help_heading = "bloscpack settings")]
    pub(crate) metadata: Option<PathBuf>,
    /// file to compress, or - for stdin
    #[arg(value_name = "in_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// file to compress to, or - for stdout (default: <in_file>.blp; - for stdin)
    #[arg(value_name = "out_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) out_file: Option<PathBuf>,
}

/// `blpk decompress`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk decompress [-e] <in_file> [<out_file>]",
    after_long_help = "examples:\n  \
        blpk d data.dat.blp                to data.dat\n  \
        blpk d -e data.packed data.dat     whatever the name\n  \
        blpk d data.dat.blp - | wc -c      to a pipe",
    help_template = super::HELP
)]
pub(crate) struct DecompressArgs {
    // `--n` meant this before --nthreads was accepted here.
    /// accept an input whose name does not end with .blp (requires <out_file>)
    #[arg(short = 'e', long, alias = "n")]
    pub(crate) no_check_extension: bool,
    /// file to decompress, or - for stdin
    #[arg(value_name = "in_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// file to decompress to, or - for stdout (default: <in_file> without .blp; - for stdin)
    #[arg(value_name = "out_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) out_file: Option<PathBuf>,
}

/// `blpk append`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk append [-t <size>] [-l [0, 9]] [-s] [-c <codec>] [-e]
                   \
                      [-m <metadata>]
                   \
                      <original_file> <new_file>",
    after_long_help = "examples:\n  \
        blpk a data.dat.blp more.dat       the file is whole at every moment, old or new\n  \
        blpk a -m meta.json data.blp more  with other metadata in the same step",
    help_template = super::HELP
)]
pub(crate) struct AppendArgs {
    #[command(flatten)]
    pub(crate) blosc: BloscArgs,
    /// accept an original file whose name does not end with .blp
    #[arg(short = 'e', long)]
    pub(crate) no_check_extension: bool,
    /// JSON file with metadata to replace that of the file
    #[arg(short, long, value_name = "metadata")]
    pub(crate) metadata: Option<PathBuf>,
    /// file to append to
    #[arg(value_name = "original_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) original_file: PathBuf,
    /// file with the data to append
    #[arg(value_name = "new_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) new_file: PathBuf,
}

/// `blpk info`
#[derive(Debug, Args)]
#[command(override_usage = "blpk info [--json] <file>", help_template = super::HELP)]
pub(crate) struct InfoArgs {
    /// one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// file to describe
    #[arg(value_name = "file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}

/// `blpk verify`
#[derive(Debug, Args)]
#[command(override_usage = "blpk verify <file> [<file> ...]", help_template = super::HELP)]
pub(crate) struct VerifyArgs {
    /// files to check; all of them are, whatever becomes of the others
    #[arg(value_name = "file", help_heading = "files", required = true, allow_negative_numbers = true)]
    pub(crate) files: Vec<PathBuf>,
}

/// `blpk cat`
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("part").required(true).multiple(false),
    override_usage = "blpk cat (--items <A..B> | --bytes <A..B> | --chunk <K>) <file>",
    after_long_help = "examples:\n  \
        blpk cat --items 1000..2000 data.blp   a thousand elements\n  \
        blpk cat --bytes ..16 data.blp         the first 16 bytes\n  \
        blpk cat --chunk 0 data.blp            the first chunk",
    help_template = super::HELP
)]
pub(crate) struct CatArgs {
    /// elements A to B (exclusive); A or B may be left out
    #[arg(long, value_name = "A..B", group = "part", value_parser = values::range_of_items)]
    pub(crate) items: Option<Range>,
    /// bytes A to B (exclusive); A or B may be left out
    #[arg(long, value_name = "A..B", group = "part", value_parser = values::range_of_bytes)]
    pub(crate) bytes: Option<Range>,
    /// the chunk of this number, from 0
    #[arg(long, value_name = "K", group = "part", value_parser = values::chunk)]
    pub(crate) chunk: Option<u64>,
    /// file to read from
    #[arg(value_name = "file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}

/// `blpk convert`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk convert [--dtype <dtype>] [--shape <n,n>] [--chunkshape <n,n>]
                    \
                      [--blockshape <n,n>] [<blosc settings>] <in_file> <out_file>",
    after_long_help = "examples:\n  \
        blpk convert data.npy data.b2nd                       an array, cut as is usual\n  \
        blpk convert --chunkshape 100,100 data.npy data.b2nd  cut as it is read\n  \
        blpk convert -c zstd data.blp data.b2frame            chunks for Blosc2\n  \
        blpk convert --dtype '<f8' --shape 10,20 x.blp x.npy  plain bytes as an array",
    help_template = super::HELP
)]
pub(crate) struct ConvertArgs {
    /// dtype of the items, as NumPy writes it (default: that of the input)
    #[arg(long, value_name = "dtype")]
    pub(crate) dtype: Option<String>,
    /// items along each axis (default: those of the input)
    #[arg(long, value_name = "n,n", value_delimiter = ',', value_parser = values::axis, num_args = 1)]
    pub(crate) shape: Option<Vec<u64>>,
    /// items of a chunk along each axis (default: chunks of about 2 MiB)
    #[arg(long, value_name = "n,n", value_delimiter = ',', value_parser = values::axis, num_args = 1)]
    pub(crate) chunkshape: Option<Vec<u64>>,
    /// items of a block along each axis (default: blocks of about 64 KiB)
    #[arg(long, value_name = "n,n", value_delimiter = ',', value_parser = values::axis, num_args = 1)]
    pub(crate) blockshape: Option<Vec<u64>>,
    #[command(flatten)]
    pub(crate) blosc: BloscArgs,
    /// none, shuffle or bitshuffle; in a frame also delta, trunc-prec, bytedelta and int-trunc, up to six in the order in
    /// which they are to run (default: shuffle, or the lossless ones of the input's frame)
    #[arg(long = "filter", value_name = "name[:meta]", value_parser = values::filter)]
    pub(crate) filters: Vec<FilterArg>,
    /// bytes of a block of a frame (default: automatic)
    #[arg(long, value_name = "size", value_parser = values::blocksize, allow_negative_numbers = true)]
    pub(crate) blocksize: Option<usize>,
    /// always, never, auto or forward
    #[arg(long, value_name = "mode", value_parser = values::splitmode)]
    pub(crate) splitmode: Option<SplitMode>,
    /// let the blocks of a chunk share a dictionary; frames of lz4, lz4hc and zstd only
    #[arg(long)]
    pub(crate) dict: bool,
    /// chunk size: bytes, a number with B, K, M, G or T, or 'max' (default: 1M)
    #[arg(short = 'z', long, value_name = "size", value_parser = values::chunk_size, allow_negative_numbers = true)]
    pub(crate) chunk_size: Option<Int>,
    /// checksum of a bloscpack file (default: adler32)
    #[arg(short = 'k', long, value_name = "checksum", value_parser = values::checksum)]
    pub(crate) checksum: Option<Checksum>,
    /// deactivate offsets of a bloscpack file
    #[arg(short = 'o', long)]
    pub(crate) no_offsets: bool,
    /// JSON file with metadata for a bloscpack file
    #[arg(short, long, value_name = "metadata")]
    pub(crate) metadata: Option<PathBuf>,
    /// file to read, or - for stdin
    #[arg(value_name = "in_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// file to write, whose name ends with .blp, .b2frame, .b2nd or .npy
    #[arg(value_name = "out_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) out_file: PathBuf,
}

/// `blpk recover`
#[derive(Debug, Args)]
#[command(override_usage = "blpk recover <in_file> <out_file>", help_template = super::HELP)]
pub(crate) struct RecoverArgs {
    /// frame to save, a file or a directory
    #[arg(value_name = "in_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// frame to write
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

/// `blpk bench`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk bench [-c <codec,...>] [-l <level,...>] [--filter <name,...>]
                  \
                      [-z <size,...>] [-t <size>] [--sample <size>] [--seconds <s>]
                  \
                      [--json] [--plot <out.svg>] <file>",
    after_long_help = "examples:\n  \
        blpk bench data.bin                         all codecs, three levels, three filters\n  \
        blpk bench -c lz4,zstd -z 256K,1M data.npy  the choice between two, and a chunk size\n  \
        blpk bench --plot speed.svg data.blp        a picture: ratio over speed\n\n\
        Pieces from all over the file are measured, of a file that blpk reads its content. Settings\n\
        marked with * are those that no other one beats in ratio and both speeds.",
    help_template = super::HELP
)]
pub(crate) struct BenchArgs {
    /// codecs, with commas between them (default: all)
    #[arg(short, long = "codec", value_name = "codec,...", value_delimiter = ',', value_parser = values::codec)]
    pub(crate) codecs: Vec<Codec>,
    /// levels (default: 1,5,9)
    #[arg(short = 'l', long = "clevel", value_name = "0-9,...", value_delimiter = ',', value_parser = values::clevel)]
    pub(crate) clevels: Vec<u8>,
    /// none, shuffle, bitshuffle (default: all three)
    #[arg(long = "filter", value_name = "name,...", value_delimiter = ',', value_parser = values::shuffle)]
    pub(crate) filters: Vec<FilterArg>,
    /// chunk sizes (default: 1M)
    #[arg(short = 'z', long = "chunk-size", value_name = "size,...", value_delimiter = ',', value_parser = values::chunk_size)]
    pub(crate) chunk_sizes: Vec<Int>,
    /// bytes of one element, 1 to 255 (default: that of the content, 8 if it is not known)
    #[arg(short, long, value_name = "size", value_parser = values::typesize, allow_negative_numbers = true)]
    pub(crate) typesize: Option<Int>,
    /// how many bytes to measure (default: 16M)
    #[arg(long, value_name = "size", value_parser = values::sample)]
    pub(crate) sample: Option<Int>,
    /// how long to measure each setting (default: 0.3)
    #[arg(long, value_name = "s", value_parser = values::seconds)]
    pub(crate) seconds: Option<f64>,
    /// one JSON object instead of a table; speeds in bytes a second
    #[arg(long)]
    pub(crate) json: bool,
    /// draw a picture
    #[arg(long, value_name = "out.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// file to measure, or - for stdin
    #[arg(value_name = "file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}

/// `blpk completions`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk completions (bash | elvish | fish | powershell | zsh)",
    after_long_help = "examples:\n  \
        blpk completions bash > ~/.local/share/bash-completion/completions/blpk\n  \
        blpk completions fish > ~/.config/fish/completions/blpk.fish\n  \
        blpk completions zsh > _blpk        in a folder of $fpath",
    help_template = super::HELP
)]
pub(crate) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "shell", help_heading = "files", value_parser = values::shell)]
    pub(crate) shell: Shell,
}

/// `blpk man`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk man [--output-dir <directory> | <page>]",
    after_long_help = "examples:\n  \
        blpk man | man -l -              the page of blpk\n  \
        blpk man blpk-convert | man -l -  that of a command\n  \
        blpk man --output-dir man1       all of them, as files",
    help_template = super::HELP
)]
pub(crate) struct ManArgs {
    /// write all pages to files in this directory, which exists
    #[arg(long, value_name = "directory", conflicts_with = "page")]
    pub(crate) output_dir: Option<PathBuf>,
    /// which page: blpk, blpk-compress, … (default: blpk)
    #[arg(value_name = "page", help_heading = "files")]
    pub(crate) page: Option<String>,
}

/// `blpk chunk …`
#[derive(Debug, Subcommand)]
#[command(
    override_usage = "blpk chunk (encode | decode | info) ...",
    subcommand_help_heading = "commands",
    disable_help_subcommand = true,
    help_template = super::HELP
)]
pub(crate) enum ChunkCommand {
    /// compress a file into one chunk
    Encode(ChunkEncodeArgs),
    /// decompress one chunk
    Decode(ChunkDecodeArgs),
    /// print the header of a chunk and what its blocks are
    Info(ChunkInfoArgs),
}

/// `blpk chunk encode`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk chunk encode [--format <format>] [-c <codec>] [-l [0, 9]] [-t <size>]
                         \
                      [--filter <name[:meta]>]... [--blocksize <size>]
                         \
                      [--splitmode <mode>] [--dict] <in_file> <out_file>",
    after_long_help = "examples:\n  \
        blpk chunk encode -c lz4 -t 4 data c\n  \
        blpk chunk encode --format blosc2 -t 8 --filter trunc-prec:20 --filter shuffle data c\n  \
        blpk chunk encode --format blosc2 -c zstd --blocksize 4096 --dict data c",
    help_template = super::HELP
)]
pub(crate) struct ChunkEncodeArgs {
    /// blosc1 (default), which every Blosc reads, or blosc2
    #[arg(long, value_name = "format", value_parser = values::format)]
    pub(crate) format: Option<ChunkFormat>,
    /// blosclz, lz4, lz4hc, snappy, zlib or zstd (default: blosclz)
    #[arg(short, long, value_name = "codec", value_parser = values::codec)]
    pub(crate) codec: Option<Codec>,
    /// compression level (default: 7)
    #[arg(short = 'l', long, value_name = "0-9", value_parser = values::clevel, allow_negative_numbers = true)]
    pub(crate) clevel: Option<u8>,
    /// bytes of one element, 1 to 255; more in a blosc2 chunk (default: 8)
    #[arg(short, long, value_name = "size", value_parser = values::typesize, allow_negative_numbers = true)]
    pub(crate) typesize: Option<Int>,
    /// none, shuffle or bitshuffle; in a blosc2 chunk also delta, trunc-prec, bytedelta and int-trunc, up to six filters
    /// in the order in which they are to run (default: shuffle)
    #[arg(long = "filter", value_name = "name[:meta]", value_parser = values::filter)]
    pub(crate) filters: Vec<FilterArg>,
    /// bytes of a block, before the adjustments that C-Blosc makes (default: automatic)
    #[arg(long, value_name = "size", value_parser = values::blocksize, allow_negative_numbers = true)]
    pub(crate) blocksize: Option<usize>,
    /// always, never, auto or forward (default: forward)
    #[arg(long, value_name = "mode", value_parser = values::splitmode)]
    pub(crate) splitmode: Option<SplitMode>,
    /// let the blocks share a dictionary; blosc2 chunks of lz4, lz4hc and zstd only
    #[arg(long)]
    pub(crate) dict: bool,
    /// file to compress, or - for stdin
    #[arg(value_name = "in_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// file to compress to, or - for stdout
    #[arg(value_name = "out_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) out_file: PathBuf,
}

/// `blpk chunk decode`
#[derive(Debug, Args)]
#[command(override_usage = "blpk chunk decode <in_file> <out_file>", help_template = super::HELP)]
pub(crate) struct ChunkDecodeArgs {
    /// file that holds the chunk, or - for stdin
    #[arg(value_name = "in_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) in_file: PathBuf,
    /// file to decompress to, or - for stdout
    #[arg(value_name = "out_file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) out_file: PathBuf,
}

/// `blpk chunk info`
#[derive(Debug, Args)]
#[command(override_usage = "blpk chunk info [--json] <file>", help_template = super::HELP)]
pub(crate) struct ChunkInfoArgs {
    /// one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// file that holds the chunk
    #[arg(value_name = "file", help_heading = "files", allow_negative_numbers = true)]
    pub(crate) file: PathBuf,
}
