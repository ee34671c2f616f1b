//! Our speed as a multiple of C-Blosc2's, codec by codec, from chunks.tsv.

use super::canvas::{Anchor, Canvas, DARK, GREY, PALE};
use crate::race::geometric_mean;
use crate::table::Table;
use anyhow::{Context, Result};
use std::path::Path;

/// The bars: codec, level and filter, and the label.
const GROUPS: [(&str, &str, &str, &str); 6] = [
    ("lz4", "5", "shuffle", "LZ4, shuffle"),
    ("lz4", "5", "bitshuffle", "LZ4, bitshuffle"),
    ("blosclz", "5", "shuffle", "BloscLZ, shuffle"),
    ("lz4hc", "5", "shuffle", "LZ4HC, shuffle"),
    ("zlib", "5", "shuffle", "zlib, shuffle"),
    ("zstd", "5", "shuffle", "Zstandard, shuffle"),
];

const SIZE: &str = "1048576";
/// Left out: it is stored uncompressed, hundreds of times as fast as with slow codecs, and would dominate a mean.
const NOISE: &str = "rand";
const WIDTH: f64 = 760.0;
/// Left end of the bars, and the furthest right end.
const LEFT: f64 = 150.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 64.0;
const BAR: f64 = 15.0;
const GROUP: f64 = 2.0 * BAR + 16.0;
const COLOURS: [(&str, &str); 2] = [("compress", "#b7410e"), ("decompress", "#2f6690")];

/// Draws `speed.svg` in the folder of the table.
pub fn draw(folder: &Path) -> Result<()> {
    let table = Table::read(folder, "chunks.tsv").context("chunks.tsv is not there; race chunks first")?;
    let mut groups = Vec::new();
    for (codec, level, filter, title) in GROUPS {
        let config = [("codec", codec), ("level", level), ("filter", filter), ("size", SIZE), ("peer", "C-Blosc2")];
        let mut records = table.select(&config);
        records.retain(|record| record.text("set") != NOISE);
        if records.is_empty() {
            continue;
        }
        let bar = |what: &str| {
            let values = records.iter().map(|record| record.number(&format!("ours_to_peer_{what}")));
            let (low, high) = values.clone().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
            (geometric_mean(values), low, high)
        };
        groups.push((title, COLOURS.map(|(what, colour)| (bar(what), colour))));
    }
    picture(&groups, table.comments.first().map_or("", String::as_str)).save(&folder.join("speed.svg"))
}

/// A bar's mean, its lowest and its highest data set, and its colour.
type Bar = ((f64, f64, f64), &'static str);

fn picture(groups: &[(&str, [Bar; 2])], machine: &str) -> Canvas {
    let bars = || groups.iter().flat_map(|(_, bars)| bars);
    let most = bars().map(|((_, _, high), _)| *high).fold(2.0, f64::max).ceil();
    let x = |value: f64| LEFT + (RIGHT - LEFT) * value / most;
    let bottom = TOP + GROUP * groups.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + 56.0, "Speed as a multiple of C-Blosc2's");
    for ((what, colour), at) in COLOURS.iter().zip([16.0, 116.0]) {
        canvas.rect([at, 35.0], [12.0, 12.0], colour);
        canvas.text([at + 18.0, 46.0], 13.0, Anchor::Start, DARK, what);
    }
    for tick in 0..=most as usize {
        let at = x(tick as f64);
        canvas.line([at, TOP], [at, bottom], if tick == 1 { DARK } else { PALE });
        canvas.text([at, bottom + 16.0], 13.0, Anchor::Middle, GREY, tick);
    }
    for (index, (title, bars)) in groups.iter().enumerate() {
        let top = TOP + GROUP * index as f64 + 8.0;
        canvas.text([LEFT - 10.0, top + BAR + 4.0], 13.0, Anchor::End, DARK, title);
        for (((mean, low, high), colour), top) in bars.iter().zip([top, top + BAR]) {
            let middle = top + BAR / 2.0;
            canvas.rect([LEFT, top], [x(*mean) - LEFT, BAR - 2.0], colour);
            canvas.line([x(*low), middle], [x(*high), middle], DARK);
            canvas.text([x(*high) + 6.0, middle + 4.0], 13.0, Anchor::Start, DARK, format_args!("{mean:.2}"));
        }
    }
    let about = "Level 5, buffers of 1 MiB, one thread; geometric mean over nine data sets (without random bytes), \
                 thin line: slowest to fastest set.";
    canvas.text([16.0, bottom + 32.0], 11.0, Anchor::Start, GREY, about);
    canvas.text([16.0, bottom + 47.0], 11.0, Anchor::Start, GREY, machine);
    canvas
}
