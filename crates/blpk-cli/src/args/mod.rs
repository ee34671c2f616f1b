//! The command line as typed. Values are parsed one by one; `commands` decides what they mean for a command.
//!
//! | file | contents |
//! |---|---|
//! | `cli` | the whole command line, with its global options |
//! | `command`, and `blosc reading containers reference meta advise chunk about` | the commands, and their options |
//! | `settings`, `many` | options of several commands: compression settings, lists of file names |
//! | `parse` | parses the command line and checks it as a whole |
//! | `quick` | a description of the one command that is called |
//! | `values`, `auto`, `choice`, `int`, `range`, `filters`, `levels`, `digest`, `compress_format` | values of options |
//! | `bad_value`, `stop` | refused values; runs that end after the command line is parsed |
//! | `abbreviations` | abbreviations of the original's options |
//! | `environment` | defaults from environment variables |
//! | `typed`, `usage`, `pages`, `manual` | the command line as text: for `--debug`, for errors, for shells, for people |
//! | `template`, `environment_help` | parts of all help texts |

mod abbreviations;
mod about;
mod advise;
mod auto;
mod bad_value;
mod blosc;
mod choice;
mod chunk;
mod cli;
mod command;
mod compress_format;
mod containers;
mod digest;
mod environment;
mod environment_help;
mod filters;
mod int;
mod levels;
mod manual;
mod many;
mod meta;
mod pages;
mod parse;
mod quick;
mod range;
mod reading;
mod reference;
mod settings;
mod stop;
mod template;
mod typed;
mod usage;
mod values;

pub(crate) use about::ManArgs;
pub(crate) use advise::AdviseArgs;
pub(crate) use auto::CodecArg;
pub(crate) use blosc::{AppendArgs, CompressArgs, DecompressArgs};
pub(crate) use chunk::{ChunkCommand, ChunkDecodeArgs, ChunkEncodeArgs, ChunkInfoArgs};
pub(crate) use cli::Cli;
pub(crate) use command::Command;
pub(crate) use compress_format::CompressFormat;
pub(crate) use containers::{CompactArgs, ConvertArgs, RecoverArgs};
pub(crate) use digest::DigestArg;
pub(crate) use environment::no_progress;
pub(crate) use filters::FilterArg;
pub(crate) use int::Int;
pub(crate) use manual::{man_page, page_names};
pub(crate) use many::ManyArgs;
pub(crate) use meta::MetaCommand;
pub(crate) use pages::completions;
pub(crate) use range::Range;
pub(crate) use reading::{BenchArgs, CatArgs, InfoArgs, ListArgs, StatsArgs, VerifyArgs};
pub(crate) use reference::ReferenceArgs;
pub(crate) use settings::BloscArgs;
pub(crate) use stop::Stop;
pub(crate) use usage::{mistaken_level, usage_error};
pub(crate) use values::dtype;
