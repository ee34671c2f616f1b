//! Tests that the completions and the man pages know every command and option.

use std::process::{Command, Stdio};

use crate::common::Sandbox;

/// Returns the long options in the help of a command.
fn options(sandbox: &Sandbox, command: &str) -> Vec<String> {
    let help = sandbox.run(&format!("{command} --help")).ok();
    let words = String::from_utf8(help.stdout).unwrap();
    // Lines start with `-x, --name <value>` or `--name <value>`. The usage has its options in brackets.
    let lines = words.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let options = lines.filter_map(|line| line.split_whitespace().take(2).find_map(|word| word.strip_prefix("--")));
    // An optional value follows in brackets: `--auto[=<goal>]`.
    options.filter_map(|option| option.split('[').next()).map(str::to_owned).collect()
}

#[test]
fn every_page_has_the_options_of_its_command() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("man1")).unwrap();
    sandbox.run("man --output-dir man1").ok();
    let mut names: Vec<_> = std::fs::read_dir(sandbox.path("man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() > 12 && names.contains(&"blpk-chunk-encode.1".to_owned()), "{names:?}");
    for name in names {
        let page = String::from_utf8(sandbox.read(&format!("man1/{name}"))).unwrap();
        let command = name.trim_end_matches(".1");
        assert!(page.contains(&format!(".TH {command} 1")), "{name}");
        let words = command.trim_start_matches("blpk").replace('-', " ");
        for option in options(&sandbox, words.trim()) {
            assert!(page.replace("\\-", "-").contains(&format!("--{option}")), "{name} lacks --{option}");
        }
    }
    sandbox.run("man blpk-cat").ok();
    assert!(
        sandbox.run("man blpk-dog").error().starts_with("there is no page 'blpk-dog', only: blpk, blpk-compress, ")
    );
    // An existing file is not overwritten.
    assert_eq!(sandbox.run("man --output-dir man1").error(), "output file 'man1/blpk.1' exists!");
}

/// The footer of a page says which release it describes.
#[test]
fn pages_have_version_and_release_date() {
    let changelog = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CHANGELOG.md");
    let changelog = std::fs::read_to_string(changelog).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let released = changelog.split_once(&format!("\n## [{version}] - ")).unwrap().1.lines().next().unwrap().to_owned();
    let sandbox = Sandbox::new();
    for page in ["blpk", "blpk-cat", "blpk-chunk-encode"] {
        let title = format!(".TH {page} 1 {released} \"blpk {version}\" blpk");
        let run = sandbox.run(&format!("man {page}")).ok();
        let found = run.text().lines().find(|line| line.starts_with(".TH"));
        assert_eq!(found, Some(title.as_str()), "{page}");
    }
}

#[test]
fn every_shell_has_every_command_and_option() {
    let sandbox = Sandbox::new();
    let help = sandbox.run("--help").ok();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands = help.split("commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    let commands: Vec<_> = commands.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
    assert!(commands.len() > 10 && commands.contains(&"completions".to_owned()), "{commands:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = String::from_utf8(sandbox.run(&format!("completions {shell}")).ok().stdout).unwrap();
        for command in &commands {
            assert!(script.contains(command.as_str()), "{shell} lacks {command}");
            let before = if shell == "fish" { "" } else { "--" };
            for option in options(&sandbox, command) {
                assert!(script.contains(&format!("{before}{option}")), "{shell} lacks {command} --{option}");
            }
        }
    }
    assert_eq!(sandbox.run("completions tcsh").code, Some(2));
}

/// Returns the completions that bash offers for the last word.
fn offered(sandbox: &Sandbox, line: &str) -> Vec<String> {
    sandbox.write("script", &sandbox.run("completions bash").ok().stdout);
    sandbox.write(
        "ask",
        b"source ./script; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _blpk blpk \"${COMP_WORDS[COMP_CWORD]}\" \
          \"${COMP_WORDS[COMP_CWORD - 1]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"",
    );
    let run = sandbox.shell(&format!("bash ask blpk {line}")).ok();
    run.lines().iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn bash_completes_aliases_and_values() {
    let sandbox = Sandbox::new();
    for (line, words) in [
        ("c --c", "--codec --chunk-size --checksum --clevel"),
        ("test --dig", "--digest"),
        ("d --std", "--stdout"),
        ("c -c ''", "blosclz lz4 lz4hc snappy zlib zstd auto"),
        ("chunk encode -c ''", "blosclz lz4 lz4hc snappy zlib zstd"),
        ("advise --goal ''", "fast balanced small"),
        ("a --codec lz", "lz4 lz4hc"),
        ("c -k sha", "sha1 sha224 sha256 sha384 sha512"),
        ("c -l ''", "0 1 2 3 4 5 6 7 8 9"),
        ("compress --filter s", "shuffle"),
        ("convert --filter t", "trunc-prec"),
        ("bench --filter ''", "none shuffle bitshuffle"),
        ("convert --splitmode ''", "always never auto forward"),
        ("convert --columns-as ''", "npy b2nd"),
        ("c --format ''", "blp b2frame"),
        ("chunk encode --format ''", "blosc1 blosc2"),
        ("verify --digest sha1", "sha1"),
        ("man chunk-", "chunk-encode chunk-decode chunk-info"),
        ("man compr", "compress"),
        ("completions f", "fish"),
        ("help compr", "compress"),
    ] {
        let (mut found, mut words) = (offered(&sandbox, line), words.split(' ').collect::<Vec<_>>());
        found.sort();
        words.sort_unstable();
        assert_eq!(found, words, "{line}");
    }
    // The values known to the completions do not change the parser's errors: the texts are the original's.
    let error = sandbox.run("c -c lz5 f").usage();
    assert!(error.starts_with("argument -c/--codec: invalid choice: 'lz5' (choose from 'blosclz', 'lz4', "), "{error}");
}

#[test]
fn pages_say_what_the_help_says() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("man1")).unwrap();
    sandbox.run("man --output-dir man1").ok();
    for entry in std::fs::read_dir(sandbox.path("man1")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let page = String::from_utf8(sandbox.read(&format!("man1/{name}"))).unwrap();
        assert!(page.is_ascii(), "{name}");
        assert!(page.contains("\n.SH \"EXIT STATUS\"\n") && page.contains("\n.SH \"SEE ALSO\"\n"), "{name}");
        // Each item is a line with its name and at least one line of description.
        for item in page.split("\n.TP\n").skip(1) {
            let said = item.lines().nth(1).unwrap_or_default();
            assert!(!said.is_empty() && !said.starts_with('.'), "{name}: {item}");
        }
        let words = name.trim_start_matches("blpk").trim_end_matches(".1").replace('-', " ");
        let help = sandbox.run(&format!("{words} --help")).ok();
        for (title, heading) in
            [(".SH EXAMPLES\n.nf\n", "\nexamples:\n"), (".SH ENVIRONMENT\n.nf\n", "\nenvironment, ")]
        {
            assert_eq!(page.contains(title), help.text().contains(heading), "{name}: {title}");
        }
        let errors = sandbox.shell(&format!("groff -ww -man -Tutf8 -z man1/{name} || test $? = 127"));
        assert!(errors.stderr.is_empty() || errors.stderr.contains("not found"), "{name}: {}", errors.stderr);
    }
    let examples = sandbox.run("man compress").ok();
    assert!(examples.text().contains("\ntar c dir | blpk c \\-t 1 \\- \\- > dir.blp  from and to a pipe\n"));
    assert_eq!(examples.stdout, sandbox.run("man blpk-compress").ok().stdout);
}

#[test]
fn help_is_a_command_too() {
    let sandbox = Sandbox::new();
    for (line, same) in [
        ("help", "--help"),
        ("help compress", "c --help"),
        ("-n 2 help c", "compress --help"),
        ("help chunk encode", "chunk encode --help"),
    ] {
        assert_eq!(sandbox.run(line).ok().text(), sandbox.run(same).ok().text(), "{line}");
    }
    assert_eq!(sandbox.run("-V").ok().text(), sandbox.run("--version").ok().text());
    let unknown = sandbox.run("help compres").usage();
    assert!(unknown.ends_with("'help'); did you mean 'compress'?"), "{unknown}");
    for (typed, meant) in [("compres", "compress"), ("decompres", "decompress"), ("verfiy", "verify"), ("inof", "info")]
    {
        let error = sandbox.run(&format!("{typed} f")).usage();
        let start = format!("argument : invalid choice: '{typed}' (choose from 'compress', 'c', 'decompress', ");
        assert!(error.starts_with(&start) && error.ends_with(&format!("; did you mean '{meant}'?")), "{error}");
    }
    assert!(sandbox.run("xyz f").usage().ends_with("'help')"));
}

/// The defaults in the help are the real ones.
#[test]
fn help_is_true_of_the_command() {
    let sandbox = Sandbox::new();
    let help = |args: &str| sandbox.run(args).ok().text().to_owned();
    let line = |help: &str, option: &str| {
        let lines: Vec<_> = help.lines().map(str::trim_start).collect();
        let at =
            lines.iter().position(|line| line.starts_with(option)).unwrap_or_else(|| panic!("no {option}: {help}"));
        lines[at..].iter().take(2).copied().collect::<Vec<_>>().join(" ")
    };
    for (command, option, said) in [
        ("c -h", "-t,", "(default: 8)"),
        ("a -h", "-t,", "(default: the file's)"),
        ("convert -h", "-t,", "(default: the input's)"),
        ("convert -h", "-l,", "(default: the input's, else 5; 7 in .blp)"),
        ("convert -h", "-c,", "else zstd in frames"),
        ("c -h", "-o,", "offsets, the table of the positions of chunks"),
    ] {
        assert!(line(&help(command), option).contains(said), "{command} {option}");
    }
    for command in ["c", "d"] {
        for option in ["--stdout", "--output ", "--each", "--memory", "-d,", "-T,"] {
            line(&help(&format!("{command} -h")), option);
        }
        assert!(help(&format!("{command} -h")).contains("--stdout] <in_file>..."), "the usage of {command}");
    }
    let append = help("a -h");
    assert!(append.find("  <original_file>") < append.find("  <new_file>"), "{append}");
    for command in ["info", "verify", "recover", "compact", "chunk decode", "chunk info", "append", "bench", "man"] {
        assert!(help(&format!("{command} --help")).contains("\nexamples:\n  blpk "), "{command}");
    }
    for command in ["", "c", "chunk", "chunk encode", "recover", "help"] {
        let help = help(&format!("{command} -h"));
        assert!(!help.contains("Options:") && !help.contains("Print"), "{help}");
    }
}

/// Checks that the installed shells accept their scripts.
#[test]
fn shells_can_read_their_scripts() {
    let sandbox = Sandbox::new();
    let mut read = 0;
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let script = sandbox.run(&format!("completions {shell}")).ok();
        sandbox.write(shell, &script.stdout);
        let mut run = Command::new(shell);
        let run = run.arg(check).arg(sandbox.path(shell)).stderr(Stdio::piped()).output();
        let Ok(output) = run else { continue };
        // Under an emulator, a missing program looks like a shell's exit code 127.
        if testdata::emulator().is_some() && output.status.code() == Some(127) {
            continue;
        }
        assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        read += 1;
    }
    assert!(read > 0 || cfg!(windows), "not even bash is here");
}

/// `-h` gives an overview on one screen, `--help` gives everything.
#[test]
fn the_short_help_fits_a_screen() {
    let sandbox = Sandbox::new();
    let lines = |args: &str| String::from_utf8(sandbox.run(args).ok().stdout).unwrap().lines().count();
    let commands =
        ["advise", "append", "bench", "cat", "compress", "convert", "decompress", "info", "list", "stats", "verify"];
    let others =
        ["", "chunk", "chunk encode", "chunk decode", "chunk info", "recover", "compact", "completions", "man"];
    for command in commands.into_iter().chain(others).chain(["help"]) {
        let (short, long) = (lines(&format!("{command} -h")), lines(&format!("{command} --help")));
        assert!(short <= 40, "blpk {command} -h: {short} lines");
        assert!(long >= short, "blpk {command}");
    }
}
