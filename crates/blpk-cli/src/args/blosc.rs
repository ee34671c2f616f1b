//! Arguments of the original's commands that write files.

use super::compress_format::CompressFormat;
use super::digest::{self, DigestArg};
use super::filters::{self, FilterArg};
use super::int::Int;
use super::many::ManyArgs;
use super::settings::BloscArgs;
use super::template::HELP;
use super::values;
use bloscpack_format::checksum::Checksum;
use clap::Args;
use std::path::PathBuf;

/// `blpk compress`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk compress [-t <size>] [-l [0, 9]] [-s] [-c <codec>] [-z <size>]
                     \
                      [-k <checksum>] [-o] [-m <metadata>]
                     \
                      <in_file> [<out_file>]
       \
       blpk compress [<options>] [-r] [--each] [--rm] [--output <file> |
                     \
                      --output-dir <directory> | --stdout] <in_file>...",
    after_long_help = "examples:\n  \
        blpk c data.dat                        to data.dat.blp, as 8-byte elements\n  \
        blpk c -t 4 -c zstd data.dat out.blp   as 4-byte elements, with zstd\n  \
        blpk c data.dat data.b2frame           a Blosc2 frame, with settings that suit the data\n  \
        blpk c --auto=small data.dat           with settings that suit the data\n  \
        tar c dir | blpk c -t 1 - - > dir.blp  from and to a pipe\n  \
        blpk c --each a.dat b.dat              two files, to a.dat.blp and b.dat.blp\n  \
        blpk c -r --output-dir packed dir      all files in a directory, to packed/dir\n\n\
        environment variables, used without the option:\n  \
        BLPK_CODEC     -c/--codec\n  \
        BLPK_CLEVEL    -l/--clevel\n  \
        BLPK_NTHREADS  -n/--nthreads\n  \
        BLPK_MEMORY    --memory",
    help_template = HELP
)]
pub(crate) struct CompressArgs {
    #[command(flatten)]
    pub(crate) blosc: BloscArgs,
    /// blp, or b2frame for Blosc2 frames (default: by the name of the output)
    #[arg(long, value_name = "format", help_heading = "settings", value_parser = values::compress_format)]
    pub(crate) format: Option<CompressFormat>,
    /// none, shuffle or bitshuffle; more in a frame (default: shuffle)
    ///
    /// A frame also supports delta, trunc-prec, bytedelta and int-trunc, and up to six filters, separated by commas, in
    /// the order in which they run.
    #[arg(
        long = "filter", value_name = "name[:meta]", help_heading = "settings", value_delimiter = ',',
        value_parser = filters::filter, conflicts_with = "no_shuffle"
    )]
    pub(crate) filters: Vec<FilterArg>,
    /// bytes, or with a unit: 64K, 1MiB, 1MB; or 'max' (default: 1M)
    ///
    /// With --auto, the default is 2M; 1M for fast and 8M for small.
    ///
    /// K, M, G, T and KiB, MiB, GiB, TiB are powers of 1024; KB, MB, GB, TB are powers of 1000.
    #[arg(
        short = 'z', long, value_name = "size", help_heading = "settings",
        value_parser = values::chunk_size, allow_negative_numbers = true
    )]
    pub(crate) chunk_size: Option<Int>,
    /// None, adler32 (default), crc32, md5, sha1, sha224/256/384/512
    #[arg(short = 'k', long, value_name = "checksum", help_heading = "settings", value_parser = values::checksum)]
    pub(crate) checksum: Option<Checksum>,
    /// deactivate offsets, the table of the positions of chunks
    ///
    /// A reader of a part then reads all chunk headers before it. A file of known size is written to a
    /// pipe without a temporary file.
    #[arg(short = 'o', long, help_heading = "settings")]
    pub(crate) no_offsets: bool,
    /// JSON file with metadata to store
    #[arg(short, long, value_name = "metadata", help_heading = "settings", value_parser = values::path())]
    pub(crate) metadata: Option<PathBuf>,
    /// reserve room for appending n chunks (default: ten times the chunks)
    #[arg(
        long, value_name = "n", help_heading = "settings",
        value_parser = values::max_app_chunks, allow_negative_numbers = true, hide_short_help = true
    )]
    pub(crate) max_app_chunks: Option<u64>,
    /// reserve no room for larger metadata
    #[arg(long, help_heading = "settings", hide_short_help = true)]
    pub(crate) no_prealloc: bool,
    #[command(flatten)]
    pub(crate) many: ManyArgs,
    /// read each output back and decode it before it replaces the target
    #[arg(long, help_heading = "files")]
    pub(crate) verify: bool,
    /// print a checksum of each input, in the format of sha256sum
    #[arg(long, value_name = "checksum", help_heading = "files", value_parser = digest::checksum, hide_short_help = true)]
    pub(crate) digest: Option<Checksum>,
    /// memory limit for chunks in flight; reduces the number of threads
    #[arg(long, value_name = "size", value_parser = values::memory, help_heading = "global options")]
    pub(crate) memory: Option<u64>,
    /// files to compress, or - for stdin; the second of two is the output
    ///
    /// Without an output, it is <in_file>.blp, or - for stdin.
    #[arg(
        value_name = "in_file", help_heading = "files", required = true, display_order = 0,
        value_parser = values::path(), allow_negative_numbers = true
    )]
    pub(crate) files: Vec<PathBuf>,
}

