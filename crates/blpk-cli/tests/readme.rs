//! Do the commands of README do what it says?
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;

use common::{Sandbox, counting};
use std::path::Path;

/// The lines of the first block of shell commands below a heading.
fn commands(heading: &str) -> Vec<String> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let section = readme.split_once(heading).unwrap().1;
    let block = section.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    block.lines().map(str::to_owned).collect()
}

#[test]
fn the_commands_of_readme_work() {
    let sandbox = Sandbox::new();
    for name in ["data.dat", "more.dat", "floats.bin"] {
        sandbox.write(name, &counting(100_000));
    }
    std::fs::create_dir(sandbox.path("data")).unwrap();
    sandbox.write("data/a", &counting(1000));
    let commands = commands("## The command line");
    assert!(commands.len() > 8, "{commands:?}");
    for command in commands {
        if command.contains('…') {
            continue; // a picture of a pipe, not a command
        }
        if command.starts_with("blpk decompress data.dat.blp") {
            // It was compressed by the line before; with the original there, it is refused.
            std::fs::remove_file(sandbox.path("data.dat")).unwrap();
        }
        let run = sandbox.shell(&command).ok();
        assert_eq!(run.stderr, "", "{command}");
    }
    assert_eq!(sandbox.read("data.dat"), counting(100_000));
    assert_eq!(sandbox.run("cat --items 12500.. data.dat.blp").ok().stdout, counting(100_000));
    assert!(sandbox.path("packed/data/a.blp").exists());
}
