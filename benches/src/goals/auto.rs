//! Goals for automatic choice: beside `zstd`, `lz4` and the best fixed settings, and for the choice itself.

use super::{Goal, Least, Most, Sample};
use crate::table::{Record, Table};

/// Results of whole sets, which a quick race does not have, and of their first 4 MiB, on which slow programs race.
const WHOLE: &str = "whole";
const START: &str = "start";

/// Files and frames.
const ENDINGS: [&str; 2] = ["", " frame"];

/// The ratio beside that of another program: at most 2 % smaller.
const AS_SMALL: f64 = 0.98;

/// A setting is of the same speed class if it is at most this much slower in both directions.
const SPEED_CLASS: f64 = 0.9;

/// Sets of this size or larger have a bound on the time of the choice.
const LARGE: f64 = 16e6;

/// Goals for whole processes.
pub(super) fn of_race(race: &Table) -> Vec<Goal> {
    let part = if race.select(&[("part", WHOLE)]).is_empty() { START } else { WHOLE };
    let mut goals = Vec::new();
    for ending in ENDINGS {
        let balanced = Pairs::new(race, part, &format!("auto balanced{ending}"), |_, peer| is_named(peer, "zstd -3"));
        goals.extend(balanced.faster_and_smaller("zstd -3", 1.25, 3.0));
        let fast = Pairs::new(race, part, &format!("auto fast{ending}"), |_, peer| is_named(peer, "lz4 -1"));
        goals.extend(fast.faster_and_smaller("lz4 -1", 1.4, 1.0));
        for goal in ["balanced", "fast"] {
            let pairs = Pairs::new(race, part, &format!("auto {goal}{ending}"), is_of_class);
            goals.extend(pairs.goal("the best setting of its speed", "size", Most(1.03), Pairs::sizes));
        }
        let small = format!("auto small{ending}");
        let zstd = Pairs::new(race, START, &small, |_, peer| is_named(peer, "zstd -19"));
        goals.extend(zstd.goal("zstd -19", "size", Most(1.02), Pairs::sizes));
        goals.extend(zstd.goal("zstd -19", "time", Most(0.25), Pairs::times));
        let best = Pairs::new(race, START, &small, is_fixed);
        goals.extend(best.goal("the best setting", "size", Most(1.01), Pairs::sizes));
        goals.extend(best.goal("the best setting", "time", Most(2.0), Pairs::times));
    }
    for record in race.select(&[("set", "start-up")]).iter().filter(|record| record.text("entrant").starts_with("auto"))
    {
        let name = format!("start-up of blpk with {}", record.text("entrant"));
        goals.push(Goal::one(name, "ms", Most(1.5), record.number("compress_ms")));
    }
    goals
}

/// Goals for the choice itself.
pub(super) fn of_choice(advise: &Table) -> Vec<Goal> {
    let mut goals = Vec::new();
    for goal in ["fast", "balanced", "small"] {
        let records = advise.select(&[("goal", goal)]);
        if records.is_empty() {
            continue;
        }
        let right = records.iter().map(|record| record.number("is_right")).sum::<f64>() / records.len() as f64;
        goals.push(Goal::one(format!("auto {goal}, typesizes detected"), "share", Least(0.95), right));
        let sizes = Sample::of(&records, "set", "size_to_told");
        goals.push(Goal::every(format!("auto {goal}, to the right typesize"), "size", Most(1.05), sizes));
        let large: Vec<_> = records.into_iter().filter(|record| record.number("bytes") >= LARGE).collect();
        if !large.is_empty() {
            let shares = Sample::of(&large, "set", "share");
            goals.push(Goal::every(format!("auto {goal}, share of the choice"), "time", Most(0.03), shares));
        }
    }
    goals
}

/// Results of an entrant, each with the best peer on the same bytes.
struct Pairs<'a> {
    entrant: String,
    pairs: Vec<(Record<'a>, Record<'a>)>,
}

