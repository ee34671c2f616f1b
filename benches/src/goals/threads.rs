//! Goals for threads: measured scaling, and the serial part of a call.

use super::{Goal, Least, Most, Sample};
use crate::race::geometric_mean;
use crate::table::Table;

const DIRECTIONS: [(&str, &str); 2] =
    [("compress", "ours_to_peer_compress"), ("decompress", "ours_to_peer_decompress")];

/// Two threads compared with one, and the same for a copy. Only sets where copying gains from threads count.
pub(super) fn of_scaling(threads: &Table) -> Vec<Goal> {
    let mut goals = Vec::new();
    for codec in ["blosclz", "lz4", "zstd"] {
        let copying = |set: &str| {
            let time = |peer| {
                let records = threads.select(&[("codec", codec), ("peer", peer), ("set", set)]);
                geometric_mean(records.iter().map(|record| record.number("ours_to_peer_decompress")))
            };
            time("memcpy, 1 thread") / time("memcpy")
        };
        let alone = threads.select(&[("codec", codec), ("peer", "ours, 1 thread")]);
        if alone.is_empty() {
            continue;
        }
        let of_copies = geometric_mean(alone.iter().map(|record| copying(record.text("set"))));
        let records: Vec<_> = alone.iter().copied().filter(|record| copying(record.text("set")) >= 1.8).collect();
        let name = format!("{codec}, 2 threads to 1 ({} sets where memcpy scales)", records.len());
        if records.is_empty() {
            println!("{name}: not measurable on this machine, where memcpy gains {of_copies:.2}");
            continue;
        }
        for (figure, column) in DIRECTIONS {
            goals.push(Goal::mean(&name, figure, Least(1.8), Sample::of(&records, "set", column)));
        }
    }
    goals
}

/// Serial share of a call that distributes the blocks of a chunk of 4 MiB or more.
pub(super) fn of_serial_parts(serial: &Table) -> Vec<Goal> {
    let goal = |(figure, _)| {
        let records = serial.select(&[("direction", figure)]);
        let is_large = |size: &str| size.parse().is_ok_and(|size: usize| size >= 4 << 20);
        let label = |column| move |record: &crate::table::Record<'_>| record.text(column).to_owned();
        let taken = records.iter().filter(|record| is_large(record.text("size")));
        let name = |record| [label("codec"), label("size"), label("set")].map(|label| label(record)).join(" ");
        let sample = Sample(taken.map(|record| (name(record), record.number("serial_share"))).collect());
        (!sample.is_empty())
            .then(|| Goal::every("serial share of chunks of 4 MiB and more", figure, Most(0.02), sample))
    };
    DIRECTIONS.into_iter().filter_map(goal).collect()
}
