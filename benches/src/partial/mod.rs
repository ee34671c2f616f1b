//! Race of reads of parts of a chunk: items, ranges, single blocks, and decompression that skips blocks.
//!
//! A call gets the bytes of the chunk, so that every library parses the header again. Readers of Blosc2 read the chunks
//! of C-Blosc2; C-Blosc 1 reads its own.

mod cases;
mod readers;

pub use cases::Case;

use crate::clock::Clock;
use crate::data::{self, Set};
use crate::options::Options;
use crate::peers::Filter;
use crate::race::{self, Length, Runner, Time, geometric_mean};
use crate::report::short;
use crate::table;
use anyhow::{Context, Result, ensure};
use cases::Read;
use readers::Reader;
use std::cell::RefCell;

const CODECS: [&str; 2] = ["lz4", "zstd"];
const SIZES: [usize; 3] = [1 << 16, 1 << 20, 1 << 24];
const COLUMNS: &str = "codec\tchunk\tcase\tset\tpeer\tns\tours_to_peer";

/// Bytes of a set in chunks, so that small chunks are not all in the L1 cache.
const SAMPLE: usize = 4 << 20;

/// One peer in one case on one set.
struct Row {
    set: String,
    peer: &'static str,
    time: Time,
}

/// Runs the race on the core sets or the given ones, and writes the table.
pub fn run(options: &Options, machine: &str) -> Result<()> {
    let sets = match &options.data {
        Some(folder) => data::core(folder, &options.sets)?,
        None => data::made(),
    };
    let (codecs, sizes) = selection(options);
    let length = if options.quick { options.length(5, 0.1) } else { options.length(5, 0.2) };
    println!("{machine}\n\nns of a run; our speed as a multiple of the peer's, geometric mean (lowest set)\n");
    let mut lines = Vec::new();
    for codec in &codecs {
        for &size in &sizes {
            let mut rows: Vec<(Case, Row)> = Vec::new();
            for set in &sets {
                let raced = of_set(options, codec, size, set, length);
                rows.extend(raced.with_context(|| format!("{codec} {} {}", short(size), set.name))?);
            }
            for case in Case::ALL {
                let of_case: Vec<&Row> = rows.iter().filter(|(of, _)| *of == case).map(|(_, row)| row).collect();
                print(codec, size, case, &of_case, options.each);
                lines.extend(of_case.iter().map(|row| tsv(codec, size, case, row)));
            }
        }
    }
    match &options.out {
        Some(folder) => table::write(folder, "partial.tsv", machine, COLUMNS, &lines),
        None => Ok(()),
    }
}

fn selection(options: &Options) -> (Vec<String>, Vec<usize>) {
    let codecs = if options.quick { &CODECS[..1] } else { &CODECS[..] };
    let codecs = codecs.iter().map(|codec| (*codec).to_owned()).collect();
    let sizes = if options.quick { SIZES[1..2].to_vec() } else { SIZES.to_vec() };
    let (asked_codecs, asked_sizes) = (options.codecs.clone(), options.sizes.clone());
    (
        if asked_codecs.is_empty() { codecs } else { asked_codecs },
        if asked_sizes.is_empty() { sizes } else { asked_sizes },
    )
}

/// Races all cases on one set.
fn of_set(options: &Options, codec: &str, size: usize, set: &Set, length: Length) -> Result<Vec<(Case, Row)>> {
    // Bytes need no shuffle.
    let filter = if set.typesize == 1 { Filter::None } else { Filter::Shuffle };
    let level = options.levels.first().copied().unwrap_or(5);
    let plain = set.buffers(size, SAMPLE.max(size));
    let mut readers = readers::all(options, &readers::job(codec, level, filter, set.typesize), &plain)?;
    let mut rows = Vec::new();
    for case in Case::ALL {
        let reads = case.reads(&readers[0].layout()?, plain.len());
        if reads.is_empty() {
            continue;
        }
        let times = of_case(case, &reads, &mut readers, &plain, set.typesize, length).context(case.name())?;
        rows.extend(times.into_iter().map(|(peer, time)| (case, Row { set: set.name.clone(), peer, time })));
    }
    Ok(rows)
}

