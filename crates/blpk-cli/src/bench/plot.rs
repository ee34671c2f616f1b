//! A sweep as a plot: ratio over speed, one panel for each direction. Every setting is a dot, the front is a line.

use super::setting::Figures;
use std::fmt::Write as _;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 440.0;
/// The two panels: left and right edge.
const PANELS: [(f64, f64); 2] = [(60.0, 450.0), (540.0, 930.0)];
/// Top and bottom edge of both panels.
const TOP: f64 = 70.0;
const BOTTOM: f64 = 390.0;

/// The codecs' names and colours. Their lightness differs enough to distinguish them without colours.
const COLOURS: [(&str, &str); 7] = [
    ("blosclz", "#b7410e"),
    ("lz4", "#2f6690"),
    ("lz4hc", "#7fb2d9"),
    ("snappy", "#8a8a8a"),
    ("zlib", "#d9a441"),
    ("zstd", "#3c7d4b"),
    ("auto", "#6a3d9a"),
];

/// Selects one of the two speeds.
type Speed = fn(&Figures) -> f64;

/// Returns an SVG picture of the figures. `title` says what was measured.
pub(crate) fn plot(title: &str, figures: &[Figures]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" fill=\"#222\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
         <text x=\"60\" y=\"26\" font-size=\"16\">{}</text>\n",
        escaped(title)
    );
    let used = COLOURS.iter().filter(|(name, _)| figures.iter().any(|one| one.setting.name() == *name));
    for (operand, (name, colour)) in used.enumerate() {
        let x = 60.0 + 90.0 * operand as f64;
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"45\" r=\"5\" fill=\"{colour}\"/><text x=\"{}\" y=\"49\">{name}</text>",
            x + 10.0
        );
    }
    let [compress, decompress] = PANELS;
    panel(&mut svg, "compress", figures, |one| one.compress, compress);
    panel(&mut svg, "decompress", figures, |one| one.decompress, decompress);
    svg + "</svg>\n"
}

fn panel(svg: &mut String, name: &str, figures: &[Figures], speed: Speed, (left, right): (f64, f64)) {
    let (slowest, fastest) = decades(figures.iter().map(speed));
    let x = |bytes: f64| left + (right - left) * (bytes.log10() - slowest) / (fastest - slowest);
    let (least, most) = around(figures.iter().map(|one| one.ratio));
    let y = |ratio: f64| BOTTOM - (BOTTOM - TOP) * (ratio / least).ln() / (most / least).ln();
    for decade in slowest as i32..=fastest as i32 {
        let (at, label) = (x(10f64.powi(decade)), decade_name(decade));
        let _ = writeln!(
            svg,
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{BOTTOM}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
            BOTTOM + 16.0
        );
    }
    for ratio in ticks(least, most) {
        let at = y(ratio);
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{ratio}</text>",
            left - 6.0,
            at + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">ratio over speed, {name}</text>",
        (left + right) / 2.0,
        BOTTOM + 36.0
    );
    let line: Vec<String> =
        steps(figures, speed).map(|one| format!("{:.1},{:.1}", x(speed(one)), y(one.ratio))).collect();
    let _ = writeln!(svg, "<polyline points=\"{}\" fill=\"none\" stroke=\"#222\" stroke-width=\"1\"/>", line.join(" "));
    for one in figures {
        let setting = one.setting;
        let colour = COLOURS.iter().find(|(name, _)| *name == setting.name()).map_or("#000", |(_, colour)| colour);
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\" fill-opacity=\"0.8\"><title>{setting}: \
             {:.3}, {:.0} MB/s</title></circle>",
            x(speed(one)),
            y(one.ratio),
            one.ratio,
            speed(one) / 1e6
        );
    }
}

/// Returns the settings that no other setting beats in both ratio and this speed, slowest first.
fn steps(figures: &[Figures], speed: Speed) -> impl Iterator<Item = &Figures> {
    let mut best: Vec<&Figures> = figures
        .iter()
        .filter(|one| !figures.iter().any(|other| other.ratio > one.ratio && speed(other) > speed(one)))
        .collect();
    best.sort_by(|a, b| speed(a).total_cmp(&speed(b)));
    best.into_iter()
}

/// Returns the exponents of the powers of ten around the values.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    let (low, high) = (low.max(1.0).log10().floor(), high.max(1.0).log10().ceil());
    (low, high.max(low + 1.0))
}

fn decade_name(decade: i32) -> String {
    match decade {
        9.. => format!("{} GB/s", 10u64.pow(decade.unsigned_abs() - 9)),
        6..9 => format!("{} MB/s", 10u64.pow(decade.unsigned_abs() - 6)),
        _ => format!("1e{decade} B/s"),
    }
}

/// Returns the range of the ratio axis, with a small margin on both sides. The axis is logarithmic: 1 to 2 is as far as
/// 50 to 100.
fn around(ratios: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = ratios.fold((f64::MAX, 0.0), |(low, high), ratio| (ratio.min(low), ratio.max(high)));
    let margin = (high / low).powf(0.05).max(1.02);
    (low / margin, high * margin)
}

/// Returns round ratios between the two: 1, 2, 5, 10, … if there are enough of them, else equal steps.
fn ticks(least: f64, most: f64) -> Vec<f64> {
    let inside = |tick: &f64| (least..=most).contains(tick);
    let decades = least.log10().floor() as i32..=most.log10().ceil() as i32;
    let round: Vec<f64> = decades.flat_map(|d| [1.0, 2.0, 5.0].map(|n| n * 10f64.powi(d))).filter(inside).collect();
    if round.len() > 2 {
        return round;
    }
    let step = nice_step((most - least) / 5.0);
    let (first, last) = ((least / step).ceil() as u64, (most / step).floor() as u64);
    // Rounded to the digits of the step: 3 * 0.1 is not 0.3.
    let tidy = |tick: u64| (tick as f64 * step * 1e6).round() / 1e6;
    (first..=last).map(tidy).collect()
}

/// Returns the smallest of 1, 2, 5, 10, … that is at least `least`.
fn nice_step(least: f64) -> f64 {
    let decade = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * decade).find(|step| *step >= least).unwrap_or(10.0 * decade)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One setting with a ratio of 100 does not squeeze all others together.
    #[test]
    fn ratios_are_far_apart() {
        let (least, most) = around([1.2, 1.5, 2.0, 120.0].into_iter());
        assert!((0.9..1.2).contains(&least) && (120.0..160.0).contains(&most), "{least} {most}");
        let share = |from: f64, to: f64| (to / from).ln() / (most / least).ln();
        assert!(share(1.2, 2.0) > 0.1 && share(1.2, 1.5) > 0.04);
        // A single ratio has an axis, too.
        let (least, most) = around([3.0].into_iter());
        assert!(least < 3.0 && most > 3.0 && !ticks(least, most).is_empty());
    }

    #[test]
    fn axes_are_round() {
        assert_eq!([0.3, 1.0, 1.1, 2.6, 7.0, 42.0].map(nice_step), [0.5, 1.0, 2.0, 5.0, 10.0, 50.0]);
        assert_eq!(decades([3.0e7, 2.5e9].into_iter()), (7.0, 10.0));
        assert_eq!(decades([1.0e8].into_iter()), (8.0, 9.0));
        assert_eq!(ticks(0.9, 110.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(ticks(1.15, 1.65), [1.2, 1.3, 1.4, 1.5, 1.6]);
        assert_eq!([5, 6, 8, 9, 10].map(decade_name), ["1e5 B/s", "1 MB/s", "100 MB/s", "1 GB/s", "10 GB/s"]);
    }
}
