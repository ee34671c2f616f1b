//! A hint that other settings suit a file much better than the default ones.

use crate::path_or_stdio::PathOrStdio;
use crate::pieces;
use blosc_core::{Auto, CParams, Codec, FilterPipeline, Goal, memory};

/// The sample: pieces of a file, and bytes of each.
const PIECES: u64 = 4;
const PIECE: u64 = 16 << 10;

/// Smaller files get no hint: the sample would take more than a hundredth of the time.
const MIN_SIZE: u64 = 32 << 20;

/// The loss that is worth a hint: the factor between the outputs, and their difference as a share of the input.
const MIN_FACTOR: f64 = 1.3;
const MIN_SHARE: f64 = 0.02;

/// The default settings.
const DEFAULTS: CParams = CParams::new().codec(Codec::BloscLz).clevel(7).typesize(8);

/// Returns a hint, if other settings would make the output much smaller. It names the file unless that is `only`.
pub(super) fn hint(operand: &PathOrStdio, only: bool) -> Option<String> {
    let PathOrStdio::File(path) = operand else { return None };
    path.metadata().ok().filter(|found| found.is_file() && found.len() >= MIN_SIZE)?;
    // Best effort: failures are ignored.
    let mut sample = Vec::new();
    pieces::read(path, PIECE, PIECES).ok()?.iter().try_for_each(|piece| memory::extend(&mut sample, piece)).ok()?;
    let (what, factor) = advice(&sample)?;
    let name = if only { String::new() } else { format!("'{operand}': ") };
    Some(format!("{name}{what} would make it about {factor:.1} times smaller"))
}

/// Returns what suits the data, and how much smaller it gets. LZ4 finds the arrangement of the bytes at little cost, and
/// the ratio with the default codec is a lower bound for `--auto`.
fn advice(sample: &[u8]) -> Option<(String, f64)> {
    let cbytes = |params: &CParams| Some(blosc_core::compress(sample, params).ok()?.len() as f64);
    let default = cbytes(&DEFAULTS)?;
    let chosen = Auto::new(Goal::Fast).codec(Codec::Lz4).clevel(5).params(sample).ok()?;
    let typesize = chosen.get_typesize();
    let (what, suitable) = match chosen.get_filters() == FilterPipeline::none() {
        true => ("shuffle does not suit this data; -s or --auto".into(), DEFAULTS.filters(FilterPipeline::none())),
        false => {
            let what = format!("this looks like {typesize}-byte data; -t {typesize} or --auto");
            (what, DEFAULTS.typesize(typesize))
        }
    };
    let is_worthwhile =
        |cbytes: f64| default / cbytes >= MIN_FACTOR && default - cbytes >= MIN_SHARE * sample.len() as f64;
    let options = [(what, cbytes(&suitable)?), ("--auto".into(), cbytes(&chosen)?)];
    options.into_iter().find(|(_, cbytes)| is_worthwhile(*cbytes)).map(|(what, cbytes)| (what, default / cbytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsuitable_defaults_are_named() {
        // Records of a random byte, three zeros, and two constants of 4 bytes.
        let record = |byte| [byte, 0, 0, 0, 9, 1, 8, 2, 7, 3, 6, 4];
        let records: Vec<u8> = testdata::noise(5000, 1).into_iter().flat_map(record).collect();
        let (what, factor) = advice(&records).unwrap();
        assert!(what == "this looks like 12-byte data; -t 12 or --auto" && factor > 1.3, "{what} {factor}");
        let (what, factor) = advice(&testdata::text(64 << 10, 1)).unwrap();
        assert!(what == "shuffle does not suit this data; -s or --auto" && factor > 1.3, "{what} {factor}");
        assert_eq!(advice(&testdata::ramp(64 << 10, 8, 0)), None);
        assert_eq!(advice(&testdata::noise(64 << 10, 1)), None);
    }
}
