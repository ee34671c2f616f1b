//! Completions, generated from the definition of the command line and the possible values of its options. Man pages:
//! `manual`.

use super::cli::definition;
use super::manual::page_names;
use super::{auto, digest, filters, values};
use blosc_core::Codec;
use bloscpack_format::checksum::Checksum;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;

/// Returns the completions of a shell.
pub(crate) fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut listed(definition()), "blpk", &mut script);
    script
}

/// Adds to a command what the parser does not need: the visible aliases, and the possible values of its options.
fn listed(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let aliases: Vec<String> = command.get_all_aliases().map(str::to_owned).collect();
    // Leaked: they live as long as the program runs.
    let command = command.alias(None).visible_aliases(aliases.into_iter().map(|alias| &*alias.leak()));
    command.mut_args(|arg| with_values(&name, arg)).mut_subcommands(listed)
}

fn with_values(command: &str, arg: Arg) -> Arg {
    let names: Vec<&'static str> = match (arg.get_id().as_str(), command) {
        ("codec", "compress" | "append" | "convert") | ("codecs", _) => auto::codec_names(),
        ("auto" | "goals", _) => auto::GOALS.into(),
        ("codec", _) => Codec::ALL.map(Codec::name).into(),
        ("clevel" | "clevels", _) => vec!["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
        ("checksum", _) => Checksum::ALL.map(Checksum::name).into(),
        ("digest", _) => digest::CHECKSUMS.map(Checksum::name).into(),
        ("filters", "bench") => filters::SHUFFLES.into(),
        ("filters", _) => filters::NAMES.into(),
        ("format", "compress" | "advise") => values::COMPRESS_FORMATS.into(),
        ("format", "cat") => values::ITEM_FORMATS.map(|(name, _)| name).into(),
        ("format", _) => values::CHUNK_FORMATS.into(),
        ("splitmode", _) => values::SPLITMODES.into(),
        ("columns_as", _) => values::COLUMN_FILES.into(),
        ("zarr_format", _) => values::ZARR_FORMATS.into(),
        ("shell", _) => values::SHELLS.into(),
        ("page", _) => page_names().into_iter().map(|name| &*short(&name).to_owned().leak()).collect(),
        ("command", "help") => {
            let root = definition();
            root.get_subcommands().map(|command| &*command.get_name().to_owned().leak()).collect()
        }
        ("output_dir", _) => return arg.value_hint(ValueHint::DirPath),
        _ => return arg,
    };
    arg.value_parser(PossibleValuesParser::new(names))
}

/// Returns `compress` for the page `blpk-compress`.
fn short(name: &str) -> &str {
    name.strip_prefix("blpk-").unwrap_or(name)
}
