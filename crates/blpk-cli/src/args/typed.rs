//! The command line as `--debug` lists it: by name, sorted, each value as Python prints it, defaults included.

use super::auto::CodecArg;
use super::cli::Cli;
use super::command::Command;
use super::many::ManyArgs;
use super::settings::BloscArgs;
use blosc_core::Codec;
use std::fmt::Display;
use std::path::{Path, PathBuf};

/// The defaults of the original.
const TYPESIZE: &str = "8";
const CLEVEL: &str = "7";

impl Cli {
    /// Returns the names and values of everything that can be typed for this command.
    pub(crate) fn typed(&self, nthreads: usize) -> Vec<(&'static str, String)> {
        let mut list = vec![
            ("debug", boolean(self.global.debug)),
            ("force", boolean(self.global.force > 0)),
            ("nthreads", nthreads.to_string()),
            ("verbose", boolean(self.global.verbose)),
        ];
        match &self.command {
            Some(Command::Compress(args)) => {
                blosc(&args.blosc, &mut list);
                list.extend([
                    ("checksum", args.checksum.map_or("adler32", |checksum| checksum.name()).into()),
                    ("chunk_size", args.chunk_size.as_ref().map_or("1M".into(), ToString::to_string)),
                    ("metadata", option(args.metadata.as_deref().map(path))),
                    ("offsets", boolean(!args.no_offsets)),
                    ("subcommand", "compress".into()),
                ]);
                files(&args.many, &args.files, &mut list);
            }
            Some(Command::Decompress(args)) => {
                list.extend([
                    ("no_check_extension", boolean(args.no_check_extension)),
                    ("subcommand", "decompress".into()),
                ]);
                files(&args.many, &args.files, &mut list);
            }
            Some(Command::Append(args)) => {
                blosc(&args.blosc, &mut list);
                list.extend([
                    ("metadata", option(args.metadata.as_deref().map(path))),
                    ("new_file", path(&args.new_file)),
                    ("no_check_extension", boolean(args.no_check_extension)),
                    ("original_file", path(&args.original_file)),
                    ("subcommand", "append".into()),
                ]);
            }
            Some(Command::Info(args)) => {
                list.extend([("file_", paths(&args.files)), ("subcommand", "info".into())]);
            }
            _ => {}
        }
        list.sort_unstable_by_key(|(name, _)| *name);
        list
    }
}

fn blosc(args: &BloscArgs, list: &mut Vec<(&'static str, String)>) {
    let cname = match (args.codec, args.goal()) {
        (Some(CodecArg::Fixed(codec)), _) => codec.name(),
        (_, Some(_)) => "auto",
        (_, None) => Codec::BloscLz.name(),
    };
    let default = |default: &str| if args.goal().is_some() { "auto" } else { default }.to_owned();
    list.extend(args.goal().map(|goal| ("auto", goal.to_string())));
    list.extend([
        ("clevel", args.clevel.map_or(default(CLEVEL), |clevel| clevel.to_string())),
        ("cname", cname.into()),
        ("shuffle", boolean(!args.no_shuffle)),
        ("typesize", args.typesize.as_ref().map_or(default(TYPESIZE), ToString::to_string)),
    ]);
}

fn files(many: &ManyArgs, files: &[PathBuf], list: &mut Vec<(&'static str, String)>) {
    let (inputs, output) = many.split(files);
    list.extend([("in_file", paths(inputs)), ("out_file", option(output.or(many.output.as_deref()).map(path)))]);
}

fn boolean(value: bool) -> String {
    if value { "True" } else { "False" }.into()
}

fn option(value: Option<impl Display>) -> String {
    value.map_or("None".into(), |value| value.to_string())
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

fn paths(list: &[PathBuf]) -> String {
    list.iter().map(|one| path(one)).collect::<Vec<_>>().join(", ")
}
