//! Automatic choice in one process: the typesize that it detects, and its share of the time.
//!
//! A set is compressed in chunks of the goal's size with one advisor and one encoder, as a file is. The same is done with the
//! right typesize. The share is the advisor's CPU time in that of both.

use crate::clock::Clock;
use crate::data::{self, Set};
use crate::options::Options;
use crate::race::median;
use crate::table;
use anyhow::{Context, Result};
use blosc_core::{Advisor, Auto, CParams, Codec, Encoder, Goal};

/// With [`Goal::Small`], only this part of a set is compressed, because that takes seconds per MiB.
const START: usize = 4 << 20;

/// The goals, and how many times a set is compressed with each.
const GOALS: [(Goal, usize); 3] = [(Goal::Fast, 3), (Goal::Balanced, 3), (Goal::Small, 1)];

const COLUMNS: &str = "set\tgoal\tbytes\ttypesize\tdetected\tis_right\tsize_to_told\tsearches\tshare\tchosen\ttold";

/// A set that was compressed.
struct Pass {
    advising: f64,
    encoding: f64,
    cbytes: usize,
    searches: usize,
    /// The parameters of the first chunk.
    params: CParams,
}

/// One set and goal.
struct Row<'a> {
    set: &'a Set,
    goal: Goal,
    nbytes: usize,
    detected: Pass,
    told: Pass,
    share: f64,
}

/// Measures every goal and set, and writes the table.
pub fn run(options: &Options, machine: &str) -> Result<()> {
    let sets = match &options.data {
        Some(folder) => data::with_corpus(folder, &options.sets)?,
        None => data::made(),
    };
    println!(
        "{machine}\n\ntypesize, that detected, size relative to that with the right typesize, searches, share in %\n"
    );
    let mut lines = Vec::new();
    for (goal, rounds) in GOALS.into_iter().filter(|(goal, _)| !options.quick || *goal != Goal::Small) {
        for set in &sets {
            let row = measure(set, goal, options.length(rounds, 0.0).rounds).with_context(|| set.name.clone())?;
            row.print();
            lines.push(row.tsv());
        }
    }
    match &options.out {
        Some(folder) => table::write(folder, "advise.tsv", machine, COLUMNS, &lines),
        None => Ok(()),
    }
}

fn measure(set: &Set, goal: Goal, rounds: usize) -> Result<Row<'_>> {
    let plain = if goal == Goal::Small { &set.bytes[..set.bytes.len().min(START)] } else { &set.bytes };
    let mut detected = compress(plain, Auto::new(goal))?;
    let mut shares = vec![detected.share()];
    for _ in 1..rounds {
        detected = compress(plain, Auto::new(goal))?;
        shares.push(detected.share());
    }
    let told = compress(plain, Auto::new(goal).typesize(set.typesize))?;
    Ok(Row { set, goal, nbytes: plain.len(), detected, told, share: median(shares.into_iter()) })
}

fn compress(plain: &[u8], auto: Auto) -> Result<Pass> {
    let size = auto.goal().chunk_size();
    let mut advisor = Advisor::new(auto);
    let mut pass = Pass { advising: 0.0, encoding: 0.0, cbytes: 0, searches: 0, params: CParams::new() };
    let mut encoder: Option<(CParams, Encoder)> = None;
    let mut room = vec![0; blosc_core::max_cbytes(plain.len().min(size))];
    for (number, chunk) in plain.chunks(size).enumerate() {
        let start = Clock::Thread.now();
        let advice = advisor.advise(chunk)?;
        let advised = Clock::Thread.now();
        if encoder.as_ref().is_none_or(|(params, _)| *params != advice.params) {
            encoder = Some((advice.params, Encoder::new(advice.params)?));
        }
        let (_, encoder) = encoder.as_mut().context("no encoder")?;
        pass.cbytes += encoder.compress_into(chunk, &mut room)?;
        pass.advising += advised - start;
        pass.encoding += Clock::Thread.now() - advised;
        pass.searches += usize::from(advice.is_searched);
        if number == 0 {
            pass.params = advice.params;
        }
    }
    Ok(pass)
}

impl Pass {
    fn share(&self) -> f64 {
        self.advising / (self.advising + self.encoding)
    }
}

impl Row<'_> {
    fn size_to_told(&self) -> f64 {
        self.detected.cbytes as f64 / self.told.cbytes as f64
    }

    /// Returns whether the detected typesize is the right one, or serves as well. Without a filter it has no effect.
    fn is_right(&self) -> bool {
        let is_plain = |pass: &Pass| pass.params.get_filters().as_slice().is_empty();
        self.detected.params.get_typesize() == self.set.typesize
            || is_plain(&self.detected) && is_plain(&self.told)
            || self.size_to_told() <= 1.0
    }

    fn print(&self) {
        let Row { set, goal, detected, told, share, .. } = self;
        println!(
            "{:9} {goal:9} {:3} {:3} {:3} {:6.3} {:3} {:5.1}  {} / {}",
            set.name,
            set.typesize,
            detected.params.get_typesize(),
            if self.is_right() { "" } else { "NO" },
            self.size_to_told(),
            detected.searches,
            share * 100.0,
            describe(&detected.params),
            describe(&told.params)
        );
    }

    fn tsv(&self) -> String {
        let Row { set, goal, nbytes, detected, told, share } = self;
        format!(
            "{}\t{goal}\t{nbytes}\t{}\t{}\t{}\t{:.4}\t{}\t{share:.4}\t{}\t{}",
            set.name,
            set.typesize,
            detected.params.get_typesize(),
            u8::from(self.is_right()),
            self.size_to_told(),
            detected.searches,
            describe(&detected.params),
            describe(&told.params)
        )
    }
}

/// Writes `zstd -3 shuffle 4` or `lz4 level 5 none 1`.
fn describe(params: &CParams) -> String {
    let (codec, filters, typesize) = (params.get_codec(), params.get_filters(), params.get_typesize());
    let filters = if filters.as_slice().is_empty() { "none".to_owned() } else { filters.to_string() };
    match params.get_zstd_level() {
        Some(level) if codec == Codec::Zstd => format!("{codec} {level} {filters} {typesize}"),
        _ => format!("{codec} level {} {filters} {typesize}", params.get_clevel()),
    }
}
