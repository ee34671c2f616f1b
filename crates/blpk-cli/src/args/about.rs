//! Arguments of the commands about the program itself.

use super::template::HELP;
use super::values;
use clap::Args;
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;

/// `blpk completions`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk completions (bash | elvish | fish | powershell | zsh)",
    after_long_help = "examples:\n  \
        blpk completions bash > ~/.local/share/bash-completion/completions/blpk\n  \
        blpk completions fish > ~/.config/fish/completions/blpk.fish\n  \
        blpk completions zsh > _blpk        in a folder of $fpath",
    help_template = HELP
)]
pub(crate) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    #[arg(value_name = "shell", help_heading = "files", value_parser = values::shell)]
    pub(crate) shell: Shell,
}

/// `blpk man`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk man [--output-dir <directory> | <page>]",
    after_long_help = "examples:\n  \
        blpk man | man -l -               the page of blpk\n  \
        blpk man convert | man -l -       that of a command\n  \
        blpk man chunk-encode | man -l -  that of a command in a command\n  \
        blpk man --output-dir man1        all of them, as files",
    help_template = HELP
)]
pub(crate) struct ManArgs {
    /// write all pages to files in this directory, which exists
    #[arg(long, value_name = "directory", conflicts_with = "page")]
    pub(crate) output_dir: Option<PathBuf>,
    /// which page: blpk, compress, chunk-encode, … (default: blpk)
    #[arg(value_name = "page", help_heading = "files")]
    pub(crate) page: Option<String>,
}

/// `blpk help`
#[derive(Debug, Args)]
#[command(
    next_help_heading = "options",
    override_usage = "blpk help [<command> ...]",
    after_long_help = "examples:\n  \
        blpk help                what 'blpk --help' prints\n  \
        blpk help chunk encode   what 'blpk chunk encode --help' prints",
    help_template = HELP
)]
pub(crate) struct HelpArgs {
    /// which command (default: all of them, in a line each)
    #[arg(value_name = "command", help_heading = "files")]
    pub(crate) command: Vec<String>,
}

impl HelpArgs {
    /// Returns the equivalent command line: `blpk chunk encode --help`.
    pub(super) fn argv(&self) -> Vec<OsString> {
        let words = self.command.iter().map(OsString::from);
        std::iter::once("blpk".into()).chain(words).chain(["--help".into()]).collect()
    }
}
