//! Races again the cells of the table of chunks in which C-Blosc2 was faster, in more rounds.
//!
//! Most of these are close, and another program on the machine can decide a race of a few rounds. The longer race
//! replaces the first, whatever its outcome.

use crate::chunks::{self, Config};
use crate::data::{self, Set};
use crate::options::Options;
use crate::peers::{self, REFERENCE};
use crate::report;
use crate::table::{Record, Table};
use anyhow::{Context, Result};

const ROUNDS: usize = 25;
const SECONDS: f64 = 10.0;

/// Races again, and replaces the rows in the table in the folder of `--out`.
pub fn run(options: &Options, machine: &str) -> Result<()> {
    let folder = options.out.as_deref().context("--out is missing")?;
    let mut table = Table::read(folder, "chunks.tsv").context("chunks.tsv is missing")?;
    let peers = peers::all(options)?;
    let sets = data::read(options.data.as_deref().context("--data is missing")?, &options.sets)?;
    let slower = slower(&table, &sets)?;
    println!("{machine}\n\n{} rows in which {REFERENCE} was faster, {ROUNDS} rounds each", slower.len());
    for (config, set) in &slower {
        let rows = chunks::run(&peers, config, set, options.length(ROUNDS, SECONDS))
            .with_context(|| format!("{} {}", report::name(config), set.name))?;
        print!("{}{}", report::lines(&rows), report::each(&rows));
        let lines: Vec<String> = rows.iter().map(report::tsv).collect();
        table.replace(&key(config, set), &lines);
    }
    let about = format!("{} rows in which {REFERENCE} was faster were raced again in {ROUNDS} rounds", slower.len());
    table.comments.retain(|comment| !comment.contains("raced again"));
    table.comments.push(format!("{about}: {machine}"));
    table.write(folder, "chunks.tsv")
}

/// Returns the rows in which the reference compressed or decompressed faster.
fn slower<'a>(table: &Table, sets: &'a [Set]) -> Result<Vec<(Config, &'a Set)>> {
    let is_slower = |record: &Record<'_>| {
        let speed = |column| record.number(column);
        speed("ours_to_peer_compress").min(speed("ours_to_peer_decompress")) < 1.0
    };
    let mut slower = Vec::new();
    for record in table.select(&[("peer", REFERENCE)]).into_iter().filter(is_slower) {
        let Some(set) = sets.iter().find(|set| set.name == record.text("set")) else { continue };
        slower.push((config(record)?, set));
    }
    Ok(slower)
}

fn config(record: Record<'_>) -> Result<Config> {
    Ok(Config {
        codec: record.text("codec").to_owned(),
        level: record.text("level").parse().context("level")?,
        filter: record.text("filter").parse()?,
        size: record.text("size").parse().context("size")?,
        threads: record.text("threads").parse().context("threads")?,
    })
}

/// Returns the columns that the rows of all peers have in common.
fn key(config: &Config, set: &Set) -> [(&'static str, String); 6] {
    let Config { codec, level, filter, size, threads } = config;
    [
        ("codec", codec.clone()),
        ("level", level.to_string()),
        ("filter", filter.to_string()),
        ("size", size.to_string()),
        ("threads", threads.to_string()),
        ("set", set.name.clone()),
    ]
}
