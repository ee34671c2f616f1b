//! Completions and man pages, made from the definition of the command line.

use super::Cli;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;
use std::io;

/// The completions of a shell.
pub(crate) fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "blpk", &mut script);
    script
}

/// The names of all man pages: `blpk`, `blpk-compress`, `blpk-chunk-encode`, …
pub(crate) fn page_names() -> Vec<String> {
    let mut names = Vec::new();
    visit(&built(), &mut |name, _| names.push(name.to_owned()));
    names
}

/// A man page, `None` if there is none of this name.
pub(crate) fn man_page(wanted: &str) -> Option<io::Result<Vec<u8>>> {
    let mut page = None;
    visit(&built(), &mut |name, command| {
        if name == wanted {
            let mut text = Vec::new();
            page = Some(Man::new(command.clone()).manual("blpk").render(&mut text).map(|()| text));
        }
    });
    page
}

/// The commands with the options that all of them have, and their full names.
fn built() -> Command {
    let mut command = Cli::command();
    command.build();
    command
}

fn visit(command: &Command, call: &mut impl FnMut(&str, &Command)) {
    call(command.get_display_name().unwrap_or(command.get_name()), command);
    command.get_subcommands().for_each(|inner| visit(inner, call));
}
