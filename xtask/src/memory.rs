//! `cargo xtask memory`: checks that peak memory does not depend on file size.
//!
//! Runs every streaming command on a sparse 10 GB file, with 1, 2 and 64 threads. Also checks the largest possible
//! chunk, and that the output is identical for every number of threads.

use crate::{metadata, release, sh};
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// Size of the file to compare with: it has more chunks than 64 threads process at once.
const SMALL: u64 = 1024 * MIB;

/// Distance in bytes between non-zero regions of the test files.
const STEP: u64 = 64 * MIB;

/// Allowed difference between the peaks of two runs. How many of the available buffers are used depends on the timing
/// of the threads.
fn slack(threads: u64) -> u64 {
    (12 + threads / 2) * MIB
}

/// Maximum uncompressed size of a Blosc1 chunk.
const LARGEST_CHUNK: u64 = i32::MAX as u64 - 16;

/// Upper bound on the peak: per thread two chunks of 1 MiB, uncompressed and compressed, plus the program with its
/// tables.
fn bound(threads: u64) -> u64 {
    24 * MIB + threads * 6 * MIB
}

/// Runs all checks. `--size` sets the size of the large file in gigabytes (default 10).
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let size = match args {
        [] => 10 << 30,
        ["--size", gigabytes] => gigabytes.parse::<u64>().context("--size takes a number of gigabytes")? << 30,
        _ => bail!("usage: cargo xtask memory [--size GIGABYTES]"),
    };
    if !cfg!(target_os = "linux") {
        println!("memory: skipped: only Linux tells the peak of a process");
        return Ok(());
    }
    let blpk = release::blpk()?;
    let folder = metadata::target_directory()?.join("memory");
    fs::create_dir_all(&folder)?;
    let bench = Bench { blpk, folder };
    bench.files(size)?;
    bench.largest_chunk()?;
    bench.threads()?;
    fs::remove_dir_all(&bench.folder)?;
    println!("memory: ok");
    Ok(())
}

struct Bench {
    blpk: PathBuf,
    folder: PathBuf,
}

impl Bench {
    /// Runs each command on the small and the large file. The peaks must match and stay within [`bound`].
    fn files(&self, size: u64) -> Result<()> {
        sparse(&self.folder.join("small"), SMALL)?;
        sparse(&self.folder.join("large"), size)?;
        println!("memory: peak in MiB of {} MiB and of {} GiB", SMALL / MIB, size >> 30);
        // Name, command line, threads, and number of pipelines that run concurrently, one feeding the other.
        let cases: [(&str, &str, u64, u64); 13] = [
            ("compress, 1 thread", "-f -n 1 c {} {}.blp", 1, 1),
            ("compress, 2 threads", "-f -n 2 c {} {}.blp", 2, 1),
            ("compress, 64 threads", "-f -n 64 c {} {}.blp", 64, 1),
            ("compress, 64 threads, --memory 8M", "-f -n 64 c --memory 8M {} {}.blp", 2, 1),
            ("compress --verify", "-f -n 2 c --verify --digest sha256 {} {}.blp", 2, 1),
            ("compress a pipe", "-f -n 2 c - {}.blp < {}", 2, 1),
            ("decompress, 1 thread", "-n 1 d {}.blp -", 1, 1),
            ("decompress, 64 threads", "-n 64 d {}.blp -", 64, 1),
            ("verify", "-n 2 verify {}.blp", 2, 1),
            ("cat the end", "cat --bytes 1073741000.. {}.blp", 2, 1),
            ("compress to a frame", "-f -n 2 c {} {}.b2frame", 2, 1),
            ("decompress a frame", "-n 2 d {}.b2frame -", 2, 1),
            // Two pipelines hold chunks in flight, with 8 MiB of uncompressed data between them.
            ("convert to a frame", "-f -n 2 convert {}.blp {}.b2frame", 2, 2),
        ];
        for (name, line, threads, pipelines) in cases {
            let bound = bound(threads) * pipelines;
            let small = self.peak(&line.replace("{}", "small"))?;
            let large = self.peak(&line.replace("{}", "large"))?;
            println!("  {name:34} {:6} {:6}   at most {}", small / MIB, large / MIB, bound / MIB);
            ensure!(large <= small + slack(threads), "{name}: the peak grows with the file");
            ensure!(large <= bound, "{name}: the peak is above its bound");
        }
        Ok(())
    }

