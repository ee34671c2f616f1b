//! Usage errors, in the wording of the original's parser, Python's argparse.

use super::bad_value::BadValue;
use super::cli::definition;
use super::stop::Stop;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use std::ffi::OsString;

/// Returns a usage error that is found only after parsing.
pub(crate) fn usage_error(argv: &[OsString], message: impl Into<String>) -> Stop {
    let mut root = definition();
    root.build();
    Stop::Usage { usage: usage(called(&root, argv).0), message: message.into() }
}

/// Converts an error of the parser to a [`Stop`].
pub(super) fn explain(error: &clap::Error, root: &Command, argv: &[OsString]) -> Stop {
    let (command, name) = called(root, argv);
    let argument = context(error, ContextKind::InvalidArg);
    let message = match error.kind() {
        ErrorKind::DisplayHelp => return Stop::Text(error.render().to_string()),
        ErrorKind::ValueValidation => match std::error::Error::source(error).and_then(|e| e.downcast_ref()) {
            Some(BadValue::Usage(message)) => message.clone(),
            Some(BadValue::Failure { long, short, text }) => {
                let value = context(error, ContextKind::InvalidValue);
                return Stop::Failure(format!("{} {text}", as_typed(argv, long, short, &value)));
            }
            None => format!("argument {}: invalid value", name_of(command, &argument)),
        },
        ErrorKind::InvalidValue => format!("argument {}: expected one argument", name_of(command, &argument)),
        ErrorKind::MissingRequiredArgument => required(&argument),
        ErrorKind::ArgumentConflict => {
            let other = name_of(command, &context(error, ContextKind::PriorArg));
            format!("argument {}: not allowed with argument {other}", name_of(command, &argument))
        }
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "too few arguments".into()
        }
        ErrorKind::InvalidSubcommand => {
            let typed = context(error, ContextKind::InvalidSubcommand);
            let hint = match error.get(ContextKind::SuggestedSubcommand) {
                Some(ContextValue::Strings(similar)) => {
                    // The best match comes last. Many words are slightly similar, so the first letter must match: in a
                    // typing error it is usually right.
                    let best = similar.last().filter(|best| same_start(best, &typed));
                    best.map(|best| did_you_mean(best))
                }
                _ => None,
            };
            let choices = choices(command);
            format!("argument : invalid choice: '{typed}' (choose from {choices}){}", hint.unwrap_or_default())
        }
        ErrorKind::TooManyValues => {
            let value = context(error, ContextKind::InvalidValue);
            format!("argument {}: ignored explicit argument '{value}'", name_of(command, &argument))
        }
        ErrorKind::UnknownArgument => {
            let similar = context(error, ContextKind::SuggestedArg);
            unknown(root, (command, name), argv, &argument, &similar)
        }
        // No rule that causes another kind of error is in use. The first line of clap's text says what is wrong.
        _ => error.render().to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").into(),
    };
    Stop::Usage { usage: usage(command), message }
}

fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.replacen("Usage: ", "usage: ", 1)
}

/// Returns the command that the words name, and the position of the first command name. Only the first word that is
/// neither an option nor an option's value can be a command name.
fn called<'a>(root: &'a Command, argv: &[OsString]) -> (&'a Command, Option<usize>) {
    let (mut command, mut first, mut is_value) = (root, None, false);
    for (position, word) in argv.iter().enumerate().skip(1) {
        let word = word.to_string_lossy();
        if !is_value && !word.starts_with('-') {
            let Some(inner) = command.find_subcommand(word.as_ref()) else { break };
            (command, first) = (inner, first.or(Some(position)));
        }
        is_value = !is_value && waiting(command, &word).is_some();
    }
    (command, first)
}

/// Joins the texts of one kind in the error's context.
fn context(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    }
}

/// Returns `-z/--chunk-size` for the argument that clap calls `--chunk-size <size>`.
fn name_of(command: &Command, argument: &str) -> String {
    let word = argument.split([' ', '=', '[']).next().unwrap_or_default();
    let long = word.strip_prefix("--");
    let short = word.strip_prefix('-').and_then(|letter| letter.chars().next());
    let is_it = |arg: &&Arg| if long.is_some() { arg.get_long() == long } else { arg.get_short() == short };
    match command.get_arguments().find(is_it).map(|arg| (arg.get_short(), arg.get_long())) {
        Some((Some(short), Some(long))) => format!("-{short}/--{long}"),
        _ => word.into(),
    }
}

/// Whether two words have the same first letter. In a typing error it is usually right.
fn same_start(one: &str, other: &str) -> bool {
    one.chars().next() == other.chars().next()
}

fn did_you_mean(name: &str) -> String {
    format!("; did you mean '{name}'?")
}

/// Returns advice on an unknown long option, if a similar one exists.
fn similar_option(typed: &str, similar: &str) -> String {
    match (typed.strip_prefix("--"), similar.strip_prefix("--")) {
        (Some(typed), Some(name)) if same_start(typed, name) => did_you_mean(similar),
        _ => String::new(),
    }
}