/// `blpk decompress`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk decompress [-e] <in_file> [<out_file>]
       \
       blpk decompress [<options>] [-r] [--each] [--rm] [--output <file> |
                       \
                      --output-dir <directory> | --stdout] <in_file>...",
    after_long_help = "examples:\n  \
        blpk d data.dat.blp                to data.dat\n  \
        blpk d -e data.packed data.dat     an input with any name\n  \
        blpk d data.dat.blp - | wc -c      to a pipe\n  \
        blpk d --stdout *.blp | wc -c      all of them, one after the other\n  \
        blpk d -r --rm dir                 all compressed files in a directory, in place\n\n\
        environment variables, used without the option:\n  \
        BLPK_NTHREADS  -n/--nthreads\n  \
        BLPK_MEMORY    --memory",
    help_template = HELP
)]
pub(crate) struct DecompressArgs {
    /// accept an input whose name does not end with .blp (requires <out_file>)
    #[arg(short = 'e', long)]
    pub(crate) no_check_extension: bool,
    /// write the metadata to this file, as JSON, and do not print it
    #[arg(long, value_name = "file")]
    pub(crate) metadata_out: Option<PathBuf>,
    /// the column of a bcolz ctable, or the array of a Zarr group, to decompress
    #[arg(long, value_name = "name")]
    pub(crate) column: Option<String>,
    #[command(flatten)]
    pub(crate) many: ManyArgs,
    /// print a checksum of the uncompressed bytes, in the format of sha256sum; with a digest, write only bytes that
    /// match it
    #[arg(long, value_name = "checksum[:hex]", help_heading = "files", value_parser = digest::digest)]
    pub(crate) digest: Option<DigestArg>,
    /// memory limit for chunks in flight; reduces the number of threads
    #[arg(long, value_name = "size", value_parser = values::memory, help_heading = "global options")]
    pub(crate) memory: Option<u64>,
    /// files to decompress, or - for stdin; the second of two names is the output (default: <in_file> without .blp;
    /// - for stdin)
    #[arg(
        value_name = "in_file", help_heading = "files", required = true, display_order = 0,
        value_parser = values::path(), allow_negative_numbers = true
    )]
    pub(crate) files: Vec<PathBuf>,
}

impl CompressArgs {
    /// Whether no setting is given that determines how chunks are compressed.
    pub(crate) fn has_default_settings(&self) -> bool {
        self.blosc.is_default() && self.filters.is_empty()
    }

    /// Returns an error message for options that exclude each other.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.verify && self.many.is_to_stdout(&self.files) {
            return Err("argument --verify: data written to stdout cannot be read again".into());
        }
        self.many.check(&self.files, false)
    }
}

impl DecompressArgs {
    /// Returns an error message for options that exclude each other.
    pub(super) fn check(&self) -> Result<(), String> {
        let (inputs, _) = self.many.split(&self.files);
        if self.metadata_out.is_some() && (inputs.len() > 1 || self.many.recursive) {
            return Err("argument --metadata-out: takes only one input".into());
        }
        if self.digest.as_ref().is_some_and(|digest| digest.expected.is_some())
            && (inputs.len() > 1 || self.many.recursive)
        {
            return Err("argument --digest: a digest belongs to one input; name one".into());
        }
        let is_dash = self.metadata_out.as_ref().is_some_and(|file| file.as_os_str() == "-");
        if is_dash && self.many.is_to_stdout(&self.files) {
            return Err("argument --metadata-out: stdout is used for the data".into());
        }
        self.many.check(&self.files, true)
    }
}

/// `blpk append`
#[derive(Debug, Args)]
#[command(
    override_usage = "blpk append [-t <size>] [-l [0, 9]] [-s] [-c <codec>] [--auto[=<goal>]] [-e]
                   \
                      [-m <metadata>]
                   \
                      <original_file> <new_file>",
    after_long_help = "examples:\n  \
        blpk a data.dat.blp more.dat       the file is complete at every moment, old or new\n  \
        blpk a -m meta.json data.blp more  with new metadata in the same step\n\n\
        environment variables, used without the option:\n  \
        BLPK_CODEC     -c/--codec\n  \
        BLPK_CLEVEL    -l/--clevel\n  \
        BLPK_NTHREADS  -n/--nthreads",
    mut_arg("typesize", |arg| arg.help("bytes of one element, 1 to 255, or its dtype (default: the file's)")),
    help_template = HELP
)]
pub(crate) struct AppendArgs {
    #[command(flatten)]
    pub(crate) blosc: BloscArgs,
    /// accept an original file whose name does not end with .blp
    #[arg(short = 'e', long, help_heading = "settings")]
    pub(crate) no_check_extension: bool,
    /// JSON file with new metadata for the file
    #[arg(short, long, value_name = "metadata", help_heading = "settings", value_parser = values::path())]
    pub(crate) metadata: Option<PathBuf>,
    /// file to append to
    #[arg(
        value_name = "original_file", help_heading = "files", display_order = 1,
        value_parser = values::path(), allow_negative_numbers = true
    )]
    pub(crate) original_file: PathBuf,
    /// file with the data to append
    #[arg(
        value_name = "new_file", help_heading = "files", display_order = 2,
        value_parser = values::path(), allow_negative_numbers = true
    )]
    pub(crate) new_file: PathBuf,
}
