//! Ratio over speed of compression: automatic choice, other programs and fixed settings, one panel per kind of data.

use super::canvas::{Anchor, Canvas, DARK, GREY, PALE};
use crate::table::{Record, Table};
use anyhow::{Context, Result};
use std::path::Path;

/// Panels: the set, and the title.
const PANELS: [(&str, &str); 20] = [
    ("decimals", "float64, one decimal"),
    ("cents", "float64, two decimals"),
    ("sparse", "float64, sparse"),
    ("wx_f32", "float32, weather"),
    ("halves", "float16, a map"),
    ("ts_i64", "int64, timestamps"),
    ("outliers", "int32, outliers"),
    ("tallies", "int32, counts"),
    ("mri_i16", "int16, brain scan"),
    ("audio", "int16, audio"),
    ("points", "points, 12 bytes"),
    ("records", "records, 22 bytes"),
    ("rows", "rows, 24 bytes"),
    ("photo", "pixels, RGB"),
    ("mask", "mask, bytes"),
    ("text", "text"),
    ("table", "CSV"),
    ("log", "JSON lines"),
    ("genome", "FASTA"),
    ("machine", "shared libraries"),
];

const COLUMNS: usize = 5;
const WIDTH: f64 = 960.0;
const TOP: f64 = 82.0;
/// Distance between panels, and the size of a plot.
const PITCH: [f64; 2] = [188.0, 152.0];
const PLOT: [f64; 2] = [146.0, 106.0];
/// Left end of the first plot, right of its numbers.
const LEFT: f64 = 46.0;

/// Speeds at both ends of the axis, in MB/s.
const SPEEDS: [f64; 2] = [0.5, 4000.0];

/// An entrant, its mark and its label.
const MARKS: [(&str, Mark, &str); 7] = [
    ("default", Mark::Triangle("#7a5195"), "blpk default"),
    ("lz4 -1", Mark::Square("#2f6690"), "lz4 -1"),
    ("zstd -3", Mark::Diamond("#2f6690"), "zstd -3"),
    ("zstd -19", Mark::Diamond("#7fb2d6"), "zstd -19"),
    ("auto fast", Mark::Circle("#f2a154"), "blpk --auto=fast"),
    ("auto balanced", Mark::Circle("#b7410e"), "balanced"),
    ("auto small", Mark::Circle("#5c1f06"), "small"),
];

/// The caption.
const ABOUT: [&str; 2] = [
    "Upper right is better. Whole processes, one thread, CPU time. Both axes are logarithmic. The scale of the ratio \
     differs between panels.",
    "Ratios are of the first 4 MiB of a set. So are the speeds of zstd -19, --auto=small and slow fixed settings. All \
     other speeds are of whole sets.",
];

/// Entrants that a line connects.
const CONNECTED: &str = "auto";
const LINE: &str = "#d98a5f";

