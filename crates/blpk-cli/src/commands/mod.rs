//! The commands, a file or folder for each.
//!
//! The arguments of a command are first resolved to its `Plan`: inputs, outputs, checked settings, options of the
//! library. Errors in the arguments end the run here, before any output is written. `run` then takes the plan and no
//! arguments.
//!
//! Commands of the original:
//!
//! | file | contents |
//! |---|---|
//! | `compress`, `decompress`, `append`, `info` | the commands of those names |
//!
//! Other commands:
//!
//! | file | contents |
//! |---|---|
//! | `list`, `verify`, `cat`, `stats` | read files |
//! | `convert`, `recover`, `reference`, `compact` | write containers from others |
//! | `meta` | prints and changes attributes and metalayers |
//! | `advise`, `bench` | automatic settings; measures settings |
//! | `chunk` | bare chunks |
//! | `pages` | `completions` and `man` |
//!
//! Shared by several commands:
//!
//! | file | contents |
//! |---|---|
//! | `array` | opens inputs as arrays |
//! | `settings`, `filters` | compression settings; filter pipelines |
//! | `destination` | where `compress` and `decompress` write |
//! | `digest` | `--digest` |
//! | `plain_size` | the chunk size for `--memory` |
//! | `wording` | errors in the wording of the original |

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
