//! Runs the binary in a folder of its own and checks the results.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;

/// A folder with the files of one test.
pub(crate) struct Sandbox(tempfile::TempDir);

/// The output and the exit code of a run.
#[derive(Debug)]
pub(crate) struct Run {
    command: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox(tempfile::tempdir().unwrap())
    }

    /// Creates a sandbox with a file `f`: 100,000 bytes of counting integers.
    pub(crate) fn with_f() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.write("f", &counting(100_000));
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Returns the names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns a command that runs the binary with arguments in the folder.
    pub(crate) fn command<A: AsRef<std::ffi::OsStr>>(&self, args: &[A]) -> Command {
        let mut command = testdata::program(Path::new(env!("CARGO_BIN_EXE_blpk")));
        command.current_dir(self.0.path()).args(args).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // The environment of the tests may set these.
        for name in ["NTHREADS", "CODEC", "CLEVEL", "MEMORY", "NO_PROGRESS"] {
            command.env_remove(format!("BLPK_{name}"));
        }
        command
    }

    /// Runs with arguments separated by spaces.
    pub(crate) fn run(&self, args: &str) -> Run {
        self.args(&args.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn args(&self, args: &[&str]) -> Run {
        Run::of(args.join(" "), self.command(args).output().unwrap())
    }

    /// Returns the object that `info --json` prints.
    pub(crate) fn info(&self, name: &str) -> testdata::serde_json::Value {
        testdata::serde_json::from_slice(&self.args(&["info", "--json", name]).ok().stdout).unwrap()
    }

    /// Runs with `input` on stdin.
    pub(crate) fn pipe(&self, args: &str, input: &[u8]) -> Run {
        let args: Vec<_> = args.split_whitespace().collect();
        let mut child = self.command(&args).stdin(Stdio::piped()).spawn().unwrap();
        let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
        // A run that fails early does not read to the end.
        let writer = thread::spawn(move || drop(stdin.write_all(&input)));
        let run = Run::of(args.join(" "), child.wait_with_output().unwrap());
        writer.join().unwrap();
        run
    }

    /// Runs a line of shell in which `blpk` is the binary.
    pub(crate) fn shell(&self, line: &str) -> Run {
        let path = std::env::join_paths(
            std::iter::once(folder_of_blpk().to_owned())
                .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
        );
        let mut command = Command::new("bash");
        command.current_dir(self.0.path()).args(["-o", "pipefail", "-c", line]).env("PATH", path.unwrap());
        Run::of(line.into(), command.stdin(Stdio::null()).output().unwrap())
    }

    pub(crate) fn spawn(&self, args: &str) -> Child {
        self.command(&args.split_whitespace().collect::<Vec<_>>()).stdin(Stdio::piped()).spawn().unwrap()
    }
}

impl Run {
    pub(crate) fn of(command: String, output: Output) -> Run {
        let stderr = String::from_utf8(output.stderr).expect("errors are text");
        assert!(!stderr.contains("panicked"), "{command}: {stderr}");
        Run { command, code: output.status.code(), stdout: output.stdout, stderr }
    }

    /// Asserts success with nothing on stderr.
    #[track_caller]
    pub(crate) fn ok(self) -> Run {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{}", self.command);
        self
    }

    /// Asserts success with exactly these lines of output.
    #[track_caller]
    pub(crate) fn prints(self, lines: &[&str]) {
        let run = self.ok();
        assert_eq!(run.lines(), lines, "{}", run.command);
    }

    /// Asserts a failure: exit code 1, nothing on stdout, one line on stderr. Returns the text after `blpk: error: `.
    #[track_caller]
    pub(crate) fn failed(self) -> String {
        assert_eq!((self.code, self.text()), (Some(1), ""), "{}: {}", self.command, self.stderr);
        self.error()
    }

    /// Asserts a usage error: exit code 2, the usage and one error on stderr. Returns the error.
    #[track_caller]
    pub(crate) fn usage(self) -> String {
        assert_eq!((self.code, self.text()), (Some(2), ""), "{}: {}", self.command, self.stderr);
        let (usage, error) = self.stderr.split_once("\nblpk: error: ").expect("usage and an error");
        assert!(usage.starts_with("usage: blpk"), "{}: {usage}", self.command);
        assert_eq!(error.matches('\n').count(), 1, "{}: {error}", self.command);
        error.trim_end().to_owned()
    }

    /// Returns the text of the only line of stderr.
    #[track_caller]
    pub(crate) fn error(&self) -> String {
        let error = self.stderr.strip_prefix("blpk: error: ").and_then(|error| error.strip_suffix('\n'));
        let error = error.unwrap_or_else(|| panic!("{}: {:?}", self.command, self.stderr));
        assert!(!error.contains('\n'), "{}: {error}", self.command);
        error.to_owned()
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap_or("(no text)")
    }

    pub(crate) fn lines(&self) -> Vec<&str> {
        self.text().lines().collect()
    }
}

/// Returns the folder where a shell finds `blpk`. Under an emulator, `blpk` is a script that calls it.
fn folder_of_blpk() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let binary = Path::new(env!("CARGO_BIN_EXE_blpk"));
        let folder = binary.parent().unwrap();
        let Some(emulator) = testdata::emulator() else { return folder.to_owned() };
        let scripts = folder.join("emulated");
        fs::create_dir_all(&scripts).unwrap();
        fs::write(scripts.join("blpk"), format!("#!/bin/sh\nexec {emulator} '{}' \"$@\"\n", binary.display())).unwrap();
        let status = Command::new("chmod").args(["+x", "blpk"]).current_dir(&scripts).status();
        assert!(status.unwrap().success());
        scripts
    })
}

