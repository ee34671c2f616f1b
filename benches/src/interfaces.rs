//! Race of our C libraries against the Rust API that they call: contexts of libblosc2 and the global functions of
//! libblosc, each as a peer that `--blosc2` and `--blosc1` load.

use crate::chunks::{self, Config};
use crate::data::{self, Set};
use crate::options::Options;
use crate::peers::{self, Filter, Format, OURS_1, REFERENCE, REFERENCE_1};
use crate::race::geometric_mean;
use crate::report::Row;
use crate::table;
use anyhow::{Context, Result, ensure};

const CODECS: [&str; 3] = ["lz4", "blosclz", "zstd"];
const SIZES: [usize; 5] = [1 << 10, 1 << 12, 1 << 16, 1 << 20, 1 << 22];
const COLUMNS: &str = "interface\tcodec\tsize\tset\tcompress\tdecompress";

/// A way to call a C library, the Rust API that does the same, and their rows in a race.
struct Interface {
    name: &'static str,
    c: &'static str,
    rust: &'static str,
}

const INTERFACES: [Interface; 2] = [
    Interface { name: "context, Blosc2", c: REFERENCE, rust: "ours" },
    Interface { name: "global functions, Blosc1", c: REFERENCE_1, rust: OURS_1 },
];

/// Prints the means over the sets, and writes every set to `capi.tsv`.
pub fn run(options: &Options, machine: &str) -> Result<()> {
    let mut peers = peers::all(options)?;
    peers.retain(|peer| peer.format() != Format::Copy);
    ensure!(options.blosc2.is_some() && options.blosc1.is_some(), "--blosc2 and --blosc1 are missing");
    let sets = data::core(options.data.as_deref().context("--data is missing")?, &options.sets)?;
    println!("{machine}\n\ntime of a call of C, divided by that of the Rust API: mean (lowest .. highest)\n");
    let codecs: Vec<&str> = if options.codecs.is_empty() { CODECS.to_vec() } else { names(&options.codecs) };
    let sizes = if options.sizes.is_empty() { &SIZES[..] } else { &options.sizes[..] };
    let mut lines = Vec::new();
    for codec in codecs {
        for &size in sizes {
            let config = Config { codec: codec.to_owned(), level: 5, filter: Filter::Shuffle, size, threads: 1 };
            let rows = raced(&peers, &config, &sets, options)?;
            for interface in &INTERFACES {
                let times = times(interface, &rows);
                print_means(interface, &config, &times);
                lines.extend(times.iter().map(|(set, compress, decompress)| {
                    format!("{}\t{codec}\t{size}\t{set}\t{compress:.3}\t{decompress:.3}", interface.name)
                }));
            }
        }
    }
    match &options.out {
        Some(folder) => table::write(folder, "capi.tsv", machine, COLUMNS, &lines),
        None => Ok(()),
    }
}

fn names(given: &[String]) -> Vec<&str> {
    given.iter().map(String::as_str).collect()
}

fn raced(peers: &[Box<dyn peers::Peer>], config: &Config, sets: &[Set], options: &Options) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for set in sets {
        rows.extend(chunks::run(peers, config, set, options.length(9, 0.5)).with_context(|| set.name.clone())?);
    }
    Ok(rows)
}

/// Returns for each set the time of C divided by that of Rust, compressing and decompressing.
fn times(interface: &Interface, rows: &[Row]) -> Vec<(String, f64, f64)> {
    let of = |peer: &'static str| rows.iter().filter(move |row| row.peer == peer);
    // A row has our speed with Blosc2 chunks divided by the peer's.
    let pairs = of(interface.c).zip(of(interface.rust));
    pairs.map(|(c, rust)| (c.set.clone(), c.compress / rust.compress, c.decompress / rust.decompress)).collect()
}

fn print_means(interface: &Interface, config: &Config, times: &[(String, f64, f64)]) {
    let shown = |values: Vec<f64>| {
        let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| (low.min(x), high.max(x)));
        format!("{:5.3} ({low:5.3} .. {high:5.3})", geometric_mean(values.into_iter()))
    };
    let compress = shown(times.iter().map(|(_, compress, _)| *compress).collect());
    let decompress = shown(times.iter().map(|(_, _, decompress)| *decompress).collect());
    println!(
        "{:26} {:8} {:8}  compress {compress}  decompress {decompress}",
        interface.name, config.codec, config.size
    );
}
