//! Output of a race of chunks: a summary line per configuration and peer, and a table with every data set.

use crate::chunks::Config;
use crate::data;
use crate::peers::REFERENCE;
use crate::race::geometric_mean;
use std::fmt::Write as _;

/// One peer on one data set. Ratios are ours divided by the peer's.
#[derive(Debug, Clone)]
pub struct Row {
    pub config: Config,
    pub set: String,
    pub peer: &'static str,
    /// Uncompressed size divided by the peer's compressed size.
    pub ratio: f64,
    /// Our compressed size divided by the peer's.
    pub size: f64,
    /// Our speed divided by the peer's.
    pub compress: f64,
    pub decompress: f64,
    /// The peer's own speed, in 10⁶ uncompressed bytes per second.
    pub compress_mbs: f64,
    pub decompress_mbs: f64,
}

/// Explains the columns of a summary line.
pub const HEADER: &str = "\
MB/s and ratio: ours. Then our speed as a multiple of the peer's, geometric mean over the data sets (lowest set ..
highest set), and our compressed size divided by the peer's.
";

/// Returns the summary lines of one configuration: those of the core sets, then those of all sets if there are more.
pub fn lines(rows: &[Row]) -> String {
    let core: Vec<Row> = rows.iter().filter(|row| data::is_core(&row.set)).cloned().collect();
    match core.len() {
        0 => summary(rows, ""),
        some if some == rows.len() => summary(rows, ""),
        _ => summary(&core, "") + &summary(rows, ", all sets"),
    }
}

/// Returns the lines of these rows: one for each peer except ours.
fn summary(rows: &[Row], which: &str) -> String {
    let mut text = String::new();
    let Some(first) = rows.first() else { return text };
    let ours: Vec<&Row> = rows.iter().filter(|row| row.peer == first.peer).collect();
    let mean = |rows: &[&Row], value: &dyn Fn(&Row) -> f64| geometric_mean(rows.iter().map(|row| value(row)));
    let _ = writeln!(
        text,
        "{:26} {:6.0} {:6.0} MB/s, ratio {:.2}{which}",
        name(&first.config),
        mean(&ours, &|row| row.compress_mbs),
        mean(&ours, &|row| row.decompress_mbs),
        mean(&ours, &|row| row.ratio)
    );
    let mut peers: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.peer != first.peer) {
        if !peers.contains(&row.peer) {
            peers.push(row.peer);
        }
    }
    for peer in &peers {
        let theirs: Vec<&Row> = rows.iter().filter(|row| row.peer == *peer).collect();
        let _ = write!(text, "   / {peer:15}");
        let values: [fn(&Row) -> f64; 2] = [|row| row.compress, |row| row.decompress];
        for value in values {
            let (lowest, highest) = extremes(&theirs, value);
            let _ = write!(text, "  {:5.2} {:32}", mean(&theirs, &value), format!("({lowest} .. {highest})"));
        }
        if peer.starts_with("memcpy") {
            let _ = writeln!(text);
        } else {
            let _ = writeln!(text, "  size {:.3}", mean(&theirs, &|row| row.size));
        }
    }
    text
}

/// Compares every data set with the reference, or with memcpy if the reference is missing.
pub fn each(rows: &[Row]) -> String {
    let peer = if rows.iter().any(|row| row.peer == REFERENCE) { REFERENCE } else { "memcpy" };
    let mut text = String::new();
    for pair in rows.iter().filter(|row| row.peer == peer) {
        let ours = rows.iter().find(|row| row.set == pair.set);
        let (compress, decompress) = ours.map_or((0.0, 0.0), |ours| (ours.compress_mbs, ours.decompress_mbs));
        let _ = writeln!(
            text,
            "     {:10} {:6.0} {:6.0} MB/s, ratio {:7.2}   / {peer}  {:5.2} {:5.2}  size {:.3}",
            pair.set,
            compress,
            decompress,
            ours.map_or(1.0, |ours| ours.ratio),
            pair.compress,
            pair.decompress,
            pair.size
        );
    }
    text
}

/// Describes a configuration.
pub fn name(config: &Config) -> String {
    let threads = if config.threads > 1 { format!(" {} threads", config.threads) } else { String::new() };
    format!("{} {} {} {}{threads}", config.codec, config.level, config.filter, short(config.size))
}

/// Formats a size as `1K`, `16M`, or bytes.
pub fn short(size: usize) -> String {
    match size {
        _ if size >= 1 << 20 && size.is_multiple_of(1 << 20) => format!("{}M", size >> 20),
        _ if size >= 1 << 10 && size.is_multiple_of(1 << 10) => format!("{}K", size >> 10),
        _ => size.to_string(),
    }
}

fn extremes(rows: &[&Row], value: fn(&Row) -> f64) -> (String, String) {
    let shown = |row: Option<&&Row>| row.map_or(String::new(), |row| format!("{} {:.2}", row.set, value(row)));
    let by_value = |a: &&&Row, b: &&&Row| value(a).total_cmp(&value(b));
    (shown(rows.iter().min_by(by_value)), shown(rows.iter().max_by(by_value)))
}

/// Columns of the table of chunks.
pub const COLUMNS: &str = "codec\tlevel\tfilter\tsize\tthreads\tset\tpeer\tpeer_ratio\tpeer_compress_MB/s\t\
     peer_decompress_MB/s\tours_to_peer_compress\tours_to_peer_decompress\tours_to_peer_size";

/// Formats a row of that table.
pub fn tsv(row: &Row) -> String {
    let Config { codec, level, filter, size, threads } = &row.config;
    format!(
        "{codec}\t{level}\t{filter}\t{size}\t{threads}\t{}\t{}\t{:.3}\t{:.1}\t{:.1}\t{:.3}\t{:.3}\t{:.4}",
        row.set, row.peer, row.ratio, row.compress_mbs, row.decompress_mbs, row.compress, row.decompress, row.size
    )
}
