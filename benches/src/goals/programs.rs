//! Goals for frames and for `blpk`.

use super::{Goal, Least, Most, Sample};
use crate::table::Table;

/// `blpk` compared with another program: compress and decompress.
const PROGRAMS: [(&str, [f64; 2]); 3] = [("reference blpk", [3.0, 2.5]), ("lz4", [1.0, 1.0]), ("zstd -T0", [1.0, 1.0])];

/// An append to the largest frame takes at most 1.5 times as long as one to the smallest.
const GROWTH: f64 = 1.5;

/// Seconds of the start-up of `blpk`, in milliseconds.
const START_UP: f64 = 1.0;

/// One append to the largest frame: compared with C-Blosc2, and with our append to the smallest frame.
pub(super) fn of_appends(appends: &Table) -> Vec<Goal> {
    let Some(largest) = appends.select(&[("peer", "C-Blosc2")]).last().copied() else { return Vec::new() };
    let mib = largest.text("frame_mib");
    let ours = appends.select(&[("peer", "ours"), ("frame_mib", mib)]);
    let growth = ours.first().map_or(f64::NAN, |ours| ours.number("to_smallest_frame"));
    vec![
        Goal::one(format!("append to {mib} MiB, to C-Blosc2"), "speed", Least(1.0), largest.number("ours_to_peer")),
        Goal::one(format!("append to {mib} MiB, to a small frame"), "time", Most(GROWTH), growth),
    ]
}

pub(super) fn of_programs(cli: &Table) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (peer, wanted) in PROGRAMS {
        for (figure, wanted) in ["compress", "decompress"].into_iter().zip(wanted) {
            let records = cli.select(&[("what", figure), ("threads", "default"), ("peer", peer)]);
            if !records.is_empty() {
                let sample = Sample::of(&records, "peer", "ours_to_peer");
                goals.push(Goal::mean(format!("blpk to {peer}"), figure, Least(wanted), sample));
            }
        }
    }
    for record in cli.select(&[("what", "start-up")]) {
        goals.push(Goal::one("start-up of blpk", "ms", Most(START_UP), record.number("ours_s") * 1e3));
    }
    goals
}