#[derive(Clone, Copy)]
enum Mark {
    Circle(&'static str),
    Square(&'static str),
    Diamond(&'static str),
    Triangle(&'static str),
    /// A fixed setting.
    Dot,
}

/// Draws `auto.svg` in the folder of the table.
pub fn draw(folder: &Path) -> Result<()> {
    let table = Table::read(folder, "auto.tsv").context("auto.tsv is not there; race auto first")?;
    let panels: Vec<_> = PANELS.iter().filter(|(set, _)| !results(&table, set).points.is_empty()).collect();
    if panels.is_empty() {
        return Ok(());
    }
    let bottom = TOP + PITCH[1] * panels.len().div_ceil(COLUMNS) as f64;
    let mut canvas = Canvas::new(
        WIDTH,
        bottom + 14.0 * ABOUT.len() as f64 + 10.0,
        "Compression ratio over speed in MB/s, by kind of data",
    );
    legend(&mut canvas);
    for (index, (set, title)) in panels.into_iter().enumerate() {
        let (column, row) = ((index % COLUMNS) as f64, (index / COLUMNS) as f64);
        let corner = [LEFT + column * PITCH[0], TOP + row * PITCH[1]];
        panel(&mut canvas, corner, title, &results(&table, set));
    }
    let machine = table.comments.first().map_or("", String::as_str);
    for (line, text) in ABOUT.into_iter().chain([machine]).enumerate() {
        canvas.text([16.0, bottom + 14.0 * line as f64], 11.0, Anchor::Start, GREY, text);
    }
    canvas.save(&folder.join("auto.svg"))
}

/// A result: speed, ratio, and its mark.
type Point = ([f64; 2], Mark);

/// Results for a set.
struct Results {
    points: Vec<Point>,
    /// Points of automatic choice.
    line: Vec<[f64; 2]>,
}

/// Returns the results for a set, the important ones last. All entrants have compressed its start, but start-up would
/// dominate the time of fast ones, so that their speeds are those with the whole set.
fn results(table: &Table, set: &str) -> Results {
    let whole = table.select(&[("set", set), ("part", "whole")]);
    let mut records = table.select(&[("set", set), ("part", "start")]);
    records.retain(|record| !record.text("entrant").ends_with(" frame"));
    records.sort_by_key(rank);
    let at = |record: &Record<'_>| {
        let timed = whole.iter().find(|other| other.text("entrant") == record.text("entrant")).unwrap_or(record);
        [timed.number("compress_MB/s"), record.number("ratio")]
    };
    let mark = |record| rank(record).checked_sub(1).map_or(Mark::Dot, |index| MARKS[index].1);
    let autos = records.iter().filter(|record| record.text("entrant").starts_with(CONNECTED));
    Results { points: records.iter().map(|record| (at(record), mark(record))).collect(), line: autos.map(at).collect() }
}

/// Returns 0 for fixed settings, and otherwise the place in [`MARKS`], counted from 1.
fn rank(record: &Record<'_>) -> usize {
    MARKS.iter().position(|(entrant, ..)| *entrant == record.text("entrant")).map_or(0, |index| index + 1)
}

fn legend(canvas: &mut Canvas) {
    let mut x = 22.0;
    for (mark, label) in MARKS.iter().map(|(_, mark, label)| (*mark, *label)).chain([(Mark::Dot, "fixed settings")]) {
        mark.draw(canvas, [x, 42.0]);
        canvas.text([x + 9.0, 46.0], 12.0, Anchor::Start, DARK, label);
        x += 34.0 + 6.4 * label.len() as f64;
    }
}

fn panel(canvas: &mut Canvas, [left, top]: [f64; 2], title: &str, results: &Results) {
    let bottom = top + PLOT[1];
    let ratios = scale(&results.points);
    let place = |[speed, ratio]: [f64; 2]| {
        let [x, y] = [share(SPEEDS, speed), share(ratios, ratio)];
        [left + x * PLOT[0], bottom - y * PLOT[1]]
    };
    canvas.text([left, top - 5.0], 12.0, Anchor::Start, DARK, title);
    for tick in ticks(SPEEDS, &[1.0]) {
        let [x, _] = place([tick, ratios[0]]);
        canvas.line([x, top], [x, bottom], PALE);
        canvas.text([x, bottom + 13.0], 10.0, Anchor::Middle, GREY, tick);
    }
    for tick in ratio_ticks(ratios) {
        let [_, y] = place([SPEEDS[0], tick]);
        canvas.line([left, y], [left + PLOT[0], y], PALE);
        canvas.text([left - 4.0, y + 3.5], 10.0, Anchor::End, GREY, tick);
    }
    for ends in results.line.windows(2) {
        canvas.line(place(ends[0]), place(ends[1]), LINE);
    }
    for (point, mark) in &results.points {
        mark.draw(canvas, place(*point));
    }
}

/// Returns the ends of the axis of ratios, with room around the points.
fn scale(points: &[Point]) -> [f64; 2] {
    let ratios = || points.iter().map(|([_, ratio], _)| *ratio);
    let (low, high) = (ratios().fold(f64::MAX, f64::min), ratios().fold(0.0, f64::max));
    // At least a factor of 1.5, so that small differences look small.
    let widened = (1.5 / (high / low)).max(1.0).sqrt();
    [low / widened / 1.07, high * widened * 1.07]
}

/// Returns where on a logarithmic axis a value is: 0 to 1.
fn share([low, high]: [f64; 2], value: f64) -> f64 {
    ((value / low).ln() / (high / low).ln()).clamp(0.0, 1.0)
}

/// Returns two to five numbers on the axis.
fn ratio_ticks(range: [f64; 2]) -> Vec<f64> {
    let sets: [&[f64]; 4] =
        [&[1.0], &[1.0, 3.0], &[1.0, 2.0, 5.0], &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0]];
    let all = sets.map(|digits| ticks(range, digits));
    let enough = all.iter().find(|ticks| (2..=5).contains(&ticks.len()) && ticks.len() > 2);
    enough.or(all.iter().rev().find(|ticks| ticks.len() <= 5)).cloned().unwrap_or_default()
}

/// Returns the numbers of these digits within the range.
fn ticks([low, high]: [f64; 2], digits: &[f64]) -> Vec<f64> {
    let numbers = (-1..5).flat_map(|exponent| digits.iter().map(move |digit| digit * 10f64.powi(exponent)));
    numbers.filter(|number| (low..=high).contains(number)).map(|number| (number * 100.0).round() / 100.0).collect()
}

impl Mark {
    fn draw(self, canvas: &mut Canvas, at: [f64; 2]) {
        match self {
            Mark::Circle(colour) => canvas.circle(at, 4.2, colour),
            Mark::Square(colour) => canvas.rect([at[0] - 3.3, at[1] - 3.3], [6.6, 6.6], colour),
            Mark::Diamond(colour) => {
                canvas.polygon(at, &[[0.0, -4.8], [4.8, 0.0], [0.0, 4.8], [-4.8, 0.0]], colour);
            }
            Mark::Triangle(colour) => canvas.polygon(at, &[[0.0, -4.6], [4.4, 3.6], [-4.4, 3.6]], colour),
            Mark::Dot => canvas.circle(at, 1.6, "#aaa"),
        }
    }
}
