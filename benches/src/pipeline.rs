//! The serial part of packing and unpacking files: the thread that reads and writes while two others work on chunks.
//!
//! That thread spends its time in the kernel, which copies between files and memory, or outside of it. Both limit the
//! gain from more threads. Files are in memory if possible, because the speed of a disk says nothing about a library.

use crate::clock::Clock;
use crate::data::{self, Set};
use crate::options::Options;
use crate::table;
use anyhow::{Context, Result};
use blosc_core::Codec;
use bloscpack_io::{PackOptions, Sink, Source, Threads, UnpackOptions, pack, unpack};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const CODECS: [&str; 2] = ["lz4", "zstd"];
const LEVEL: u8 = 5;

const COLUMNS: &str = "codec\tlevel\toperation\tuser_share\tkernel_share";

/// CPU time of one thread: seconds, or shares in that of all threads.
#[derive(Clone, Copy)]
struct ThreadTime {
    user: f64,
    kernel: f64,
}

/// Measures both operations with every codec and writes the table.
pub fn run(options: &Options, machine: &str) -> Result<()> {
    let sets = match &options.data {
        Some(folder) => data::core(folder, &options.sets)?,
        None => data::made(),
    };
    let in_memory = Path::new("/dev/shm");
    let parent = if in_memory.is_dir() { in_memory.to_owned() } else { std::env::temp_dir() };
    let folder = parent.join(format!("blosc-pipeline-{}", std::process::id()));
    fs::create_dir(&folder).with_context(|| folder.display().to_string())?;
    let lines = measure(options, &sets, &folder);
    fs::remove_dir_all(&folder)?;
    if let Some(out) = &options.out {
        let about = format!("{machine}\nall core sets, chunks of 1 MiB, two threads; files in {}", parent.display());
        table::write(out, "pipeline.tsv", &about, COLUMNS, &lines?)?;
        return Ok(());
    }
    lines.map(drop)
}

fn measure(options: &Options, sets: &[Set], folder: &Path) -> Result<Vec<String>> {
    for set in sets {
        fs::write(folder.join(&set.name), &set.bytes)?;
    }
    let threads = Threads::Pool(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build()?));
    let codecs: Vec<&str> = match options.codecs.as_slice() {
        [] => CODECS.to_vec(),
        asked => asked.iter().map(String::as_str).collect(),
    };
    println!("CPU time of the thread that reads and writes, in % of that of all threads\n");
    let mut lines = Vec::new();
    for name in codecs {
        let codec = Codec::from_name(name).context("unknown codec")?;
        let packing = PackOptions::new().codec(codec).clevel(LEVEL).overwrite(true).threads(threads.clone());
        let unpacking = UnpackOptions::new().overwrite(true).threads(threads.clone());
        let plain = |set: &Set| folder.join(&set.name);
        let packed = |set: &Set| folder.join(format!("{}.blp", set.name));
        let pack = shares(options, sets, |set| {
            let packing = packing.clone().typesize(set.typesize);
            pack(Source::file(plain(set)), Sink::file(packed(set)), &packing).map(drop)
        })?;
        let unpacked = folder.join("unpacked");
        let unpack = shares(options, sets, |set| {
            unpack(Source::file(packed(set)), Sink::file(&unpacked), &unpacking).map(drop)
        })?;
        for (operation, share) in [("pack", pack), ("unpack", unpack)] {
            let (user, kernel) = (share.user * 100.0, share.kernel * 100.0);
            println!("{name:7} {operation:7} {user:5.2} outside of the kernel, {kernel:5.2} in the kernel");
            lines.push(format!("{name}\t{LEVEL}\t{operation}\t{:.4}\t{:.4}", share.user, share.kernel));
        }
    }
    Ok(lines)
}

/// Runs an operation on all sets, again and again, and returns the shares of this thread in the CPU time of all.
fn shares(
    options: &Options,
    sets: &[Set],
    mut operation: impl FnMut(&Set) -> Result<(), bloscpack_io::Error>,
) -> Result<ThreadTime> {
    let length = options.length(50, 5.0);
    let (start, cpu, own) = (Clock::Wall.now(), Clock::Cpu.now(), ThreadTime::so_far()?);
    for round in 0..length.rounds {
        if round > 0 && Clock::Wall.now() - start > length.seconds {
            break;
        }
        for set in sets {
            operation(set).with_context(|| set.name.clone())?;
        }
    }
    let (all, now) = (Clock::Cpu.now() - cpu, ThreadTime::so_far()?);
    Ok(ThreadTime { user: (now.user - own.user) / all, kernel: (now.kernel - own.kernel) / all })
}

impl ThreadTime {
    /// Returns the CPU time of this thread, which Linux reports in hundredths of a second.
    fn so_far() -> Result<ThreadTime> {
        let stat = fs::read_to_string("/proc/thread-self/stat")?;
        // The second field is a name in parentheses, which may contain anything.
        let (_, fields) = stat.rsplit_once(')').context("/proc/thread-self/stat")?;
        let seconds = |at| -> Result<f64> {
            Ok(fields.split_whitespace().nth(at).context("/proc/thread-self/stat")?.parse::<f64>()? / 100.0)
        };
        Ok(ThreadTime { user: seconds(11)?, kernel: seconds(12)? })
    }
}
