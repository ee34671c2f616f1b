//! Abbreviations of the original's options. They keep their meaning when a new option starts with the same letters:
//! `--t` meant `--typesize` before `--threads` existed, and still does.

use std::borrow::Cow;
use std::ffi::OsString;

/// The original's long options before a command.
const GLOBAL: &[&str] = &["help", "version", "verbose", "debug", "force", "nthreads"];

/// The long options of each of the original's commands, by the command's name and alias.
const COMMANDS: [([&str; 2], &[&str]); 4] = [
    (
        ["compress", "c"],
        &["help", "typesize", "clevel", "no-shuffle", "codec", "chunk-size", "checksum", "no-offsets", "metadata"],
    ),
    (["decompress", "d"], &["help", "no-check-extension"]),
    (["append", "a"], &["help", "typesize", "clevel", "no-shuffle", "codec", "no-check-extension", "metadata"]),
    (["info", "i"], &["help"]),
];

/// Expands every unique prefix of one of the original's options. Everything else, including prefixes of new options, is
/// left to the parser.
pub(super) fn expand(argv: &[OsString]) -> Cow<'_, [OsString]> {
    let mut argv = Cow::Borrowed(argv);
    let mut options = Some(GLOBAL);
    for at in 1..argv.len() {
        let Some(word) = argv.get(at).and_then(|word| word.to_str()) else { continue };
        if word == "--" {
            break;
        }
        if let Some(full) = options.and_then(|options| written_out(word, options)) {
            if let Some(word) = argv.to_mut().get_mut(at) {
                *word = full.into();
            }
        } else if !word.starts_with('-') && options == Some(GLOBAL) && !is_value(&argv, at) {
            // The options of one of the original's commands, or none for a new command.
            options = COMMANDS.iter().find(|(names, _)| names.contains(&word)).map(|(_, options)| *options);
        }
    }
    argv
}

/// Whether a word before the command is the value of the preceding option. Only the options for the number of threads
/// take one.
pub(super) fn is_value(argv: &[OsString], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| argv.get(before)).and_then(|word| word.to_str());
    before.is_some_and(|word| match word.strip_prefix("--") {
        Some(name) => !name.is_empty() && ["nthreads", "threads"].iter().any(|option| option.starts_with(name)),
        None => word.starts_with('-') && word.ends_with(['n', 'T']),
    })
}

/// Expands an abbreviated option: `--typesize=4` for `--t=4`. `None` if there is nothing to expand.
fn written_out(word: &str, options: &[&str]) -> Option<String> {
    let (name, value) = match word.strip_prefix("--")?.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word.strip_prefix("--")?, None),
    };
    let mut matching = options.iter().filter(|option| option.starts_with(name));
    match (matching.next(), matching.next(), value) {
        (Some(option), None, _) if *option == name => None,
        (Some(option), None, Some(value)) => Some(format!("--{option}={value}")),
        (Some(option), None, None) => Some(format!("--{option}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(line: &str) -> String {
        let argv: Vec<OsString> = std::iter::once("blpk").chain(line.split(' ')).map(OsString::from).collect();
        let words: Vec<_> = expand(&argv).iter().skip(1).map(|word| word.to_str().unwrap().to_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn options_of_the_original_are_written_out() {
        assert_eq!(expanded("--f c --t 4 --m=x f"), "--force c --typesize 4 --metadata=x f");
        assert_eq!(expanded("-n 2 a --t=4 x y"), "-n 2 a --typesize=4 x y");
        assert_eq!(expanded("--nth 2 decompress --n x y"), "--nthreads 2 decompress --no-check-extension x y");
    }

    #[test]
    fn nothing_else_is_touched() {
        for line in
            ["c --th 4 --outp x f", "c --no f", "c -- --t", "verify --t x", "cat --b .. c", "--thr 2 verify --m 1M"]
        {
            assert_eq!(expanded(line), line);
        }
    }
}
