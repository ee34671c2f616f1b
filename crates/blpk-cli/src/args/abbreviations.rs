//! Abbreviations of the original's options. A new option that begins the same way changes nothing: `--t` was `--typesize`
//! before there was `--threads`, and stays so.

use std::borrow::Cow;
use std::ffi::OsString;

/// The long options that the original had before a command.
const GLOBAL: &[&str] = &["help", "version", "verbose", "debug", "force", "nthreads"];

/// Those of its commands, by name and alias.
const COMMANDS: [([&str; 2], &[&str]); 4] = [
    (
        ["compress", "c"],
        &["help", "typesize", "clevel", "no-shuffle", "codec", "chunk-size", "checksum", "no-offsets", "metadata"],
    ),
    (["decompress", "d"], &["help", "no-check-extension"]),
    (["append", "a"], &["help", "typesize", "clevel", "no-shuffle", "codec", "no-check-extension", "metadata"]),
    (["info", "i"], &["help"]),
];

/// The command line with every unique prefix of an option of the original's written out. All else, also prefixes of new
/// options, is the parser's.
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
            // Whatever the command is: the original's options, or none of its.
            options = COMMANDS.iter().find(|(names, _)| names.contains(&word)).map(|(_, options)| *options);
        }
    }
    argv
}

/// Whether a word before the command is the value of the option before it: only the number of threads has one.
fn is_value(argv: &[OsString], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| argv.get(before)).and_then(|word| word.to_str());
    before.is_some_and(|word| match word.strip_prefix("--") {
        Some(name) => !name.is_empty() && ["nthreads", "threads"].iter().any(|option| option.starts_with(name)),
        None => word.starts_with('-') && word.ends_with(['n', 'T']),
    })
}

/// `--typesize=4` for `--t=4`.
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
