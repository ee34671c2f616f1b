//! Cells of the full table in which C-Blosc2 is better both in speed and in size.
//!
//! A cell is a codec, level, filter, buffer size, data set and direction. In a cell of compression the speeds are those
//! of compression and the sizes those of both outputs. In a cell of decompression both libraries read the same chunk,
//! so that only speed counts.

use super::{Goal, Most};
use crate::peers::REFERENCE;
use crate::table::{self, Record, Table};
use anyhow::Result;
use std::path::Path;

/// Our speed divided by theirs, at most, where they are clearly faster: by 5 %.
const CLEARLY_SLOWER: f64 = 1.0 / 1.05;

/// Our size divided by theirs, at least, where theirs is clearly smaller: by 2 %.
const CLEARLY_LARGER: f64 = 1.0 / 0.98;

/// Share of the cells in which C-Blosc2 may dominate.
const SHARE: f64 = 0.01;

/// Columns that name a cell. In `reasons.tsv` a `*` stands for any value.
const CELL: [&str; 6] = ["codec", "level", "filter", "size", "set", "direction"];

/// Counts the dominated cells and lists them in `dominated.tsv`, with reasons from `reasons.tsv`, a file kept by hand.
pub(super) fn goal(folder: &Path, chunks: &Table) -> Result<Goal> {
    let reasons = Table::read(folder, "reasons.tsv");
    let cells: Vec<Cell<'_>> = cells(chunks);
    let mut dominated: Vec<&Cell<'_>> = cells.iter().filter(|cell| cell.is_dominated()).collect();
    dominated.sort_by(|a, b| a.speed.total_cmp(&b.speed));
    let without = dominated.iter().filter(|cell| cell.reason(reasons.as_ref()).is_empty()).count();
    let lines: Vec<String> = dominated.iter().map(|cell| cell.tsv(reasons.as_ref())).collect();
    let columns = format!("{}\tspeed\tsize\treason", CELL.join("\t"));
    table::write(folder, "dominated.tsv", &chunks.comments.join("\n"), &columns, &lines)?;

    let share = dominated.len() as f64 / cells.len() as f64;
    let name = format!("dominated cells: {} of {}, {without} without a reason", dominated.len(), cells.len());
    Ok(Goal::one(name, "share", Most(SHARE), share))
}

/// Prints how many cells are slower, whatever the size, and the slowest.
pub(super) fn print_slower(chunks: &Table) {
    let cells = cells(chunks);
    let mut slower: Vec<&Cell<'_>> = cells.iter().filter(|cell| cell.speed < 1.0).collect();
    slower.sort_by(|a, b| a.speed.total_cmp(&b.speed));
    println!("\n{} of {} cells ({}) are slower than C-Blosc2", slower.len(), cells.len(), CELL.join(", "));
    for cell in slower.iter().take(20) {
        println!("  {}: {:.2}, size {:.3}", CELL.map(|column| cell.text(column)).join(" "), cell.speed, cell.size);
    }
}

/// One row and direction of the table of chunks.
struct Cell<'a> {
    record: Record<'a>,
    direction: &'static str,
    /// Our speed divided by theirs.
    speed: f64,
    /// Our size divided by theirs.
    size: f64,
}

fn cells(chunks: &Table) -> Vec<Cell<'_>> {
    let mut cells = Vec::new();
    for record in chunks.select(&[("peer", REFERENCE)]) {
        let of = |direction, column, size| Cell { record, direction, speed: record.number(column), size };
        cells.push(of("compress", "ours_to_peer_compress", record.number("ours_to_peer_size")));
        cells.push(of("decompress", "ours_to_peer_decompress", 1.0));
    }
    cells
}

impl<'a> Cell<'a> {
    /// Returns whether C-Blosc2 is clearly faster and not larger, or clearly smaller and not slower.
    fn is_dominated(&self) -> bool {
        (self.speed <= CLEARLY_SLOWER && self.size >= 1.0) || (self.size >= CLEARLY_LARGER && self.speed <= 1.0)
    }

    fn text(&self, column: &str) -> &'a str {
        if column == "direction" { self.direction } else { self.record.text(column) }
    }

    /// Returns the reason of the first line that matches, or nothing.
    fn reason<'r>(&self, reasons: Option<&'r Table>) -> &'r str {
        let lines = reasons.map(|reasons| reasons.select(&[])).unwrap_or_default();
        let fits = |line: &Record<'_>, column| [self.text(column), "*"].contains(&line.text(column));
        let line = lines.into_iter().find(|line| CELL.iter().all(|column| fits(line, column)));
        line.map_or("", |line| line.text("reason"))
    }

    fn tsv(&self, reasons: Option<&Table>) -> String {
        let cell = CELL.map(|column| self.text(column)).join("\t");
        format!("{cell}\t{:.3}\t{:.4}\t{}", self.speed, self.size, self.reason(reasons))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dominated(compress: f64, decompress: f64, size: f64) -> Vec<&'static str> {
        let columns = "set\tpeer\tours_to_peer_compress\tours_to_peer_decompress\tours_to_peer_size";
        let table = Table::parse(&format!("{columns}\nwx\tC-Blosc2\t{compress}\t{decompress}\t{size}\n")).unwrap();
        cells(&table).iter().filter(|cell| cell.is_dominated()).map(|cell| cell.direction).collect()
    }

    #[test]
    fn faster_and_not_larger_or_smaller_and_not_slower() {
        assert!(dominated(1.0, 1.0, 1.0).is_empty());
        assert_eq!(dominated(0.95, 0.96, 1.0), ["compress"]);
        assert!(dominated(0.96, 0.96, 1.01).is_empty());
        assert!(dominated(0.5, 1.0, 0.99).is_empty());
        assert_eq!(dominated(1.0, 1.0, 1.03), ["compress"]);
        assert!(dominated(1.01, 1.0, 1.5).is_empty());
        assert_eq!(dominated(1.0, 0.95, 0.5), ["decompress"]);
    }

    #[test]
    fn the_first_reason_that_matches_counts() {
        let chunks = Table::parse("codec\tset\tpeer\nlz4\ttext\tC-Blosc2\n").unwrap();
        let line = |set: &str, reason: &str| format!("lz4\t*\t*\t*\t{set}\tdecompress\t{reason}\n");
        let columns = format!("{}\treason\n", CELL.join("\t"));
        let reasons = Table::parse(&[columns, line("wx", "no"), line("*", "yes"), line("text", "late")].concat());
        let [compress, decompress] = &cells(&chunks)[..] else { panic!("two cells") };
        assert_eq!((compress.reason(reasons.as_ref()), decompress.reason(reasons.as_ref())), ("", "yes"));
    }
}