/// Runs a line of shell on a terminal and returns its output. `None` if there is no `script` program to create a
/// terminal.
#[cfg(unix)]
pub(crate) fn on_a_terminal(sandbox: &Sandbox, line: &str) -> Option<String> {
    let there = sandbox.shell("script -qec true /dev/null").code == Some(0);
    if !there {
        eprintln!("skipped: no `script` that knows -e and -c");
        return None;
    }
    sandbox.write("line", line.as_bytes());
    let run = sandbox.shell("env -u BLPK_NO_PROGRESS TERM=xterm script -qec 'bash line' /dev/null");
    Some(run.text().to_owned())
}

/// 64-bit integers from 0 up.
pub(crate) fn counting(nbytes: usize) -> Vec<u8> {
    testdata::ramp(nbytes, 8, 0)
}

/// Incompressible data.
pub(crate) fn noise(nbytes: usize) -> Vec<u8> {
    testdata::noise(nbytes, 7)
}

/// Returns a folder with a directory of the bcolz archive as `x`, and its entry in the manifest.
pub(crate) fn golden_bcolz(name: &str) -> (Sandbox, testdata::serde_json::Value) {
    let sandbox = Sandbox::new();
    static FILES: OnceLock<BTreeMap<String, Vec<u8>>> = OnceLock::new();
    let (files, prefix) = (FILES.get_or_init(|| testdata::archive("bcolz")), format!("{name}/"));
    for (file, bytes) in files.range(prefix.clone()..).take_while(|(file, _)| file.starts_with(&prefix)) {
        let path = sandbox.path("x").join(&file[prefix.len()..]);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let case = bcolz_cases().iter().find(|case| case["name"] == name);
    (sandbox, case.unwrap().clone())
}

/// Returns all entries of the manifest of the bcolz archive.
pub(crate) fn bcolz_cases() -> &'static [testdata::serde_json::Value] {
    static MANIFEST: OnceLock<testdata::serde_json::Value> = OnceLock::new();
    MANIFEST.get_or_init(|| testdata::manifest("bcolz"))["cases"].as_array().unwrap()
}
