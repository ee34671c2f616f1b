//! Do the completions and the man pages know every command and option?
#![allow(clippy::unwrap_used)]

mod common;

use common::Sandbox;
use std::process::{Command, Stdio};

/// The long options that the help of a command lists.
fn options(sandbox: &Sandbox, command: &str) -> Vec<String> {
    let help = sandbox.run(&format!("{command} --help")).ok();
    let words = String::from_utf8(help.stdout).unwrap();
    // `-x, --name <value>` or `--name <value>`: the usage has them in brackets.
    let lines = words.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let options = lines.filter_map(|line| line.split_whitespace().take(2).find_map(|word| word.strip_prefix("--")));
    options.map(str::to_owned).collect()
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
    // What is there already is not overwritten.
    assert_eq!(sandbox.run("man --output-dir man1").error(), "output file 'man1/blpk.1' exists!");
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

/// Whether a shell that is here accepts the script.
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
        assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        read += 1;
    }
    assert!(read > 0 || cfg!(windows), "not even bash is here");
}

/// `-h` is what one wants to see at a glance, `--help` is everything.
#[test]
fn the_short_help_fits_a_screen() {
    let sandbox = Sandbox::new();
    let lines = |args: &str| String::from_utf8(sandbox.run(args).ok().stdout).unwrap().lines().count();
    let commands = ["append", "bench", "cat", "compress", "convert", "decompress", "info", "list", "verify"];
    for command in commands.into_iter().chain(["", "chunk encode", "recover", "compact", "completions", "man"]) {
        let (short, long) = (lines(&format!("{command} -h")), lines(&format!("{command} --help")));
        assert!(short <= 40, "blpk {command} -h: {short} lines");
        assert!(long >= short, "blpk {command}");
    }
}
