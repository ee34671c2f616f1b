//! Benchmarks against the C libraries and the best crates. Started by `cargo xtask bench`, which locates the peers.
//!
//! All peers race in one process, interleaved round by round, so that load on the machine slows all of them alike. A
//! figure is the median of the ratios of single rounds; over data sets it is the geometric mean. Before a race every
//! peer decodes the data that it is compared on.

mod advise;
mod again;
mod appends;
mod blocks;
mod chunks;
mod clock;
mod contexts;
mod data;
mod goals;
mod interfaces;
mod options;
mod partial;
mod peers;
mod picture;
mod pipeline;
mod race;
mod report;
mod serial;
mod table;

use anyhow::{Context, Result, bail};
use data::Set;
use options::{Options, USAGE};

fn main() -> Result<()> {
    let options = Options::from_args()?;
    let machine = machine(); // before this thread is pinned to one core
    let out = || options.out.as_deref().context("--out is missing");
    match options.command.as_str() {
        "chunks" => {
            clock::pin_to_one_core()?;
            race_chunks(&options, &machine, &sets(&options)?)
        }
        "again" => {
            clock::pin_to_one_core()?;
            again::run(&options, &machine)
        }
        "threads" => race_chunks(&options, &machine, &sets(&options)?),
        "blocks" => {
            clock::pin_to_one_core()?;
            race_blocks(&options, &machine)
        }
        "capi" => {
            clock::pin_to_one_core()?;
            interfaces::run(&options, &machine)
        }
        "contexts" => contexts::run(&options, &machine),
        "context" => contexts::run_case(&options),
        "serial" => serial::run(&options, &machine),
        "pipeline" => pipeline::run(&options, &machine),
        "partial" => {
            clock::pin_to_one_core()?;
            partial::run(&options, &machine)
        }
        "advise" => {
            clock::pin_to_one_core()?;
            advise::run(&options, &machine)
        }
        "appends" => appends::run(&options, &machine),
        "verify" => verify(options, &machine),
        "goals" => goals::report(out()?, options.names == ["auto"]),
        "picture" => picture::draw(out()?, &options.names),
        _ => bail!("{USAGE}"),
    }
}

fn sets(options: &Options) -> Result<Vec<Set>> {
    data::read(options.data.as_deref().context("--data is missing")?, &options.sets)
}

fn race_chunks(options: &Options, machine: &str, sets: &[Set]) -> Result<()> {
    let peers = peers::all(options)?;
    let here: Vec<String> = peers.iter().map(|peer| format!("{} {}", peer.name(), peer.version())).collect();
    let about = format!("{machine}\n{}\n", here.join(", "));
    println!("{about}\n{}", report::HEADER);
    let length = |set: &Set| match options.quick || !data::is_core(&set.name) {
        true => options.length(5, 0.4),
        false => options.length(9, 1.0),
    };
    let mut rows = Vec::new();
    for config in chunks::configs(options) {
        let start = rows.len();
        for set in sets.iter().filter(|set| chunks::takes_part(set, &config, options)) {
            let raced = chunks::run(&peers, &config, set, length(set));
            rows.extend(raced.with_context(|| format!("{} {}", report::name(&config), set.name))?);
        }
        print!("{}", report::lines(&rows[start..]));
        if options.each {
            print!("{}", report::each(&rows[start..]));
        }
    }
    if let Some(folder) = &options.out {
        let lines: Vec<String> = rows.iter().map(report::tsv).collect();
        table::write(folder, &format!("{}.tsv", options.command), &about, report::COLUMNS, &lines)?;
    }
    Ok(())
}

/// Runs all codecs and filters, two threads and every block on small data. Only the checks matter; the figures mean
/// nothing.
fn verify(mut options: Options, machine: &str) -> Result<()> {
    options.hurry();
    options.data = None;
    options.levels = vec![1, 5];
    options.sizes = vec![1 << 10, 1 << 16];
    race_chunks(&options, machine, &data::made())?;
    options.command = "threads".to_owned();
    options.sizes = vec![1 << 20];
    race_chunks(&options, machine, &data::made())?;
    options.quick = true;
    race_blocks(&options, machine)?;
    options.codecs = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"].map(str::to_owned).to_vec();
    options.sizes = vec![1 << 16, 1 << 20];
    partial::run(&options, machine)?;
    options.sizes = vec![1 << 20];
    serial::run(&options, machine)?;
    pipeline::run(&options, machine)?;
    advise::run(&options, machine)?;
    options.sizes = vec![4 << 20];
    appends::run(&options, machine)
}

fn race_blocks(options: &Options, machine: &str) -> Result<()> {
    println!("{machine}\n\n{}", report::HEADER);
    let rows = blocks::run(options)?;
    if let Some(folder) = &options.out {
        let lines: Vec<String> = rows.iter().map(blocks::tsv).collect();
        table::write(folder, "blocks.tsv", machine, blocks::COLUMNS, &lines)?;
    }
    Ok(())
}

/// Describes the processor, and the compiler and commit that xtask passes on.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let built = std::env::var("BENCH_BUILT_FROM").unwrap_or_else(|_| "unknown rustc and commit".to_owned());
    format!("{}, {cores} cores; {built}", model.map_or("unknown CPU", |(_, model)| model))
}
