//! Man pages, generated from the definition of the command line: the text of `--help`, in troff.

use super::cli::definition;
use clap::Command;
use clap_mangen::Man;
use std::fmt::Write as _;
use std::io;

/// Release date of this version, as CHANGELOG.md has it. A constant, so that two builds print the same pages.
const RELEASED: &str = "2026-11-22";

/// The exit codes and their meaning.
const EXIT_STATUS: [(&str, &str); 3] = [
    ("0", "Success. It is no failure if a reader closes the output early."),
    ("1", "Something failed. A line on stderr names the file, the position in it and what to do."),
    ("2", "The command line is wrong. The usage and the reason are on stderr."),
];

/// The names of all man pages: `blpk`, `blpk-compress`, `blpk-chunk-encode`, …
pub(crate) fn page_names() -> Vec<String> {
    let mut names = Vec::new();
    visit(&built(), None, &mut |command, _| names.push(name_of(command).to_owned()));
    names
}

/// Returns a man page by its name or the name of its command; `None` if there is none.
pub(crate) fn man_page(wanted: &str) -> Option<io::Result<Vec<u8>>> {
    let mut page = None;
    visit(&built(), None, &mut |command, parent| {
        let name = name_of(command);
        if name == wanted || name.strip_prefix("blpk-") == Some(wanted) {
            page = Some(render(command, parent));
        }
    });
    page
}

/// Returns the commands with the global options and their full names.
fn built() -> Command {
    let mut command = definition();
    command.build();
    command
}

fn visit(command: &Command, parent: Option<&str>, call: &mut impl FnMut(&Command, Option<&str>)) {
    call(command, parent);
    command.get_subcommands().for_each(|inner| visit(inner, Some(name_of(command)), call));
}

fn name_of(command: &Command) -> &str {
    command.get_display_name().unwrap_or(command.get_name())
}

fn render(command: &Command, parent: Option<&str>) -> io::Result<Vec<u8>> {
    // Options that `-h` hides for lack of room would be missing from the page as well.
    let man = Man::new(command.clone().mut_args(|arg| arg.hide_short_help(false)));
    let man = man.manual("blpk").date(RELEASED).source(concat!("blpk ", env!("CARGO_PKG_VERSION")));
    let mut bytes = Vec::new();
    man.render_title(&mut bytes)?;
    man.render_name_section(&mut bytes)?;
    man.render_synopsis_section(&mut bytes)?;
    man.render_description_section(&mut bytes)?;
    man.render_options_section(&mut bytes)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut bytes)?;
    }
    let mut page = String::from_utf8(bytes).map_err(io::Error::other)?;
    page.push_str(".SH \"EXIT STATUS\"\n");
    for (code, meaning) in EXIT_STATUS {
        let _ = write!(page, ".TP\n{code}\n{meaning}\n"); // writing to a string cannot fail
    }
    let after = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    after.split("\n\n").filter(|part| !part.is_empty()).for_each(|part| section(part, &mut page));
    page.push_str(&see_also(command, parent));
    // Tools that read pages as bytes understand only ASCII.
    let escaped = page.chars().map(|c| if c.is_ascii() { c.into() } else { format!("\\[u{:04X}]", u32::from(c)) });
    Ok(escaped.collect::<String>().into_bytes())
}

/// Writes a part of the text at the end of `--help`: `examples:` and lines that stay unchanged, or a few sentences.
fn section(part: &str, page: &mut String) {
    match part.split_once('\n') {
        Some((heading, lines)) if heading.ends_with(':') => {
            let title = heading.split([',', ':']).next().unwrap_or_default().to_uppercase();
            let _ = writeln!(page, ".SH {title}\n.nf");
            lines.lines().for_each(|line| page.extend([&*verbatim(line.strip_prefix("  ").unwrap_or(line)), "\n"]));
            page.push_str(".fi\n");
        }
        _ => {
            page.push_str(".SH NOTES\n");
            part.lines().for_each(|line| page.extend([&*verbatim(line), "\n"]));
        }
    }
}

/// Returns the related pages: those of the parent command and of the subcommands.
fn see_also(command: &Command, parent: Option<&str>) -> String {
    let above = parent.map(str::to_owned);
    let below = command.get_subcommands().map(|inner| name_of(inner).to_owned());
    let mut names: Vec<String> = above.into_iter().chain(below).collect();
    names.sort();
    let names: Vec<_> = names.iter().map(|name| format!(".BR {} (1)", verbatim(name))).collect();
    format!(".SH \"SEE ALSO\"\n{}\n", names.join(" ,\n"))
}

/// Escapes a line so that troff prints it unchanged, without requests and typographic replacements.
fn verbatim(line: &str) -> String {
    let mut escaped = String::new();
    if line.starts_with(['.', '\'']) {
        escaped.push_str("\\&");
    }
    for c in line.chars() {
        match c {
            '\\' => escaped.push_str("\\e"),
            '-' => escaped.push_str("\\-"),
            '\'' => escaped.push_str("\\(aq"),
            '`' => escaped.push_str("\\(ga"),
            '~' => escaped.push_str("\\(ti"),
            '^' => escaped.push_str("\\(ha"),
            c => escaped.push(c),
        }
    }
    escaped
}
