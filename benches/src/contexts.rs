//! Race of new contexts and reused ones. The cost of a new context depends on the layout of the heap, so every case runs
//! in a process of its own: this program, with a case as arguments.
//!
//! "fresh" is one context per call, as Zarr, HDF5 and most first users do it. "reused" is one for all calls. An
//! operation `to vec` also allocates its result.

use crate::clock::Clock;
use crate::data::{self, Set};
use crate::options::Options;
use crate::peers::{CBlosc2, ChunkCodec as _, Filter, Job, OVERHEAD};
use crate::race::median;
use crate::table;
use anyhow::{Context, Result, bail};
use blosc_core::{CParams, Chunk, Codec, Decoder, Encoder};
use std::hint::black_box;
use std::process::Command;

const OPERATIONS: [&str; 4] = ["compress", "decompress", "compress-to-vec", "decompress-to-vec"];
const SIZES: [usize; 8] = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24];
const COLUMNS: &str =
    "codec\tsize\toperation\tcontext\tours_ns\tours_faults\tpeer_ns\tpeer_faults\tours_to_reused\tours_to_peer";

/// The result of one process.
#[derive(Debug, Clone, Copy)]
struct Measured {
    /// Nanoseconds of a call.
    nanoseconds: f64,
    /// Page faults of a call.
    faults: f64,
}

/// Runs every case in processes of its own, in turn, and prints a line for each.
pub fn run(options: &Options, machine: &str) -> Result<()> {
    println!("{machine}\n\nns of a call (page faults); ours as a multiple of our reused context and of C-Blosc2\n");
    let codecs = if options.codecs.is_empty() { vec!["lz4".to_owned()] } else { options.codecs.clone() };
    let sizes = if options.sizes.is_empty() { &SIZES[..] } else { &options.sizes[..] };
    let rounds = options.length(5, 0.0).rounds;
    let mut lines = Vec::new();
    for codec in &codecs {
        for &size in sizes {
            for operation in OPERATIONS {
                let case = |who, context| [who, operation, context, codec, &size.to_string()].map(str::to_owned);
                let cases = [("ours", "reused"), ("ours", "fresh"), ("C-Blosc2", "reused"), ("C-Blosc2", "fresh")];
                let [ours, ours_fresh, theirs, theirs_fresh] = cases.map(|(who, context)| case(who, context));
                let measured = race(options, &[ours, ours_fresh, theirs, theirs_fresh], rounds)?;
                for (context, (mine, peer)) in [("reused", (0, 2)), ("fresh", (1, 3))] {
                    let [to_reused, to_peer] = [(0, mine), (peer, mine)].map(|(a, b)| measured.ratio(a, b));
                    let (mine, peer) = (measured.median(mine), measured.median(peer));
                    println!(
                        "{codec} {size:9} {operation:18} {context:6} {:10.0} ({:6.1}) C {:10.0} ({:6.1})  {to_reused:5.2} {to_peer:5.2}",
                        mine.nanoseconds, mine.faults, peer.nanoseconds, peer.faults
                    );
                    lines.push(format!(
                        "{codec}\t{size}\t{operation}\t{context}\t{:.0}\t{:.1}\t{:.0}\t{:.1}\t{to_reused:.3}\t{to_peer:.3}",
                        mine.nanoseconds, mine.faults, peer.nanoseconds, peer.faults
                    ));
                }
            }
        }
    }
    match &options.out {
        Some(folder) => table::write(folder, "contexts.tsv", machine, COLUMNS, &lines),
        None => Ok(()),
    }
}

/// The rounds of several cases.
struct Rounds(Vec<Vec<Measured>>);

impl Rounds {
    fn median(&self, case: usize) -> Measured {
        let of = |value: fn(&Measured) -> f64| median(self.0[case].iter().map(value));
        Measured { nanoseconds: of(|measured| measured.nanoseconds), faults: of(|measured| measured.faults) }
    }

    /// The time of one case divided by that of another, the median of the rounds.
    fn ratio(&self, case: usize, other: usize) -> f64 {
        let pairs = self.0[case].iter().zip(&self.0[other]);
        median(pairs.map(|(case, other)| case.nanoseconds / other.nanoseconds))
    }
}

fn race(options: &Options, cases: &[[String; 5]], rounds: usize) -> Result<Rounds> {
    let mut measured = vec![Vec::new(); cases.len()];
    for round in 0..rounds {
        for place in 0..cases.len() {
            let case = (place + round) % cases.len();
            measured[case].push(in_a_process(options, &cases[case])?);
        }
    }
    Ok(Rounds(measured))
}

