//! The best settings, and their command lines.

use super::setting::{Figures, Setting, name_of};
use crate::file_kind::FileKind;
use crate::names::{EXTENSION, of_new_container, quoted_name};
use crate::path_or_stdio::PathOrStdio;

/// A setting that is the best by one or more measures.
pub(crate) struct Winner<'a> {
    pub(crate) best: Vec<&'static str>,
    pub(crate) setting: &'a Setting,
}

/// The name of a measure, and a function that rates a setting by it.
type Measure = (&'static str, fn(&Figures) -> f64);

const MEASURES: [Measure; 4] = [
    ("best ratio", |one| one.ratio),
    ("fastest compression", |one| one.compress),
    ("fastest decompression", |one| one.decompress),
    // Twice the ratio makes up for half of both speeds.
    ("balanced", |one| one.ratio * one.ratio * one.compress * one.decompress),
];

/// Returns the winners in the order of the measures. A setting that saves less than a third of what the best one saves
/// cannot win: storing is always the fastest.
pub(crate) fn winners(figures: &[Figures]) -> Vec<Winner<'_>> {
    let saved = |one: &Figures| 1.0 - 1.0 / one.ratio;
    let most = figures.iter().map(saved).fold(0.0, f64::max);
    let mut winners: Vec<Winner<'_>> = Vec::new();
    for (name, measure) in MEASURES {
        // On a tie, the setting with the best ratio wins: it comes first.
        let worthwhile = figures.iter().filter(|one| saved(one) >= most / 3.0);
        let best = worthwhile.reduce(|best, one| if measure(one) > measure(best) { one } else { best });
        let Some(Figures { setting, .. }) = best else { continue };
        match winners.iter_mut().find(|winner| winner.setting == setting) {
            Some(winner) => winner.best.push(name),
            None => winners.push(Winner { best: vec![name], setting }),
        }
    }
    winners
}

/// Returns the command line that compresses a file with a setting. For a container, it converts the content to a new
/// container.
pub(crate) fn command(setting: &Setting, file: &PathOrStdio, kind: Option<FileKind>) -> String {
    let Setting { goal, codec, clevel, filter, typesize, chunk_size } = setting;
    let (what, output) = match kind {
        None => ("compress", String::new()),
        Some(_) => ("convert", format!(" {}", quoted_name(&of_new_container(file, EXTENSION)))),
    };
    let (codec, filter, size) = (codec.name(), name_of(*filter), size(*chunk_size));
    let file = quoted_name(file.bytes());
    let settings = match goal {
        Some(goal) if *typesize == 0 => format!("--auto={goal}"),
        Some(goal) => format!("--auto={goal} -t {typesize}"),
        None => format!("-c {codec} -l {clevel} -t {typesize} --filter {filter}"),
    };
    format!("blpk {what} {settings} -z {size} {file}{output}")
}

/// Formats a size for `-z`, in the largest unit that divides it.
fn size(nbytes: u64) -> String {
    let units = [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)];
    let whole = units.into_iter().find(|(_, unit)| nbytes >= *unit && nbytes.is_multiple_of(*unit));
    whole.map_or(nbytes.to_string(), |(letter, unit)| format!("{}{letter}", nbytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use blosc_core::{Codec, Filter, Goal};
    use std::path::PathBuf;

    fn named(name: &str) -> PathOrStdio {
        PathBuf::from(name).into()
    }

    fn setting(codec: Codec) -> Setting {
        Setting { goal: None, codec, clevel: 9, filter: Some(Filter::Shuffle), typesize: 4, chunk_size: 1 << 20 }
    }

    #[test]
    fn each_measure_has_its_winner() {
        let figures = [
            (Codec::Zstd, 9.0, 1.0, 5.0),
            (Codec::Zlib, 8.0, 3.0, 5.0),
            (Codec::Lz4, 2.0, 20.0, 20.0),
            (Codec::BloscLz, 1.0, 900.0, 900.0), // stores only
        ];
        let figures = figures.map(|(codec, ratio, compress, decompress)| {
            let setting = setting(codec);
            Figures { setting, ratio, compress, decompress, on_front: true }
        });
        let found: Vec<_> = winners(&figures).into_iter().map(|one| (one.setting.codec, one.best)).collect();
        let fastest = vec!["fastest compression", "fastest decompression", "balanced"];
        assert_eq!(found, [(Codec::Zstd, vec!["best ratio"]), (Codec::Lz4, fastest)]);
        assert!(winners(&[]).is_empty());
    }

    #[test]
    fn commands_can_be_pasted() {
        let line = "-c zstd -l 9 -t 4 --filter shuffle -z 1M";
        let setting = setting(Codec::Zstd);
        for (file, expected) in [
            ("data.bin", "data.bin"),
            ("my data", "'my data'"),
            ("it's", r"'it'\''s'"),
            ("-n", "./-n"),
            ("-", "-"),
            ("a$b", "'a$b'"),
        ] {
            assert_eq!(command(&setting, &named(file), None), format!("blpk compress {line} {expected}"));
        }
        let expected = format!("blpk convert {line} x/a.npy a.new.blp");
        assert_eq!(command(&setting, &named("x/a.npy"), Some(FileKind::Npy)), expected);
        let auto = Setting { goal: Some(Goal::Small), typesize: 0, ..setting };
        assert_eq!(command(&auto, &named("f"), None), "blpk compress --auto=small -z 1M f");
        let auto = Setting { typesize: 4, ..auto };
        assert_eq!(command(&auto, &named("f"), None), "blpk compress --auto=small -t 4 -z 1M f");
        assert_eq!([1 << 20, 3 << 10, 1000, 1025].map(size), ["1M", "3K", "1000", "1025"]);
    }
}
