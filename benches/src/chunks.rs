//! Race of whole chunks: codecs × levels × filters × buffer sizes × data sets, with every output verified.

use crate::clock::Clock;
use crate::data::{self, Set};
use crate::options::Options;
use crate::peers::{ChunkCodec, Filter, Format, Job, OURS_1, OVERHEAD, Peer, REFERENCE, REFERENCE_1};
use crate::race::{self, Length, Runner};
use crate::report::Row;
use anyhow::{Context, Result, ensure};
use std::cell::RefCell;

/// One row of the table, raced on every data set.
#[derive(Debug, Clone)]
pub struct Config {
    pub codec: String,
    pub level: u8,
    pub filter: Filter,
    pub size: usize,
    pub threads: usize,
}

/// The configurations that have goals.
const QUICK: [(&str, u8, Filter, usize); 13] = [
    ("lz4", 5, Filter::Shuffle, 1 << 20),
    ("lz4", 5, Filter::BitShuffle, 1 << 20),
    ("lz4", 5, Filter::Shuffle, 1 << 12),
    ("lz4", 5, Filter::Shuffle, 1 << 10),
    ("blosclz", 5, Filter::Shuffle, 1 << 20),
    ("blosclz", 5, Filter::Shuffle, 1 << 12),
    ("blosclz", 5, Filter::Shuffle, 1 << 10),
    ("lz4hc", 5, Filter::Shuffle, 1 << 20),
    ("zlib", 5, Filter::Shuffle, 1 << 20),
    ("zstd", 1, Filter::Shuffle, 1 << 20),
    ("zstd", 3, Filter::Shuffle, 1 << 20),
    ("zstd", 5, Filter::Shuffle, 1 << 20),
    ("zstd", 9, Filter::Shuffle, 1 << 20),
];

/// Returns the configurations selected by the options.
pub fn configs(options: &Options) -> Vec<Config> {
    let threads = if options.command == "threads" { options.threads.unwrap_or(2) } else { 1 };
    let config = |codec: &str, level, filter, size| Config { codec: codec.to_owned(), level, filter, size, threads };
    if options.quick && threads == 1 {
        let all = QUICK.into_iter().map(|(codec, level, filter, size)| config(codec, level, filter, size));
        return all.filter(|config| options.has_asked_for(config)).collect();
    }
    let (codecs, levels, filters, sizes): (&[&str], &[u8], &[Filter], &[usize]) = if threads == 1 {
        let sizes = &[1 << 10, 1 << 12, 1 << 16, 1 << 20, 1 << 24];
        (&["blosclz", "lz4", "lz4hc", "zlib", "zstd"], &[1, 5, 9], &[Filter::Shuffle, Filter::BitShuffle], sizes)
    } else {
        (&["blosclz", "lz4", "zstd"], &[5], &[Filter::Shuffle], &[1 << 24])
    };
    let codecs: Vec<String> = codecs.iter().map(|codec| (*codec).to_owned()).collect();
    let mut configs = Vec::new();
    for codec in given(&options.codecs, &codecs) {
        for level in given(&options.levels, levels) {
            for filter in given(&options.filters, filters) {
                for size in given(&options.sizes, sizes) {
                    let config = config(codec, *level, *filter, *size);
                    // A buffer is raced whole: 16 MiB at 1 MB/s would take the whole hour.
                    if *size <= 16 * sample_bytes(&config) || !options.sizes.is_empty() {
                        configs.push(config);
                    }
                }
            }
        }
    }
    configs
}

/// Returns whether a set takes part. The core sets always do. In a full run the others have three buffer sizes, in a
/// quick run one configuration.
pub fn takes_part(set: &Set, config: &Config, options: &Options) -> bool {
    let is_asked = !options.sets.is_empty() || !options.sizes.is_empty();
    match (config.codec.as_str(), config.level, config.filter, config.size) {
        _ if data::is_core(&set.name) || options.data.is_none() || is_asked => true,
        _ if config.threads > 1 => false,
        ("lz4", 5, Filter::Shuffle, 0x10_0000) => true,
        (_, _, _, 0x1000 | 0x1_0000 | 0x10_0000) => !options.quick,
        _ => false,
    }
}

fn given<'a, T>(asked: &'a [T], default: &'a [T]) -> &'a [T] {
    if asked.is_empty() { default } else { asked }
}

/// Bytes of a set compressed per round. It is smaller for codecs that take seconds per megabyte at level 9.
fn sample_bytes(config: &Config) -> usize {
    match (config.codec.as_str(), config.level) {
        ("lz4" | "blosclz", _) | (_, ..=1) => 4 << 20,
        (_, ..=5) => 1 << 20,
        _ => 1 << 19,
    }
}

/// A peer with its codec for a job and its chunks of the sample.
struct Entrant<'a> {
    name: &'static str,
    peer: &'a dyn Peer,
    codec: Box<dyn ChunkCodec>,
    chunks: Vec<Vec<u8>>,
}

