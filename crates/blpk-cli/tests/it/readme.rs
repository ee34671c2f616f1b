//! The `blpk` commands of the READMEs, run in the order printed.
//!
//! `cargo xtask ci readme` runs the blocks word for word; this test runs them with the binary under test.

use std::path::Path;

use crate::common::{Sandbox, counting};

/// The lines of all shell blocks of a README of this repository.
fn commands(readme: &str) -> Vec<String> {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(readme)).unwrap();
    let blocks = readme.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

#[test]
fn the_commands_of_readme_work() {
    let sandbox = Sandbox::new();
    sandbox.write("sun.i32", &counting(20_000_000));
    for name in ["docs", "docs/bench", "target", "target/try"] {
        std::fs::create_dir(sandbox.path(name)).unwrap();
    }
    sandbox.write("docs/bench/a", &counting(1000));
    sandbox.shell("ln sun.i32 target/try").ok();
    let commands = commands("../../README.md");
    assert!(commands.len() > 10, "{commands:?}");
    let mut folder = "";
    for command in commands {
        // The program is built and the sample is made already.
        let command = match command.strip_prefix("cargo run --release --bin blpk -- ") {
            Some(arguments) => format!("blpk {arguments}"),
            None if command.starts_with("cargo ") || command.starts_with("rustc ") => continue,
            None => command,
        };
        if command == "cd target/try" {
            folder = "cd target/try; ";
            continue;
        }
        let run = sandbox.shell(&format!("{folder}{command}")).ok();
        assert!(!run.stderr.contains("blpk"), "{command}: {}", run.stderr);
    }
    assert_eq!(sandbox.read("target/try/copy.i32"), counting(20_000_000));
    let twice = sandbox.run("cat --items 5000000.. target/try/twice.blp").ok();
    assert_eq!(twice.stdout, counting(20_000_000));
    let size = |name: &str| sandbox.read(&format!("target/try/{name}")).len();
    assert!(size("sun.b2frame") < size("sun.i32") / 10 && size("sun.blp") < size("sun.i32") / 5);
    assert_eq!(sandbox.info("target/try/sun.b2nd")["dtype"], "<i4");
    assert!(sandbox.path("target/try/packed/bench/a.blp").exists());
}

#[test]
fn the_commands_of_the_crates_readme_work() {
    let sandbox = Sandbox::new();
    sandbox.write("data.i32", &counting(100_000));
    let commands = commands("README.md");
    assert!(commands.len() > 3, "{commands:?}");
    for command in commands {
        let run = sandbox.shell(&command).ok();
        assert_eq!(run.stderr, "", "{command}");
    }
    assert_eq!(sandbox.read("copy.i32"), counting(100_000));
}
