//! The commands, a file or folder for each.
//!
//! The arguments of a command are first resolved to its `Plan`: inputs, outputs, checked settings, options of the
//! library. Errors in the arguments end the run here, before any output is written. `run` then takes the plan and no
//! arguments.

mod advise;
mod append;
mod array;
mod bench;
mod cat;
mod chunk;
mod compact;
mod compress;
mod convert;
mod decompress;
mod destination;
mod digest;
mod filters;
mod info;
mod list;
mod meta;
mod pages;
mod plain_size;
mod recover;
mod reference;
mod settings;
mod stats;
mod verify;
mod wording;

use crate::args::Command;
use crate::session::Session;

/// Plans a command and runs it.
pub(crate) fn run(command: &Command, session: &Session) -> anyhow::Result<()> {
    match command {
        Command::Compress(args) => compress::run(compress::Plan::new(args, session)?, session),
        Command::Decompress(args) => decompress::run(decompress::Plan::new(args, session), session),
        Command::Append(args) => append::run(append::Plan::new(args, session)?, session),
        Command::Info(args) => info::run(info::Plan::new(args), session),
        Command::List(args) => list::run(list::Plan::new(args), session),
        Command::Verify(args) => verify::run(verify::Plan::new(args), session),
        Command::Cat(args) => cat::run(&cat::Plan::new(args)?, session),
        Command::Stats(args) => stats::run(&stats::Plan::new(args)?, session),
        Command::Convert(args) => convert::run(&convert::Plan::new(args, session)?, session),
        Command::Recover(args) => recover::run(&recover::Plan::new(args, session)?, session),
        Command::Reference(args) => reference::run(&reference::Plan::new(args, session)?, session),
        Command::Compact(args) => compact::run(&compact::Plan::new(args)?, session),
        Command::Meta(command) => meta::run(meta::Plan::new(command)?, session),
        Command::Advise(args) => advise::run(&advise::Plan::new(args)?, session),
        Command::Bench(args) => bench::run(bench::Plan::new(args, session)?, session),
        Command::Chunk(args) => chunk::run(chunk::Plan::new(args, session)?, session),
        Command::Completions(args) => pages::completions(args.shell, session),
        Command::Man(args) => pages::man(&pages::Pages::new(args), session),
        Command::Help(_) => Ok(()), // was parsed as the option --help
    }
}
