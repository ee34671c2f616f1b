//! Race of appends: time to append one chunk to frames of several sizes. An append opens a frame, adds 1 MiB and closes
//! it.

use crate::clock::Clock;
use crate::options::Options;
use crate::peers::{self, Peer};
use crate::table;
use anyhow::{Context, Result, ensure};
use bloscpack_format::frame::FrameType;
use bloscpack_io::frame::{FrameParams, FrameWriter};
use bloscpack_io::{Archive, LocalSource};
use std::fs;
use std::path::{Path, PathBuf};

/// Uncompressed size of a chunk. Its data is random, so the compressed size is about the same.
const CHUNK: usize = 1 << 20;

/// Default sizes of the frames in bytes.
const SIZES: [usize; 4] = [16 << 20, 64 << 20, 256 << 20, 1 << 30];

const COLUMNS: &str = "frame_mib\tpeer\tseconds\tours_to_peer\tto_smallest_frame";

/// Runs the race, in memory if possible, because disk speed says nothing about a library.
pub fn run(options: &Options, machine: &str) -> Result<()> {
    let in_memory = Path::new("/dev/shm");
    let parent = if in_memory.is_dir() { in_memory.to_owned() } else { std::env::temp_dir() };
    let folder = parent.join(format!("blosc-race-{}", std::process::id()));
    fs::create_dir(&folder).with_context(|| folder.display().to_string())?;
    let lines = race(options, &folder);
    fs::remove_dir_all(&folder)?;
    if let Some(out) = &options.out {
        let about =
            format!("{machine}\nmedians of wall seconds, in {}; ours syncs, the peers do not", parent.display());
        table::write(out, "appends.tsv", &about, COLUMNS, &lines?)?;
    } else {
        lines?;
    }
    Ok(())
}

fn race(options: &Options, folder: &Path) -> Result<Vec<String>> {
    let sizes = if options.sizes.is_empty() { &SIZES[..] } else { &options.sizes };
    let peers = peers::all(options)?;
    let chunk = noise(CHUNK);
    let mut smallest: Vec<(&str, f64)> = Vec::new();
    let mut lines = Vec::new();
    println!("{:>9}  {:16} {:>9} {:>13} {:>18}", "frame MiB", "peer", "seconds", "ours to peer", "to smallest frame");
    for size in sizes {
        let raced = of_size(options, &peers, folder, &chunk, size / CHUNK)?;
        let ours = raced.first().map_or(f64::NAN, |(_, seconds)| *seconds);
        for (peer, seconds) in raced {
            let base = smallest.iter().find(|(name, _)| *name == peer).map(|(_, seconds)| *seconds);
            if base.is_none() {
                smallest.push((peer, seconds));
            }
            let (mib, ratio, growth) = (size >> 20, seconds / ours, seconds / base.unwrap_or(seconds));
            println!("{mib:>9}  {peer:16} {seconds:>9.5} {ratio:>13.2} {growth:>18.2}");
            lines.push(format!("{mib}\t{peer}\t{seconds:.6}\t{ratio:.3}\t{growth:.3}"));
        }
    }
    Ok(lines)
}

/// Each peer appends to its own frame, in turn. Returns the medians, ours first.
fn of_size<'a>(
    options: &Options,
    peers: &'a [Box<dyn Peer>],
    folder: &Path,
    chunk: &[u8],
    nchunks: usize,
) -> Result<Vec<(&'a str, f64)>> {
    let mut racers: Vec<(&dyn Peer, PathBuf, Vec<f64>)> = Vec::new();
    for (number, peer) in peers.iter().enumerate() {
        let path = folder.join(format!("{number}.b2frame"));
        make(&path, chunk, nchunks)?;
        // The first append is the warm-up and shows which peers support appending. Ours has to.
        match peer.append(&path, chunk) {
            Ok(true) => racers.push((peer.as_ref(), path, Vec::new())),
            Ok(false) => fs::remove_file(&path)?,
            Err(error) if racers.is_empty() => return Err(error),
            Err(error) => {
                println!("{:>9}  {:16} {error}", (nchunks * CHUNK) >> 20, peer.name());
                fs::remove_file(&path)?;
            }
        }
    }
    let rounds = options.length(9, 0.0).rounds;
    for round in 0..rounds {
        for turn in 0..racers.len() {
            let turn = (turn + round) % racers.len();
            let (peer, path, seconds) = &mut racers[turn];
            let start = Clock::Wall.now();
            peer.append(path, chunk)?;
            seconds.push(Clock::Wall.now() - start);
        }
    }
    let mut medians = Vec::new();
    for (peer, path, mut seconds) in racers {
        check(&path, chunk, nchunks + 1 + rounds).with_context(|| peer.name())?;
        fs::remove_file(&path)?;
        seconds.sort_by(f64::total_cmp);
        medians.push((peer.name(), seconds[seconds.len() / 2]));
    }
    Ok(medians)
}

fn make(path: &Path, chunk: &[u8], nchunks: usize) -> Result<()> {
    let mut frame = FrameWriter::create(path, FrameType::Contiguous, false, FrameParams::new(4))?;
    for _ in 0..nchunks {
        frame.append(chunk)?;
    }
    Ok(frame.finish()?)
}

fn check(path: &Path, chunk: &[u8], nchunks: usize) -> Result<()> {
    let archive = Archive::open(LocalSource::open(path)?)?;
    let found = archive.nchunks();
    ensure!(found == nchunks as u64, "{found} chunks instead of {nchunks}");
    ensure!(archive.chunk(found - 1)? == chunk, "the last chunk has other bytes");
    Ok(())
}

/// Returns incompressible bytes.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..len / 8).flat_map(|_| next().to_le_bytes()).collect()
}
