//! Do the abbreviations that the original accepted still mean the same?
#![allow(clippy::unwrap_used)]

mod common;

use common::Sandbox;

/// The unique prefixes of the original's long options, each at its shortest, and the option it stands for.
const PREFIXES: [(&str, &[(&str, &str)]); 5] = [
    (
        "",
        &[
            ("--h", "--help"),
            ("--vers", "--version"),
            ("--verb", "--verbose"),
            ("--d", "--debug"),
            ("--f", "--force"),
            ("--n", "--nthreads"),
        ],
    ),
    (
        "compress",
        &[
            ("--h", "--help"),
            ("--t", "--typesize"),
            ("--cl", "--clevel"),
            ("--no-s", "--no-shuffle"),
            ("--co", "--codec"),
            ("--chu", "--chunk-size"),
            ("--che", "--checksum"),
            ("--no-o", "--no-offsets"),
            ("--m", "--metadata"),
        ],
    ),
    ("decompress", &[("--h", "--help"), ("--n", "--no-check-extension")]),
    (
        "append",
        &[
            ("--h", "--help"),
            ("--t", "--typesize"),
            ("--cl", "--clevel"),
            ("--no-s", "--no-shuffle"),
            ("--co", "--codec"),
            ("--no-c", "--no-check-extension"),
            ("--m", "--metadata"),
        ],
    ),
    ("info", &[("--h", "--help")]),
];

#[test]
fn every_prefix_is_understood() {
    let sandbox = Sandbox::new();
    for (command, prefixes) in PREFIXES {
        for (shortest, option) in prefixes {
            for end in shortest.len()..=option.len() {
                let prefix = &option[..end];
                // Each option is told by what it makes of this value, or by not taking one.
                let run = sandbox.run(&format!("{command} {prefix}=nonsense"));
                let error = match run.code {
                    Some(2) => run.usage(),
                    _ => run.failed(),
                };
                let reached = match *option {
                    "--help"
                    | "--version"
                    | "--verbose"
                    | "--debug"
                    | "--force"
                    | "--no-shuffle"
                    | "--no-offsets"
                    | "--no-check-extension" => error.contains("ignored explicit argument 'nonsense'"),
                    "--metadata" => error.contains("the following arguments are required"),
                    "--chunk-size" => error.starts_with("--chunk-size error: "),
                    _ => error.contains("invalid "),
                };
                assert!(reached && (error.contains(option) || *option == "--metadata"), "{command} {prefix}: {error}");
            }
        }
    }
}

#[test]
fn ambiguous_prefixes_are_named() {
    let sandbox = Sandbox::new();
    let ambiguous = |args| sandbox.run(args).usage();
    assert_eq!(ambiguous("--ver c"), "ambiguous option: --ver could match --version, --verbose");
    assert_eq!(ambiguous("c --no x"), "ambiguous option: --no could match --no-shuffle, --no-offsets, --no-prealloc");
    assert_eq!(ambiguous("c --ch x"), "ambiguous option: --ch could match --chunk-size, --checksum");
    assert!(ambiguous("a --n x y").starts_with("ambiguous option: --n could match "));
}