fn in_a_process(options: &Options, case: &[String; 5]) -> Result<Measured> {
    let mut process = Command::new(std::env::current_exe()?);
    process.arg("context").args(case);
    for (option, path) in [("--data", &options.data), ("--blosc2", &options.blosc2)] {
        if let Some(path) = path {
            process.arg(option).arg(path);
        }
    }
    for set in &options.sets {
        process.arg("--set").arg(set);
    }
    let output = process.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(nanoseconds)), Some(Ok(faults))) => Ok(Measured { nanoseconds, faults }),
        _ => bail!("{case:?}: {text}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// Measures one case in this process and prints the nanoseconds and the page faults of a call.
pub fn run_case(options: &Options) -> Result<()> {
    let [who, operation, context, codec, size] = &options.names[..] else { bail!("a case has five words") };
    let size: usize = size.parse()?;
    let sets = match &options.data {
        Some(folder) => data::core(folder, &options.sets)?,
        None => data::made(),
    };
    let set = sets.first().context("there is no data")?;
    let job = Job { codec: codec.clone(), level: 5, filter: Filter::Shuffle, typesize: set.typesize, threads: 1 };
    let mut call = match who.as_str() {
        "ours" => ours(&job, operation, context == "fresh", set, size)?,
        _ => theirs(options, &job, operation, context == "fresh", set, size)?,
    };
    let clock = Clock::Cpu;
    let repeats = clock.repeats(&mut call)?;
    let (mut times, mut faults) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        let before = page_faults()?;
        times.push(clock.sample(&mut call, repeats)?);
        faults.push((page_faults()? - before) as f64 / repeats as f64);
    }
    println!("{} {}", median(times.into_iter()) * 1e9, median(faults.into_iter()));
    Ok(())
}

/// Returns the number of page faults of this process that needed no disk: the tenth field of `/proc/self/stat`.
fn page_faults() -> Result<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The second field, the program's name, may contain spaces.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    Ok(fields.split_whitespace().nth(7).context("/proc/self/stat is too short")?.parse()?)
}

type Call = Box<dyn FnMut() -> Result<()>>;

/// Buffers of the set and their chunks, used in turn, so that branch predictors do not learn one by heart.
struct Buffers {
    plain: Vec<Vec<u8>>,
    chunks: Vec<Vec<u8>>,
    at: usize,
}

impl Buffers {
    fn of(set: &Set, size: usize, mut compress: impl FnMut(&[u8]) -> Result<Vec<u8>>) -> Result<Self> {
        let plain: Vec<Vec<u8>> = set.buffers(size, (1 << 20).max(size)).into_iter().map(<[u8]>::to_vec).collect();
        let chunks = plain.iter().map(|plain| compress(plain)).collect::<Result<_>>()?;
        Ok(Buffers { plain, chunks, at: 0 })
    }

    fn plain(&mut self) -> &[u8] {
        self.at = (self.at + 1) % self.plain.len();
        &self.plain[self.at]
    }

    fn chunk(&mut self) -> &[u8] {
        self.at = (self.at + 1) % self.plain.len();
        &self.chunks[self.at]
    }
}

fn ours(job: &Job, operation: &str, is_fresh: bool, set: &Set, size: usize) -> Result<Call> {
    let codec = Codec::from_name(&job.codec).context("unknown codec")?;
    let params = CParams::blosc2().codec(codec).clevel(job.level).typesize(job.typesize);
    let (mut encoder, mut decoder) = (Encoder::new(params)?, Decoder::new());
    let mut buffers = Buffers::of(set, size, |plain| Ok(encoder.compress(plain)?))?;
    let mut room = vec![0; size + OVERHEAD];
    Ok(match (operation, is_fresh) {
        ("compress", false) => Box::new(move || {
            encoder.compress_into(buffers.plain(), &mut room)?;
            Ok(())
        }),
        ("compress", true) => Box::new(move || {
            blosc_core::compress_into(buffers.plain(), &mut room, &params)?;
            Ok(())
        }),
        ("compress-to-vec", false) => Box::new(move || {
            black_box(encoder.compress(buffers.plain())?);
            Ok(())
        }),
        ("compress-to-vec", true) => Box::new(move || {
            black_box(blosc_core::compress(buffers.plain(), &params)?);
            Ok(())
        }),
        ("decompress", false) => Box::new(move || {
            decoder.decompress_into(&Chunk::parse(buffers.chunk())?, &mut room)?;
            Ok(())
        }),
        ("decompress", true) => Box::new(move || {
            blosc_core::decompress_into(buffers.chunk(), &mut room)?;
            Ok(())
        }),
        ("decompress-to-vec", false) => Box::new(move || {
            black_box(decoder.decompress(&Chunk::parse(buffers.chunk())?)?);
            Ok(())
        }),
        _ => Box::new(move || {
            black_box(blosc_core::decompress(buffers.chunk())?);
            Ok(())
        }),
    })
}

fn theirs(options: &Options, job: &Job, operation: &str, is_fresh: bool, set: &Set, size: usize) -> Result<Call> {
    let peer = CBlosc2::load(options.blosc2.as_deref().context("--blosc2 is missing")?)?;
    let mut contexts = peer.contexts(job)?.context("C-Blosc2 lacks this codec")?;
    let mut buffers = Buffers::of(set, size, |plain| contexts.compress_to_vec(plain))?;
    let mut room = vec![0; size + OVERHEAD];
    let operation = operation.to_owned();
    Ok(Box::new(move || {
        if is_fresh {
            contexts.renew(operation.starts_with("compress"))?;
        }
        match operation.as_str() {
            "compress" => drop(contexts.compress(buffers.plain(), &mut room)?),
            "compress-to-vec" => drop(black_box(contexts.compress_to_vec(buffers.plain())?)),
            "decompress" => contexts.decompress(buffers.chunk(), &mut room[..size])?,
            _ => drop(black_box(contexts.decompress_to_vec(buffers.chunk(), size)?)),
        }
        Ok(())
    }))
}