/// Races all peers on one set. Our rows come first.
pub fn run(peers: &[Box<dyn Peer>], config: &Config, set: &Set, length: Length) -> Result<Vec<Row>> {
    // Bytes need no shuffle. `blosc2_compress` skips it then, but C-Blosc2's contexts run it, at 1.4 GB/s.
    let filter = if set.typesize == 1 && config.filter == Filter::Shuffle { Filter::None } else { config.filter };
    let job = Job {
        codec: config.codec.clone(),
        level: config.level,
        filter,
        typesize: set.typesize,
        threads: config.threads,
    };
    let buffers = set.buffers(config.size, sample_bytes(config));
    let mut entrants = Vec::new();
    for peer in peers.iter().filter(|peer| config.threads == 1 || peer.name() != OURS_1) {
        let Some(mut codec) = peer.chunk_codec(&job)? else { continue };
        let chunks = compress_all(&mut *codec, &buffers).with_context(|| peer.name())?;
        entrants.push(Entrant { name: peer.name(), peer: &**peer, codec, chunks });
    }
    for (peer, name) in peers.iter().filter(|_| config.threads > 1).filter_map(|peer| Some((peer, alone(&**peer)?))) {
        let Some(mut codec) = peer.chunk_codec(&Job { threads: 1, ..job.clone() })? else { continue };
        let chunks = compress_all(&mut *codec, &buffers).with_context(|| name)?;
        entrants.push(Entrant { name, peer: &**peer, codec, chunks });
    }
    verify(&mut entrants, &buffers)?;

    let clock = if config.threads == 1 { Clock::Cpu } else { Clock::Wall };
    // One output buffer for all, so that none gains by its address.
    let room = RefCell::new(vec![0; config.size + OVERHEAD]);
    let mut runners: Vec<Runner<'_>> = Vec::new();
    for Entrant { codec, .. } in &mut entrants {
        runners.push(Box::new(|| {
            let mut room = room.borrow_mut();
            buffers.iter().try_for_each(|plain| codec.compress(plain, &mut room).map(drop))
        }));
    }
    let compressing = race::run(clock, length, &mut runners)?;
    drop(runners);

    // All readers of a format decode the same chunks: those of the C library if present, rather than ours.
    let of = |name| entrants.iter().find(|entrant| entrant.name == name).map(|entrant| entrant.chunks.clone());
    let (blosc2, blosc1) = (of(REFERENCE), of(REFERENCE_1));
    let nbytes = buffers[0].len();
    let mut runners: Vec<Runner<'_>> = Vec::new();
    for Entrant { peer, codec, chunks, .. } in &mut entrants {
        let shared = match peer.format() {
            Format::Blosc2 => blosc2.as_ref(),
            Format::Blosc1 => blosc1.as_ref(),
            Format::Copy => None,
        };
        let chunks = shared.unwrap_or(chunks);
        let room = &room;
        runners.push(Box::new(move || {
            let mut room = room.borrow_mut();
            chunks.iter().try_for_each(|chunk| codec.decompress(chunk, &mut room[..nbytes]))
        }));
    }
    let decompressing = race::run(clock, length, &mut runners)?;
    drop(runners);

    let plain_bytes: usize = buffers.iter().map(|plain| plain.len()).sum();
    let cbytes = |entrant: &Entrant<'_>| entrant.chunks.iter().map(Vec::len).sum::<usize>() as f64;
    let ours = cbytes(&entrants[0]);
    let rows =
        entrants.iter().zip(compressing.iter().zip(&decompressing)).map(|(entrant, (compress, decompress))| Row {
            config: config.clone(),
            set: set.name.clone(),
            peer: entrant.name,
            ratio: plain_bytes as f64 / cbytes(entrant),
            size: ours / cbytes(entrant),
            compress: compress.to_first,
            decompress: decompress.to_first,
            compress_mbs: plain_bytes as f64 / compress.seconds / 1e6,
            decompress_mbs: plain_bytes as f64 / decompress.seconds / 1e6,
        });
    Ok(rows.collect())
}

/// Returns the label of a peer that also runs with one thread in a threaded race, to show what threads gain.
fn alone(peer: &dyn Peer) -> Option<&'static str> {
    match peer.name() {
        "ours" => Some("ours, 1 thread"),
        "memcpy" => Some("memcpy, 1 thread"),
        _ => None,
    }
}

fn compress_all(codec: &mut dyn ChunkCodec, buffers: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
    let mut room = vec![0; buffers[0].len() + OVERHEAD];
    let chunk = |plain: &&[u8]| {
        let cbytes = codec.compress(plain, &mut room)?;
        Ok(room[..cbytes].to_vec())
    };
    buffers.iter().map(chunk).collect()
}

/// Checks that every peer decodes its own chunks. Ours and the references also exchange chunks with every peer of their
/// format.
fn verify(entrants: &mut [Entrant<'_>], buffers: &[&[u8]]) -> Result<()> {
    for reader in 0..entrants.len() {
        for writer in 0..entrants.len() {
            let alike = entrants[reader].peer.format() == entrants[writer].peer.format();
            let is_known = |at: usize| ["ours", OURS_1, REFERENCE].contains(&entrants[at].name);
            let is_concerned = alike && (is_known(reader) || is_known(writer));
            if reader != writer && !is_concerned {
                continue;
            }
            let chunks = entrants[writer].chunks.clone();
            let (whose, by) = (entrants[writer].name, &mut entrants[reader]);
            for (chunk, plain) in chunks.iter().zip(buffers) {
                let mut out = vec![!plain[0]; plain.len()];
                let read = by.codec.decompress(chunk, &mut out);
                read.with_context(|| format!("{} reads a chunk of {whose}", by.name))?;
                ensure!(out == *plain, "{} reads other bytes from a chunk of {whose}", by.name);
            }
        }
    }
    Ok(())
}