/// Returns advice on a word like `-9`, which is a level for gzip and zstd.
pub(crate) fn mistaken_level(word: &str) -> Option<String> {
    let level = word.strip_prefix('-')?;
    let is_level = matches!(level.as_bytes(), [b'0'..=b'9']);
    is_level.then(|| format!("; did you mean -l {level} (--clevel {level})?"))
}

/// Describes a missing argument. For options that exclude each other, clap reports `<--items <A..B>|--bytes <A..B>>`.
fn required(argument: &str) -> String {
    let options: Vec<_> = argument.split(['<', '|', ' ']).filter(|word| word.starts_with("--")).collect();
    match *options {
        [] => format!("the following arguments are required: {}", argument.replace("...", "")),
        [option] => format!("the following arguments are required: {option}"),
        _ => format!("one of the arguments {} is required", options.join(" ")),
    }
}

/// Describes an unknown option, an ambiguous abbreviation, or a word where another option expects its value.
fn unknown(
    root: &Command,
    (command, name): (&Command, Option<usize>),
    argv: &[OsString],
    argument: &str,
    similar: &str,
) -> String {
    let words: Vec<_> = argv.iter().map(|word| word.to_string_lossy()).collect();
    // For a word like `-sX5` or `--nope=5`, clap names only the option.
    let is_it = |word: &str| match (argument.strip_prefix("--"), argument.strip_prefix('-')) {
        (Some(_), _) => word.split('=').next() == Some(argument),
        (None, Some(letter)) => {
            word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(letter))
        }
        _ => word == argument,
    };
    let position = (1..words.len()).find(|position| is_it(&words[*position]));
    let word = position.map_or(argument, |position| &words[position]);
    // Before the command, only the global options exist.
    let is_in_front = position.is_some_and(|position| name.is_some_and(|name| position < name));
    let command = if is_in_front { root } else { command };
    if let Some(before) = position.and_then(|position| words.get(position - 1))
        && let Some(option) = waiting(command, before)
    {
        return format!("argument {option}: expected one argument");
    }
    let matching: Vec<String> = match argument.strip_prefix("--") {
        Some(prefix) => {
            let known = root.get_arguments().chain(command.get_arguments()).filter_map(Arg::get_long);
            let mut longs: Vec<&str> = Vec::new();
            for long in known.filter(|long| long.starts_with(prefix)) {
                if !longs.contains(&long) {
                    longs.push(long); // global options exist in both places
                }
            }
            longs.into_iter().map(|long| format!("--{long}")).collect()
        }
        None => Vec::new(),
    };
    let has_level = command.get_arguments().any(|arg| arg.get_id() == "clevel");
    let level = words.iter().skip(1).find_map(|word| Some((word, mistaken_level(word)?))).filter(|_| has_level);
    match matching.len() {
        0 | 1 if let Some((word, advice)) = level => format!("unrecognized arguments: {word}{advice}"),
        0 | 1 => format!("unrecognized arguments: {word}{}", similar_option(argument, similar)),
        _ => format!("ambiguous option: {argument} could match {}", matching.join(", ")),
    }
}

/// Returns the option at the end of a word, if it takes its value from the next word.
fn waiting(command: &Command, word: &str) -> Option<String> {
    let long = word.strip_prefix("--").filter(|long| !long.is_empty() && !long.contains('='));
    let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.chars().next_back());
    let is_it = |arg: &&Arg| match long {
        Some(long) => arg.get_long().is_some_and(|name| name.starts_with(long)),
        None => short.is_some() && arg.get_short() == short,
    };
    let arg = command.get_arguments().find(is_it)?;
    let takes_next = arg.get_action().takes_values() && !arg.is_require_equals_set();
    takes_next.then(|| match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}/--{long}"),
        _ => word.into(),
    })
}

fn choices(command: &Command) -> String {
    let names =
        command.get_subcommands().flat_map(|command| [command.get_name()].into_iter().chain(command.get_all_aliases()));
    names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

/// Returns `--chunk-size` if that option or an abbreviation of it was given this value, else `-z`.
fn as_typed(argv: &[OsString], long: &str, short: &str, value: &str) -> String {
    let words: Vec<_> = argv.iter().map(|word| word.to_string_lossy()).collect();
    let next = words.iter().skip(1).map(Some).chain([None]);
    let by_name = words.iter().zip(next).filter_map(|(word, next)| {
        let (name, given) = match word.split_once('=') {
            Some((name, given)) => (name, given),
            None => (word.as_ref(), next.map_or("", |next| next.as_ref())),
        };
        name.strip_prefix("--").filter(|name| !name.is_empty() && long.starts_with(name) && given == value)
    });
    match by_name.count() {
        0 => format!("-{short}"),
        _ => format!("--{long}"),
    }
}
