//! The serial part of a call that distributes the blocks of a chunk over threads, and the scaling that it allows.
//!
//! ```text
//! calling thread  | header, tables |   blocks   | tables, joining blocks |
//! other threads                    |   blocks   |
//!                  '--- serial ---'              '------- serial -------'
//! ```
//!
//! The serial part is CPU time of the calling thread outside of the parallel region. Its share is in CPU time of a call
//! without threads. By Amdahl's law, with blocks as the smallest unit of work, `n` threads take
//! `share + (1 - share) × ceil(blocks / n) / blocks` of the time of one.

use crate::clock::Clock;
use crate::data::{self, Set};
use crate::options::Options;
use crate::race::{Length, geometric_mean, median};
use crate::report::short;
use crate::table;
use anyhow::{Context, Result, ensure};
use blosc_core::internals::observe_parallel_regions;
use blosc_core::{CParams, Chunk, Codec, Decoder, Encoder, FilterPipeline, Parallelism};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::Cell;

const CODECS: [&str; 5] = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"];
const SIZES: [usize; 3] = [1 << 20, 4 << 20, 16 << 20];

/// Operations. A vector is reused.
const DIRECTIONS: [&str; 4] = ["compress", "decompress", "compress-to-vec", "decompress-to-vec"];

/// Numbers of cores that the model is asked for.
const CORES: [usize; 3] = [2, 16, 64];

const COLUMNS: &str = "codec\tsize\tdirection\tset\tblocks\tserial_share\tspeedup_2\tspeedup_16\tspeedup_64";

/// One codec and set.
struct Row {
    set: String,
    direction: &'static str,
    blocks: usize,
    share: f64,
}

impl Row {
    /// Returns how many times as fast `cores` cores are as one.
    fn speedup(&self, cores: usize) -> f64 {
        let turns = self.blocks.div_ceil(cores) as f64 / self.blocks as f64;
        1.0 / (self.share + (1.0 - self.share) * turns)
    }
}

/// Measures every codec, chunk size and set, and writes the table.
pub fn run(options: &Options, machine: &str) -> Result<()> {
    let sets = match &options.data {
        Some(folder) => data::core(folder, &options.sets)?,
        None => data::made(),
    };
    let default: &[&str] = if options.quick { &CODECS[..2] } else { &CODECS };
    let codecs: Vec<&str> = match options.codecs.as_slice() {
        [] => default.to_vec(),
        asked => asked.iter().map(String::as_str).collect(),
    };
    let sizes = if options.sizes.is_empty() { &SIZES[..] } else { &options.sizes };
    let pool = ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(2)).build()?;
    println!("{machine}\n\nserial share in %, mean (highest set); speed-up with {CORES:?} cores, mean\n");
    let mut lines = Vec::new();
    for codec in codecs {
        for &size in sizes {
            let mut rows = Vec::new();
            for set in &sets {
                let measured = of_set(codec, set, size, options.length(9, 1.0), &pool);
                rows.extend(measured.with_context(|| format!("{codec} {}", set.name))?);
            }
            for direction in DIRECTIONS {
                let rows: Vec<&Row> = rows.iter().filter(|row| row.direction == direction).collect();
                print(codec, size, direction, &rows, options.each);
            }
            lines.extend(rows.iter().map(|row| tsv(codec, size, row)));
        }
    }
    match &options.out {
        Some(folder) => table::write(folder, "serial.tsv", machine, COLUMNS, &lines),
        None => Ok(()),
    }
}

fn of_set(codec: &str, set: &Set, size: usize, length: Length, pool: &ThreadPool) -> Result<Vec<Row>> {
    let codec = Codec::from_name(codec).context("unknown codec")?;
    let filters = if set.typesize == 1 { FilterPipeline::none() } else { FilterPipeline::shuffle() };
    let params = CParams::blosc2().codec(codec).clevel(5).filters(filters).typesize(set.typesize);
    let plain = set.buffers(size, size)[0];
    let chunk = blosc_core::compress(plain, &params)?;
    let blocks = Chunk::parse(&chunk)?.header().nblocks();
    let mut caller = Caller::new(params, Parallelism::Serial, plain, &chunk)?;
    let mut shared = Caller::new(params, Parallelism::Ambient, plain, &chunk)?;
    let mut rows = Vec::new();
    for direction in DIRECTIONS {
        let mut shares = Vec::new();
        let start = Clock::Wall.now();
        // The first round is the warm-up.
        for round in 0..=length.rounds {
            if round > 3 && Clock::Wall.now() - start > length.seconds {
                break;
            }
            let alone = serial_seconds(|| caller.call(direction))?;
            let outside = pool.install(|| serial_seconds(|| shared.call(direction)))?;
            if round > 0 || length.rounds == 1 {
                shares.push(outside / alone);
            }
        }
        let share = median(shares.into_iter()).min(1.0);
        rows.push(Row { set: set.name.clone(), direction, blocks, share });
    }
    Ok(rows)
}

