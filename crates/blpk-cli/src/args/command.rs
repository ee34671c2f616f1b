//! The commands.

use super::about::{CompletionsArgs, HelpArgs, ManArgs};
use super::advise::AdviseArgs;
use super::blosc::{AppendArgs, CompressArgs, DecompressArgs};
use super::chunk::ChunkCommand;
use super::containers::{CompactArgs, ConvertArgs, RecoverArgs};
use super::meta::MetaCommand;
use super::reading::{BenchArgs, CatArgs, InfoArgs, ListArgs, StatsArgs, VerifyArgs};
use super::reference::ReferenceArgs;
use clap::Subcommand;

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
    /// list many files in a table
    List(ListArgs),
    /// check files in full: headers, offsets, checksums, every chunk (alias: test)
    #[command(alias = "test")]
    Verify(VerifyArgs),
    /// write a part of a file's content to stdout
    Cat(CatArgs),
    /// count, range, mean and histogram of an array
    Stats(StatsArgs),
    /// convert a file to another container format
    Convert(ConvertArgs),
    /// write references to arrays, so that Zarr reads them where they are
    Reference(ReferenceArgs),
    /// recover the intact data of a damaged container
    Recover(RecoverArgs),
    /// rewrite a frame without dead bytes
    Compact(CompactArgs),
    /// print, set or remove attributes, vlmetalayers and metadata
    #[command(subcommand)]
    Meta(MetaCommand),
    /// print settings that suit a file, with the alternatives
    Advise(AdviseArgs),
    /// measure codecs, levels, filters and chunk sizes on a file
    Bench(BenchArgs),
    /// encode, decode or describe one bare chunk
    #[command(subcommand)]
    Chunk(ChunkCommand),
    /// print completions for a shell
    Completions(CompletionsArgs),
    /// print a man page
    Man(ManArgs),
    /// describe a command
    Help(HelpArgs),
}
