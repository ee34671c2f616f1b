//! Goals for kernels.

use super::{Goal, Least, Sample};
use crate::table::Table;

/// State of the caches, kernel and its inverse, typesizes, peer, and the wanted ratios.
type Kernels = (&'static str, [&'static str; 2], &'static [usize], &'static str, [f64; 2]);

const SHUFFLES: [&str; 2] = ["shuffle", "unshuffle"];
const BITSHUFFLES: [&str; 2] = ["bitshuffle", "bitunshuffle"];

const KERNELS: [Kernels; 6] = [
    ("", SHUFFLES, &[3, 6, 12, 24], "C-Blosc2", [10.0; 2]),
    ("", BITSHUFFLES, &[1, 2, 4, 8, 16], "C-Blosc2", [3.0, 4.0]),
    ("cold ", SHUFFLES, &[2, 4, 8, 16], "memcpy", [0.9; 2]),
    ("cold ", SHUFFLES, &[2, 4, 8, 16], "C-Blosc2", [1.0; 2]),
    ("cold ", BITSHUFFLES, &[2, 4, 8, 16], "memcpy", [0.7; 2]),
    ("cold ", BITSHUFFLES, &[2, 4, 8, 16], "C-Blosc2", [1.0; 2]),
];

pub(super) fn of_kernels(blocks: &Table) -> Vec<Goal> {
    let mut goals = Vec::new();
    for (state, kernels, typesizes, peer, wanted) in KERNELS {
        for (kernel, wanted) in kernels.into_iter().zip(wanted) {
            let case = |typesize| format!("{state}{kernel} {typesize}");
            let beside = |typesize| blocks.select(&[("case", case(typesize).as_str()), ("peer", peer)]);
            let records: Vec<_> = typesizes.iter().flat_map(beside).collect();
            if !records.is_empty() {
                let name = format!("{state}{kernel} {typesizes:?} to {peer}");
                goals.push(Goal::mean(name, "speed", Least(wanted), Sample::of(&records, "case", "ours_to_peer")));
            }
        }
    }
    goals
}
