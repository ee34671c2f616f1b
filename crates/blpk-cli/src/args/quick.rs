//! A description of the one command that is called. Describing all of them takes half of the time of a short run.
//!
//! It has what is needed to parse, and no help. Whatever it refuses is parsed again with all commands, for the same
//! messages. A test compares both.

use super::abbreviations::is_value;
use super::about::{CompletionsArgs, HelpArgs, ManArgs};
use super::advise::AdviseArgs;
use super::blosc::{AppendArgs, CompressArgs, DecompressArgs};
use super::chunk::ChunkCommand;
use super::cli::{Global, help_option, with_force};
use super::containers::{CompactArgs, ConvertArgs, RecoverArgs};
use super::meta::MetaCommand;
use super::reading::{BenchArgs, CatArgs, InfoArgs, ListArgs, StatsArgs, VerifyArgs};
use super::reference::ReferenceArgs;
use clap::{Arg, ArgAction, Args as _, Command, Subcommand as _};
use std::ffi::OsString;

/// The name of a command, its alias, and what adds its options.
type Described = (&'static str, Option<&'static str>, fn(Command) -> Command);

const COMMANDS: [Described; 19] = [
    ("compress", Some("c"), CompressArgs::augment_args),
    ("decompress", Some("d"), DecompressArgs::augment_args),
    ("append", Some("a"), AppendArgs::augment_args),
    ("info", Some("i"), InfoArgs::augment_args),
    ("list", None, ListArgs::augment_args),
    ("verify", Some("test"), VerifyArgs::augment_args),
    ("cat", None, CatArgs::augment_args),
    ("stats", None, StatsArgs::augment_args),
    ("convert", None, ConvertArgs::augment_args),
    ("reference", None, ReferenceArgs::augment_args),
    ("recover", None, RecoverArgs::augment_args),
    ("compact", None, CompactArgs::augment_args),
    ("meta", None, MetaCommand::augment_subcommands),
    ("advise", None, AdviseArgs::augment_args),
    ("bench", None, BenchArgs::augment_args),
    ("chunk", None, ChunkCommand::augment_subcommands),
    ("completions", None, CompletionsArgs::augment_args),
    ("man", None, ManArgs::augment_args),
    ("help", None, HelpArgs::augment_args),
];

/// Returns a parser for the command that is called, or for no command. `None` if there is none of this name, or for help.
pub(super) fn parser(argv: &[OsString]) -> Option<Command> {
    if argv.iter().any(|word| word == "-h" || word == "--help") {
        return None;
    }
    let version = Arg::new("version").short('V').long("version").action(ArgAction::SetTrue);
    let top = Global::augment_args(Command::new("blpk").arg(version)).arg(help_option());
    let top = top.disable_help_flag(true).disable_version_flag(true).disable_help_subcommand(true);
    let top = top.infer_long_args(true).args_override_self(true);
    let Some(word) = called(argv) else { return Some(top) };
    let (name, alias, augment) = COMMANDS.iter().find(|(name, alias, _)| word == *name || Some(word) == *alias)?;
    Some(with_force(top.subcommand(augment(Command::new(*name).alias(*alias)))))
}

/// Returns the first word that is neither an option nor the value of one.
fn called(argv: &[OsString]) -> Option<&str> {
    let words = argv.iter().enumerate().skip(1);
    let mut words = words.filter_map(|(at, word)| Some((at, word.to_str()?)));
    words.find(|(at, word)| !word.starts_with('-') && !is_value(argv, *at)).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::cli;

    /// Returns all that decides how words are parsed.
    fn described(command: &Command) -> Vec<String> {
        let args = command.get_arguments().map(|arg| {
            let parts = (arg.get_id(), arg.get_short(), arg.get_long(), arg.get_all_aliases(), arg.get_num_args());
            let values = (arg.get_default_values(), arg.get_value_delimiter(), arg.get_index(), arg.get_action());
            let flags = (arg.is_global_set(), arg.is_required_set(), arg.is_allow_hyphen_values_set());
            let numbers = (arg.is_allow_negative_numbers_set(), arg.is_last_set(), arg.is_trailing_var_arg_set());
            format!("{} {parts:?} {values:?} {flags:?} {numbers:?}", command.get_name())
        });
        let mut found: Vec<String> = args.collect();
        found.sort();
        let inner = command.get_subcommands().map(described);
        found.extend(inner.flatten());
        found
    }

    #[test]
    fn every_command_is_described_as_among_all() {
        let mut all = cli::parser();
        all.build();
        let names: Vec<&str> = all.get_subcommands().map(Command::get_name).collect();
        assert_eq!(names, COMMANDS.map(|(name, ..)| name));
        for command in all.get_subcommands() {
            for name in std::iter::once(command.get_name()).chain(command.get_all_aliases()) {
                let argv = ["blpk", "-vn", "2", name].map(OsString::from);
                let mut quick = parser(&argv).unwrap();
                quick.build();
                let [only] = quick.get_subcommands().collect::<Vec<_>>()[..] else { panic!("{name}") };
                assert_eq!(described(only), described(command), "{name}");
                let top = |root: &Command| described(&root.clone().mut_subcommands(|_| Command::new("")))[..8].to_vec();
                assert_eq!(top(&quick), top(&all), "{name}");
            }
        }
    }

    #[test]
    fn only_a_known_command_has_a_parser() {
        let top = parser(&["blpk", "-v"].map(OsString::from)).unwrap();
        assert_eq!(top.get_subcommands().count(), 0);
        for (line, expected) in [
            ("i f", Some("info")),
            ("-n 4 info f", Some("info")),
            ("--nthreads info x", None),
            ("nope", None),
            ("info -h", None),
            ("-vT 1 test", Some("verify")),
        ] {
            let argv: Vec<OsString> = std::iter::once("blpk").chain(line.split(' ')).map(OsString::from).collect();
            let found = parser(&argv).and_then(|root| Some(root.get_subcommands().next()?.get_name().to_owned()));
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }
}