impl<'a> Pairs<'a> {
    /// Pairs every result with that of the smallest peer for which `is_peer` holds. Sets without a peer are left out.
    fn new(
        race: &'a Table,
        part: &str,
        entrant: &str,
        is_peer: impl Fn(&Record<'a>, &Record<'a>) -> bool,
    ) -> Pairs<'a> {
        let ours = race.select(&[("part", part), ("entrant", entrant)]);
        let with_peer = |ours: Record<'a>| {
            let mut peers = race.select(&[("part", part), ("set", ours.text("set"))]);
            peers.retain(|peer| is_peer(&ours, peer));
            let smallest = peers.into_iter().min_by(|a, b| a.number("cbytes").total_cmp(&b.number("cbytes")))?;
            Some((ours, smallest))
        };
        Pairs { entrant: entrant.to_owned(), pairs: ours.into_iter().filter_map(with_peer).collect() }
    }

    /// The bounds on size and both speeds: of every set, and of the means.
    fn faster_and_smaller(&self, peer: &str, ratio: f64, speed: f64) -> Vec<Goal> {
        if self.pairs.is_empty() {
            return Vec::new();
        }
        let goal = |figure, wanted, each, sample| {
            Goal::mean_of_all(format!("{} to {peer}", self.entrant), figure, Least(wanted), sample)
                .each(Some(Least(each)))
        };
        vec![
            goal("ratio", ratio, AS_SMALL, self.quotients(|ours, peer| peer.number("cbytes") / ours.number("cbytes"))),
            goal("compress", speed, 1.0, self.quotients(|ours, peer| faster(ours, peer, "compress_ms"))),
            goal("decompress", 1.0, 1.0, self.quotients(|ours, peer| faster(ours, peer, "decompress_ms"))),
        ]
    }

    /// A bound on every set.
    fn goal(
        &self,
        peer: &str,
        figure: &'static str,
        wanted: super::Bound,
        sample: fn(&Self) -> Sample,
    ) -> Option<Goal> {
        let name = format!("{} to {peer}", self.entrant);
        (!self.pairs.is_empty()).then(|| Goal::every(name, figure, wanted, sample(self)))
    }

    fn sizes(&self) -> Sample {
        self.quotients(|ours, peer| ours.number("cbytes") / peer.number("cbytes"))
    }

    fn times(&self) -> Sample {
        self.quotients(|ours, peer| 1.0 / faster(ours, peer, "compress_ms"))
    }

    fn quotients(&self, quotient: impl Fn(&Record<'a>, &Record<'a>) -> f64) -> Sample {
        let label = |ours: &Record<'_>, peer: &Record<'_>| format!("{} ({})", ours.text("set"), peer.text("entrant"));
        Sample(self.pairs.iter().map(|(ours, peer)| (label(ours, peer), quotient(ours, peer))).collect())
    }
}

fn faster(ours: &Record<'_>, peer: &Record<'_>, time: &str) -> f64 {
    peer.number(time) / ours.number(time)
}

fn is_named(record: &Record<'_>, name: &str) -> bool {
    record.text("entrant") == name
}

/// Returns whether `peer` is a fixed setting of ours. Frames have filters that files do not have.
fn is_fixed(ours: &Record<'_>, peer: &Record<'_>) -> bool {
    let (entrant, is_frame) = (peer.text("entrant"), |record: &Record<'_>| record.text("entrant").ends_with(" frame"));
    let is_other = entrant.starts_with("auto") || entrant.contains(" -");
    !is_other && (is_frame(ours) || !is_frame(peer))
}

/// Returns whether `peer` is a fixed setting about as fast as ours in both directions, or faster.
fn is_of_class(ours: &Record<'_>, peer: &Record<'_>) -> bool {
    let is_fast = |time| faster(ours, peer, time) <= 1.0 / SPEED_CLASS;
    is_fixed(ours, peer) && is_fast("compress_ms") && is_fast("decompress_ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
set\tpart\tentrant\tcbytes\tcompress_ms\tdecompress_ms
a\twhole\tauto balanced\t100\t10\t5
a\twhole\tzstd -3\t150\t40\t10
a\twhole\tlz4 1 none\t90\t12\t5
a\twhole\tzstd 1 shuffle,bytedelta frame\t50\t10\t5
a\twhole\tlz4 9 none\t102\t11\t5
start-up\t\tauto fast\t90\t1.4\t
";

    fn found(name: &str, figure: &str) -> Option<(f64, &'static str)> {
        let goals = of_race(&Table::parse(TABLE)?);
        let goal = goals.iter().find(|goal| goal.name == name && goal.figure == figure)?;
        Some(((goal.found * 1e4).round() / 1e4, goal.verdict()))
    }

    #[test]
    fn automatic_choice_is_compared_with_the_right_peers() {
        assert_eq!(found("auto balanced to zstd -3", "ratio"), Some((1.5, "reached")));
        assert_eq!(found("auto balanced to zstd -3", "compress"), Some((4.0, "reached")));
        // `lz4 1 none` is smaller but slower, and a file does not have the filters of a frame.
        assert_eq!(found("auto balanced to the best setting of its speed", "size"), Some((0.9804, "reached")));
        assert_eq!(found("start-up of blpk with auto fast", "ms"), Some((1.4, "reached")));
        assert_eq!(found("auto fast to lz4 -1", "ratio"), None);
    }
}
