//! Builds the programs under test for interposition and creates their input data.

use crate::sh;
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A program under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Blpk,
    FrameEdit,
    BcolzEdit,
}

/// Amount of test data: small for faults, so that there are few calls; large for kills, so that a run takes a while.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Size of the file `plain`; `more` has a third of it.
    pub(crate) plain: usize,
    pub(crate) chunk: usize,
}

/// The built programs, and the library to preload where that is supported.
#[derive(Debug)]
pub(crate) struct Tools {
    folder: PathBuf,
    interposer: Option<PathBuf>,
    pub(crate) scale: Scale,
}

/// Returns why interposition is impossible on this machine, if it is.
pub(crate) fn why_not() -> Option<&'static str> {
    if !cfg!(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")) {
        return Some(
            "only 64-bit Linux with the GNU C library lets a library stand in front of it in the way this does",
        );
    }
    if sh::find_program("cc").is_none() { Some("there is no C compiler (cc)") } else { None }
}

impl Tools {
    /// Builds the programs for interposition, in a separate target directory. `rustix` is built to call the C library
    /// instead of making system calls directly.
    pub(crate) fn interposed(scale: Scale) -> Result<Tools> {
        let target = sh::root().join("target/faults");
        for what in [["-p", "blpk-cli"], ["-p", "bloscpack-io"]] {
            let mut build = sh::cargo(["build", "--quiet", "--locked"]);
            let is_library = what.contains(&"bloscpack-io");
            let examples: &[&str] =
                if is_library { &["--example", "frame_edit", "--example", "bcolz_edit"] } else { &[] };
            build.args(what).args(examples).arg("--target-dir").arg(&target);
            sh::run(build.env("RUSTFLAGS", "--cfg=rustix_use_libc"))?;
        }
        let interposer = target.join("interpose.so");
        let source = sh::root().join("xtask/src/faults/interpose.c");
        let mut cc = sh::command("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-Wall", "-o"]);
        sh::run(cc.arg(&interposer).arg(source).arg("-ldl"))?;
        Ok(Tools { folder: target.join("debug"), interposer: Some(interposer), scale })
    }

    /// Builds the programs as users get them.
    pub(crate) fn released(scale: Scale) -> Result<Tools> {
        let blpk = crate::release::blpk()?;
        let folder = sh::root().join("target/faults/released");
        fs::create_dir_all(&folder)?;
        fs::copy(&blpk, folder.join("blpk"))?;
        let mut build = crate::release::cargo(["build", "--quiet", "-p", "bloscpack-io"])?;
        build.args(["--example", "frame_edit", "--example", "bcolz_edit"]);
        sh::run(build.arg("--target-dir").arg(sh::root().join("target")))?;
        for name in ["frame_edit", "bcolz_edit"] {
            fs::create_dir_all(folder.join("examples"))?;
            fs::copy(sh::root().join("target/release/examples").join(name), folder.join("examples").join(name))?;
        }
        Ok(Tools { folder, interposer: None, scale })
    }

    pub(crate) fn interposer(&self) -> Option<&Path> {
        self.interposer.as_deref()
    }

    /// Returns a command for `program` in `dir`.
    pub(crate) fn command(&self, program: Program, args: &str, dir: &Path) -> Command {
        let mut command = Command::new(match program {
            Program::Blpk => self.folder.join("blpk"),
            Program::FrameEdit => self.folder.join("examples/frame_edit"),
            Program::BcolzEdit => self.folder.join("examples/bcolz_edit"),
        });
        command.args(self.fill_in(args).split(' ').filter(|arg| !arg.is_empty())).current_dir(dir);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Replaces the placeholders in braces by numbers.
    fn fill_in(&self, text: &str) -> String {
        // Number of items after resizing an array of 4-byte items.
        let more = (self.scale.plain + self.scale.plain / 3) / 4;
        text.replace("{chunk}", &self.scale.chunk.to_string()).replace("{more}", &more.to_string())
    }

    /// Sets stdin of a command to the given lines, or to a file.
    pub(crate) fn feed(&self, command: &mut Command, stdin: &str, dir: &Path, scratch: &Path) -> Result<()> {
        let file = match stdin.strip_prefix('<') {
            Some(name) => dir.join(name),
            None => {
                let lines = scratch.join("stdin");
                fs::write(&lines, self.fill_in(stdin))?;
                lines
            }
        };
        command.stdin(File::open(file)?);
        Ok(())
    }

    /// Creates the files from which each case copies a subset.
    pub(crate) fn make_fixture(&self, dir: &Path, scratch: &Path) -> Result<()> {
        let Scale { plain, chunk } = self.scale;
        let bytes = |len: usize, start: u32| -> Vec<u8> {
            // Every other number is hard to compress.
            let numbers = (start..).map(|i| if i % 2 == 0 { i } else { i.wrapping_mul(2_654_435_761) });
            numbers.flat_map(u32::to_le_bytes).take(len).collect()
        };
        let more = plain / 3 / 4 * 4;
        let files = [("plain", plain, 0), ("more", more, 7), ("chunk", chunk, 9), ("new", chunk, 8), ("items", 64, 5)];
        for (name, len, start) in files {
            fs::write(dir.join(name), bytes(len, start))?;
        }
        fs::write(dir.join("old.json"), "{\"a\": 1}")?;
        fs::write(dir.join("new.json"), "{\"a\": 2}")?;
        let count = plain / 4;
        let append = "append chunk\nappend chunk\nappend chunk";
        let steps: [(Program, String, &str); 13] = [
            (Program::Blpk, "c -z {chunk} -m old.json plain a.blp".into(), ""),
            (Program::Blpk, "c -z {chunk} more other.blp".into(), ""),
            (Program::Blpk, format!("convert --dtype <i4 --shape {count} a.blp a.npy"), ""),
            (Program::Blpk, "convert -z {chunk} a.blp a.b2frame".into(), ""),
            (Program::Blpk, "convert -z {chunk} other.blp other.b2frame".into(), ""),
            (Program::Blpk, format!("convert --chunkshape {} a.npy a.b2nd", chunk / 4), ""),
            (Program::Blpk, format!("convert --chunkshape {} a.npy a.bcolz", chunk / 4), ""),
            (Program::Blpk, format!("convert --chunkshape {} a.npy a.zarr", chunk / 4), ""),
            (Program::Blpk, format!("convert --dtype <i4 --shape {} other.blp other.bcolz", plain / 3 / 4), ""),
            (Program::Blpk, "chunk encode chunk a.chunk".into(), ""),
            (Program::FrameEdit, "a.sframe".into(), append),
            (Program::FrameEdit, "dead.b2frame".into(), append),
            (Program::FrameEdit, "dead.sframe".into(), append),
        ];
        for (program, args, stdin) in steps {
            let kind = if args.ends_with("sframe") { "sparse" } else { "contiguous" };
            let stdin =
                if stdin.is_empty() { String::new() } else { format!("create {kind} 4 lz4 5 shuffle\n{stdin}") };
            self.must(program, &args, &stdin, dir, scratch)?;
        }
        for name in ["dead.b2frame", "dead.sframe"] {
            self.must(Program::FrameEdit, name, "delete 1\ncommit\nupdate 0 chunk\ncommit", dir, scratch)?;
        }
        fs::write(dir.join("dead.sframe/000000FF.chunk"), bytes(chunk, 3))?;
        let column = format!("{{\"dtype\": \"int32\", \"chunklen\": {}}}", chunk / 4);
        let table = format!("ctable {{\"a\": {column}, \"b\": {column}}}\nappend plain,plain");
        self.must(Program::BcolzEdit, "table.bcolz", &table, dir, scratch)
    }

    /// Runs a command outside the test; a failure is an error.
    pub(crate) fn must(&self, program: Program, args: &str, stdin: &str, dir: &Path, scratch: &Path) -> Result<()> {
        self.output(program, args, stdin, dir, scratch).and_then(|output| match output.status.success() {
            true => Ok(()),
            false => bail!("{args}: {}", String::from_utf8_lossy(&output.stderr)),
        })
    }

    pub(crate) fn output(
        &self,
        program: Program,
        args: &str,
        stdin: &str,
        dir: &Path,
        scratch: &Path,
    ) -> Result<Output> {
        let mut command = self.command(program, args, dir);
        self.feed(&mut command, stdin, dir, scratch)?;
        command.output().with_context(|| format!("cannot start {program:?}"))
    }
}
