//! Tests that the abbreviations that the original accepted still have the same meaning.

use crate::common::Sandbox;

/// The original's long options, each with its shortest unique prefix.
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
                // Each option is recognised by its error about this value, or by not taking a value.
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

#[test]
fn new_options_can_be_abbreviated_too() {
    let sandbox = Sandbox::new();
    for (command, prefix, option) in [
        ("", "--q", "-q/--quiet"),
        ("", "--t", "-T/--threads"),
        ("compress", "--th", "-T/--threads"),
        ("compress", "--a", "--auto"),
        ("append", "--au", "--auto"),
        ("compress", "--fi", "--filter"),
        ("compress", "--ma", "--max-app-chunks"),
        ("compress", "--no-p", "--no-prealloc"),
        ("compress", "--mem", "--memory"),
        ("compress", "--rec", "-r/--recursive"),
        ("compress", "--e", "--each"),
        ("compress", "--s", "--stdout"),
        ("compress", "--rm", "--rm"),
        ("decompress", "--mem", "--memory"),
        ("decompress", "--nt", "-n/--nthreads"),
        ("decompress", "--th", "-T/--threads"),
        ("verify", "--m", "--memory"),
        ("list", "--r", "-r/--recursive"),
    ] {
        let error = sandbox.run(&format!("{command} {prefix}=nonsense")).usage();
        let reached = [format!("argument {option}: ignored explicit"), format!("argument {option}: invalid ")];
        let memory = "argument --memory: could not convert string".to_owned();
        let memory = [memory, "argument --memory: invalid literal".to_owned()];
        let reached = reached.iter().chain(&memory).any(|reached| error.starts_with(reached.as_str()));
        assert!(reached, "{command} {prefix}: {error}");
    }
    for (command, prefix) in [("compress", "--out"), ("compress", "--o"), ("decompress", "--m"), ("compress", "--f")] {
        let error = sandbox.run(&format!("{command} {prefix}=x f")).usage();
        assert!(error.starts_with(&format!("ambiguous option: {prefix} could match ")), "{command} {prefix}: {error}");
    }
}
