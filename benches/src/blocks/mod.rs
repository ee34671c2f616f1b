//! Races of single building blocks: kernels, codecs of single streams, checksums.

mod c;
mod checksums;
mod chunked;
mod codecs;
mod cold_kernels;
mod kernels;
#[cfg(feature = "crates")]
mod rust;
mod streams;

use crate::data;
use crate::options::Options;
use crate::race::{Length, Runner, Time, geometric_mean};
use crate::{clock::Clock, race};
use anyhow::{Context, Result, bail};
use std::fmt::Write as _;

/// Names of all blocks on the command line.
pub const NAMES: [&str; 7] = ["kernels", "blosclz", "lz4", "lz4hc", "zlib", "zstd", "checksums"];

/// One peer in one case.
#[derive(Debug, Clone)]
pub struct Row {
    pub block: &'static str,
    /// The operation: "5 split compress", "unshuffle 4".
    pub case: String,
    /// A data set, or the size of the buffer.
    pub data: String,
    pub peer: &'static str,
    /// The peer's speed, in 10⁶ uncompressed bytes per second.
    pub mbs: f64,
    /// Our speed divided by the peer's.
    pub ours_to_peer: f64,
    /// Our compressed size divided by the peer's; 1 where nothing is compressed.
    pub size: f64,
}

/// Columns of the table.
pub const COLUMNS: &str = "block\tcase\tdata\tpeer\tpeer_MB/s\tours_to_peer\tours_to_peer_size";

/// Formats a row of the table.
pub fn tsv(row: &Row) -> String {
    let Row { block, case, data, peer, mbs, ours_to_peer, size } = row;
    format!("{block}\t{case}\t{data}\t{peer}\t{mbs:.1}\t{ours_to_peer:.3}\t{size:.4}")
}

/// Races the blocks that the options name, or all, and prints each when it finishes.
pub fn run(options: &Options) -> Result<Vec<Row>> {
    if let Some(unknown) = options.names.iter().find(|name| !NAMES.contains(&name.as_str())) {
        bail!("no block is called {unknown}; there are {}", NAMES.join(" "));
    }
    let length = if options.quick { options.length(5, 0.1) } else { options.length(7, 0.3) };
    let libraries = c::Libraries::load(options)?;
    let sets = match &options.data {
        Some(folder) => data::core(folder, &options.sets)?,
        None => data::made(),
    };
    let mut rows = Vec::new();
    for name in NAMES {
        let is_asked = options.names.is_empty() || options.names.iter().any(|asked| asked == name);
        if !is_asked {
            continue;
        }
        let start = rows.len();
        match name {
            "kernels" => kernels::race(&libraries, length, options.quick, &mut rows)
                .and_then(|()| cold_kernels::race(&libraries, length, &mut rows)),
            "checksums" => checksums::race(&libraries, length, &mut rows),
            codec => codecs::race(codec, &libraries, &sets, options, length, &mut rows),
        }
        .context(name)?;
        print!("{}", lines(&rows[start..]));
    }
    Ok(rows)
}

/// Returns one line for each case and peer: the geometric mean over the data.
fn lines(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut done: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if done.contains(&(&row.case, row.peer)) {
            continue;
        }
        done.push((&row.case, row.peer));
        let alike: Vec<&Row> = rows.iter().filter(|other| other.case == row.case && other.peer == row.peer).collect();
        let mean = |value: fn(&Row) -> f64| geometric_mean(alike.iter().map(|row| value(row)));
        let mbs = mean(|row| row.mbs);
        if row.peer == "ours" {
            let _ = writeln!(text, "{} {:24} {mbs:8.0} MB/s", row.block, row.case);
            continue;
        }
        let by_ratio = |a: &&&Row, b: &&&Row| a.ours_to_peer.total_cmp(&b.ours_to_peer);
        let shown =
            |row: Option<&&Row>| row.map_or(String::new(), |row| format!("{} {:.2}", row.data, row.ours_to_peer));
        let (low, high) = (shown(alike.iter().min_by(by_ratio)), shown(alike.iter().max_by(by_ratio)));
        let (ratio, size) = (mean(|row| row.ours_to_peer), mean(|row| row.size));
        let _ = writeln!(text, "   / {:18} {ratio:6.2} ({low} .. {high})  size {size:.3}", row.peer);
    }
    text
}

/// Races `runners`, each with its peer's name and compressed size, over `nbytes` uncompressed bytes. Ours is the first.
fn contest(
    (block, case, data): (&'static str, &str, &str),
    nbytes: usize,
    length: Length,
    runners: Vec<(&'static str, f64, Runner<'_>)>,
) -> Result<Vec<Row>> {
    let (mut names, mut run) = (Vec::new(), Vec::new());
    for (peer, size, runner) in runners {
        names.push((peer, size));
        run.push(runner);
    }
    let times: Vec<Time> = race::run(Clock::Cpu, length, &mut run)?;
    let ours = names.first().map_or(1.0, |(_, size)| *size);
    let row = |((peer, size), time): (&(&'static str, f64), &Time)| Row {
        block,
        case: case.to_owned(),
        data: data.to_owned(),
        peer,
        mbs: nbytes as f64 / time.seconds / 1e6,
        ours_to_peer: time.to_first,
        size: ours / size,
    };
    Ok(names.iter().zip(&times).map(row).collect())
}
