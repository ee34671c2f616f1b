//! Draws the picture in README: our speed as a multiple of C-Blosc2's, codec by codec, from chunks.tsv.

use crate::race::geometric_mean;
use crate::table::Table;
use anyhow::{Context, Result};
use std::fmt::Write as _;
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
    let svg = picture(&groups, table.comments.first().map_or("", String::as_str));
    let path = folder.join("speed.svg");
    std::fs::write(&path, svg).with_context(|| path.display().to_string())
}

/// A bar's mean, its lowest and its highest data set, and its colour.
type Bar = ((f64, f64, f64), &'static str);

fn picture(groups: &[(&str, [Bar; 2])], machine: &str) -> String {
    let most =
        groups.iter().flat_map(|(_, bars)| bars.iter().map(|((_, _, high), _)| *high)).fold(2.0, f64::max).ceil();
    let x = |value: f64| LEFT + (RIGHT - LEFT) * value / most;
    let bottom = TOP + GROUP * groups.len() as f64;
    let height = bottom + 56.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"16\" y=\"24\" font-size=\"16\" fill=\"#222\">Speed as a multiple of C-Blosc2's</text>\n"
    );
    for ((what, colour), at) in COLOURS.iter().zip([16.0, 116.0]) {
        let _ = writeln!(
            svg,
            "<rect x=\"{at}\" y=\"35\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"{}\" y=\"46\" fill=\"#222\">{what}</text>",
            at + 18.0
        );
    }
    for tick in 0..=most as usize {
        let (at, strong) = (x(tick as f64), tick == 1);
        let colour = if strong { "#222" } else { "#ddd" };
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"{colour}\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{tick}</text>",
            bottom + 16.0
        );
    }
    for (index, (title, bars)) in groups.iter().enumerate() {
        let top = TOP + GROUP * index as f64 + 8.0;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#222\">{title}</text>",
            LEFT - 10.0,
            top + BAR + 4.0
        );
        for (((mean, low, high), colour), offset) in bars.iter().zip([0.0, BAR]) {
            let middle = top + offset + BAR / 2.0;
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\"/>\
                 <line x1=\"{:.1}\" y1=\"{middle:.1}\" x2=\"{:.1}\" y2=\"{middle:.1}\" stroke=\"#222\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" fill=\"#222\">{mean:.2}</text>",
                top + offset,
                x(*mean) - LEFT,
                BAR - 2.0,
                x(*low),
                x(*high),
                x(*high) + 6.0,
                middle + 4.0
            );
        }
    }
    let _ = writeln!(
        svg,
        "<text x=\"16\" y=\"{:.1}\" font-size=\"11\" fill=\"#555\">Level 5, buffers of 1 MiB, one thread; geometric mean over nine data \
         sets (without random bytes), thin line: slowest to fastest set.</text>\n\
         <text x=\"16\" y=\"{:.1}\" font-size=\"11\" fill=\"#555\">{}</text>\n</svg>",
        bottom + 32.0,
        bottom + 47.0,
        machine.replace('&', "&amp;").replace('<', "&lt;")
    );
    svg
}