    /// Checks one chunk of 2 GiB - 17 bytes: little more than its uncompressed data is in memory.
    fn largest_chunk(&self) -> Result<()> {
        let input = self.folder.join("chunk");
        sparse(&input, LARGEST_CHUNK)?;
        let digest = self.output("c --digest sha256 -z max -f chunk chunk.blp")?;
        let peak = self.peak("-f -n 2 c -z max chunk chunk.blp")?;
        println!("  {:34} {:6}", "one chunk of 2 GiB - 17, compress", peak / MIB);
        let again = self.output("d -f --digest sha256 chunk.blp chunk")?;
        ensure!(digest == again, "the largest chunk: {digest} is not {again}");
        let peak = self.peak("-n 2 d chunk.blp -")?;
        println!("  {:34} {:6}", "one chunk of 2 GiB - 17, decompress", peak / MIB);
        self.output("chunk encode -f -c lz4 chunk chunk.c")?;
        self.output("verify chunk.c")?;
        Ok(())
    }

    /// Checks that the output does not depend on the number of threads.
    fn threads(&self) -> Result<()> {
        sparse(&self.folder.join("f"), 40 * MIB + 12345)?;
        let plain = self.output("-f c --digest md5 f f.blp")?;
        let mut first = None;
        for threads in 1..=64 {
            self.output(&format!("-f -n {threads} c -c lz4 -z 300000 f f.blp"))?;
            let written = fs::read(self.folder.join("f.blp"))?;
            let same = first.get_or_insert_with(|| written.clone()) == &written;
            ensure!(same, "{threads} threads write something else than one");
            let read = self.output(&format!("-n {threads} -f d --digest md5 f.blp f"))?;
            ensure!(read == plain, "{threads} threads read something else: {read}");
        }
        println!("  1 to 64 threads write and read the same");
        Ok(())
    }

    /// Returns a `blpk` command. Text after ` < ` names the file that is piped to its stdin.
    fn command(&self, line: &str) -> Result<Command> {
        let (line, input) = line.split_once(" < ").map_or((line, None), |(line, input)| (line, Some(input)));
        let mut command = sh::command(&self.blpk);
        command.current_dir(&self.folder).args(line.split(' '));
        if let Some(input) = input {
            // A pipe hides the length of the input.
            let mut cat = Command::new("cat");
            cat.arg(self.folder.join(input)).stdout(Stdio::piped());
            let pipe = cat.spawn().context("cat")?.stdout.take().context("cat has no stdout")?;
            command.stdin(pipe);
        }
        Ok(command)
    }

    /// Runs the command and returns its stdout.
    fn output(&self, line: &str) -> Result<String> {
        sh::capture(&mut self.command(line)?)
    }

    /// Runs the command and returns its peak memory (`VmHWM`). Its stdout is discarded.
    fn peak(&self, line: &str) -> Result<u64> {
        let mut child = self.command(line)?.stdout(Stdio::null()).spawn().context("blpk")?;
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        loop {
            if let Some(exit) = child.try_wait()? {
                ensure!(exit.success(), "blpk {line}: {exit}");
                return Ok(peak);
            }
            // `VmHWM` never decreases, so polling can miss only growth in the last moments before exit.
            if let Ok(text) = fs::read_to_string(&status)
                && let Some(kib) = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))
            {
                let kib = kib.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0);
                peak = peak.max(kib << 10);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Creates a sparse file of zeros, with 64 KiB of random bytes at intervals of [`STEP`].
fn sparse(path: &Path, len: u64) -> Result<()> {
    let mut file = File::create(path).with_context(|| path.display().to_string())?;
    file.set_len(len)?;
    let mut noise = vec![0; 64 << 10];
    File::open("/dev/urandom")?.read_exact(&mut noise)?;
    for at in (0..len.saturating_sub(noise.len() as u64)).step_by(STEP as usize) {
        file.seek(SeekFrom::Start(at + 12_345))?;
        file.write_all(&noise)?;
    }
    file.set_len(len)?;
    Ok(())
}