/// Races the readers that support the case, after comparing their bytes.
fn of_case(
    case: Case,
    reads: &[Read],
    readers: &mut [Box<dyn Reader>],
    plain: &[&[u8]],
    typesize: usize,
    length: Length,
) -> Result<Vec<(&'static str, Time)>> {
    // One output for all, so that none gains by its address.
    let room = reads.iter().map(|read| read.room(typesize)).max().unwrap_or_default();
    let room = RefCell::new(vec![0; room]);
    let mut racers: Vec<&mut Box<dyn Reader>> = Vec::new();
    for reader in readers {
        if verify(case, reads, &mut **reader, plain, typesize, &mut room.borrow_mut()).with_context(|| reader.name())? {
            racers.push(reader);
        }
    }
    let names: Vec<&'static str> = racers.iter().map(|reader| reader.name()).collect();
    let mut runners: Vec<Runner<'_>> = Vec::new();
    for reader in racers {
        let room = &room;
        runners.push(Box::new(move || {
            let mut room = room.borrow_mut();
            reads.iter().try_for_each(|read| case.run(&mut **reader, read, typesize, &mut room).map(drop))
        }));
    }
    let times = race::run(Clock::Cpu, length, &mut runners)?;
    let per_call = |time: Time| Time { seconds: time.seconds / reads.len() as f64, ..time };
    Ok(names.into_iter().zip(times.into_iter().map(per_call)).collect())
}

/// Compares what a reader reads with the plain bytes. Returns false if it does not support the case.
fn verify(
    case: Case,
    reads: &[Read],
    reader: &mut dyn Reader,
    plain: &[&[u8]],
    typesize: usize,
    room: &mut [u8],
) -> Result<bool> {
    for read in reads {
        room.fill(0xa5);
        let Some(written) = case.run(reader, read, typesize, room)? else { return Ok(false) };
        let expected = case.expected(read, typesize, plain[read.chunk]);
        ensure!(written == expected.len(), "{written} bytes instead of {}", expected.len());
        for (at, (found, expected)) in room.iter().zip(&expected).enumerate() {
            ensure!(expected.is_none_or(|expected| *found == expected), "another byte at {at} of chunk {}", read.chunk);
        }
    }
    Ok(true)
}

fn print(codec: &str, size: usize, case: Case, rows: &[&Row], each: bool) {
    let mean = |rows: &[&Row], value: fn(&Row) -> f64| geometric_mean(rows.iter().map(|row| value(row)));
    let mut peers: Vec<&str> = Vec::new();
    for row in rows {
        if !peers.contains(&row.peer) {
            peers.push(row.peer);
        }
    }
    for peer in peers {
        let theirs: Vec<&Row> = rows.iter().copied().filter(|row| row.peer == peer).collect();
        let nanoseconds = mean(&theirs, |row| row.time.seconds) * 1e9;
        if peer == "ours" {
            println!("{codec:7} {:>4} {:30} {nanoseconds:9.0} ns", short(size), case.name());
            continue;
        }
        let lowest = theirs.iter().min_by(|a, b| a.time.to_first.total_cmp(&b.time.to_first));
        let lowest = lowest.map_or(String::new(), |row| format!("{} {:.2}", row.set, row.time.to_first));
        let ratio = mean(&theirs, |row| row.time.to_first);
        println!("   / {peer:26} {nanoseconds:9.0} ns  {ratio:6.2} ({lowest})");
        for row in theirs.iter().filter(|_| each) {
            println!("       {:10} {:9.0} ns  {:6.2}", row.set, row.time.seconds * 1e9, row.time.to_first);
        }
    }
}

fn tsv(codec: &str, size: usize, case: Case, row: &Row) -> String {
    let Row { set, peer, time } = row;
    format!("{codec}\t{size}\t{}\t{set}\t{peer}\t{:.0}\t{:.3}", case.name(), time.seconds * 1e9, time.to_first)
}