/// An encoder and a decoder, with input and output.
struct Caller<'a> {
    encoder: Encoder,
    decoder: Decoder,
    plain: &'a [u8],
    chunk: &'a [u8],
    room: Vec<u8>,
    compressed: Vec<u8>,
    decompressed: Vec<u8>,
}

impl<'a> Caller<'a> {
    fn new(params: CParams, parallelism: Parallelism, plain: &'a [u8], chunk: &'a [u8]) -> Result<Self> {
        Ok(Caller {
            encoder: Encoder::new(params)?.parallelism(parallelism),
            decoder: Decoder::new().parallelism(parallelism),
            plain,
            chunk,
            room: vec![0; blosc_core::max_cbytes(plain.len())],
            compressed: Vec::new(),
            decompressed: Vec::new(),
        })
    }

    fn call(&mut self, direction: &str) -> Result<()> {
        let Caller { encoder, decoder, plain, chunk, room, compressed, decompressed } = self;
        let chunk = Chunk::parse(chunk)?;
        let written = match direction {
            "compress" => encoder.compress_into(plain, room)?,
            "decompress" => decoder.decompress_into(&chunk, room)?,
            "compress-to-vec" => encoder.compress_to(plain, compressed).map(|()| compressed.len())?,
            _ => decoder.decompress_to(&chunk, decompressed).map(|()| decompressed.len())?,
        };
        let expected = if direction.starts_with("decompress") { plain.len() } else { chunk.header().cbytes() };
        ensure!(written == expected, "{direction}: {written} bytes instead of {expected}");
        Ok(())
    }
}

thread_local! {
    /// CPU time of this thread when its current serial part started.
    static SINCE: Cell<f64> = const { Cell::new(0.0) };
    /// Sum of the serial parts of the current call.
    static SUM: Cell<f64> = const { Cell::new(0.0) };
}

/// Runs a call and returns the CPU seconds of this thread outside of parallel regions.
fn serial_seconds(call: impl FnOnce() -> Result<()>) -> Result<f64> {
    observe_parallel_regions(Some(at_border));
    SUM.set(0.0);
    at_border(false);
    let called = call();
    at_border(true);
    observe_parallel_regions(None);
    called.map(|()| SUM.get())
}

/// Ends the serial part where a parallel region starts, and starts the next one at its end.
fn at_border(starts: bool) {
    let now = Clock::Thread.now();
    if starts {
        SUM.set(SUM.get() + now - SINCE.get());
    } else {
        SINCE.set(now);
    }
}

fn print(codec: &str, size: usize, direction: &str, rows: &[&Row], each: bool) {
    let highest = rows.iter().max_by(|a, b| a.share.total_cmp(&b.share));
    let highest = highest.map_or(String::new(), |row| format!("{} {:.2}", row.set, row.share * 100.0));
    let share = rows.iter().map(|row| row.share).sum::<f64>() / rows.len() as f64 * 100.0;
    let speedups = CORES.map(|cores| geometric_mean(rows.iter().map(|row| row.speedup(cores))));
    println!("{codec:7} {:>4} {direction:18} {share:6.2} ({highest:16})  {speedups:5.1?}", short(size));
    for row in rows.iter().filter(|_| each) {
        println!("     {:10} {:6.2}  {} blocks", row.set, row.share * 100.0, row.blocks);
    }
}

fn tsv(codec: &str, size: usize, row: &Row) -> String {
    let Row { set, direction, blocks, share } = row;
    let speedups = CORES.map(|cores| format!("{:.2}", row.speedup(cores))).join("\t");
    format!("{codec}\t{size}\t{direction}\t{set}\t{blocks}\t{share:.5}\t{speedups}")
}
