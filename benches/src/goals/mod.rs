//! Performance goals, checked against the saved tables of the races, without racing again.
//!
//! | file | goals for |
//! |---|---|
//! | `chunks` | speed and size of whole chunks |
//! | `dominated` | cells in which C-Blosc2 is better in speed and size |
//! | `calls` | new contexts, parts of chunks, calls through C |
//! | `threads` | scaling, serial parts of a call |
//! | `parts` | kernels |
//! | `programs` | frames, `blpk` |
//! | `auto` | automatic choice of parameters |

mod auto;
mod calls;
mod chunks;
mod dominated;
mod parts;
mod programs;
mod threads;

use crate::data;
use crate::race::geometric_mean;
use crate::table::{self, Record, Table};
use anyhow::Result;
use std::fmt;
use std::path::Path;

const COLUMNS: &str = "goal\tfigure\twanted\tfound\twanted_of_each\tworst\tworst_set\tverdict";

/// Prints the goals that are met and missed, or only those for automatic choice, and writes all to the tables' folder.
pub fn report(folder: &Path, is_only_auto: bool) -> Result<()> {
    let read = |name| Table::read(folder, name);
    let chunks = read("chunks.tsv");
    let mut goals = Vec::new();
    if let Some(chunks) = &chunks {
        goals.extend(chunks::goals(chunks));
        goals.push(dominated::goal(folder, chunks)?);
    }
    goals.extend(read("contexts.tsv").iter().flat_map(calls::of_contexts));
    goals.extend(read("partial.tsv").iter().flat_map(calls::of_partial_reads));
    goals.extend(read("capi.tsv").iter().flat_map(calls::of_interfaces));
    goals.extend(read("blocks.tsv").iter().flat_map(parts::of_kernels));
    goals.extend(read("threads.tsv").iter().flat_map(threads::of_scaling));
    goals.extend(read("serial.tsv").iter().flat_map(threads::of_serial_parts));
    goals.extend(read("appends.tsv").iter().flat_map(programs::of_appends));
    goals.extend(read("cli.tsv").iter().flat_map(programs::of_programs));
    let others = goals.len();
    goals.extend(read("auto.tsv").iter().flat_map(auto::of_race));
    goals.extend(read("advise.tsv").iter().flat_map(auto::of_choice));

    println!("\n{:54} {:11} {:>7} {:>7} {:9} {:>7}  worst", "goal", "figure", "wanted", "found", "", "each");
    for goal in &goals[if is_only_auto { others } else { 0 }..] {
        println!("{goal}");
    }
    if let Some(chunks) = chunks.as_ref().filter(|_| !is_only_auto) {
        dominated::print_slower(chunks);
    }
    let comments = chunks.map(|chunks| chunks.comments.join("\n")).unwrap_or_default();
    table::write(folder, "goals.tsv", &comments, COLUMNS, &goals.iter().map(Goal::tsv).collect::<Vec<_>>())
}

/// The bound of a figure.
#[derive(Clone, Copy)]
enum Bound {
    Least(f64),
    Most(f64),
}

use Bound::{Least, Most};

impl Bound {
    fn allows(self, value: f64) -> bool {
        match self {
            Least(bound) => value >= bound,
            Most(bound) => value <= bound,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Least(bound) => write!(f, "≥ {bound}"),
            Most(bound) => write!(f, "≤ {bound}"),
        }
    }
}

/// A figure, and what is wanted of its mean and of each set.
struct Goal {
    name: String,
    /// "compress", "size", …
    figure: &'static str,
    wanted: Bound,
    found: f64,
    /// Wanted of each set, if there is such a bound.
    each: Option<Bound>,
    /// The set that is furthest from what is wanted, and its figure.
    worst: Option<(String, f64)>,
}

impl Goal {
    /// A goal for the mean of a sample.
    fn mean(name: impl Into<String>, figure: &'static str, wanted: Bound, sample: Sample) -> Self {
        let worst = sample.worst(wanted);
        Goal { name: name.into(), figure, wanted, found: sample.mean(), each: None, worst }
    }

    /// A goal for the mean over all sets.
    fn mean_of_all(name: impl Into<String>, figure: &'static str, wanted: Bound, sample: Sample) -> Self {
        let found = geometric_mean(sample.0.iter().map(|(_, value)| *value));
        Goal { found, ..Goal::mean(name, figure, wanted, sample) }
    }

    /// A goal for every member of a sample.
    fn every(name: impl Into<String>, figure: &'static str, wanted: Bound, sample: Sample) -> Self {
        let worst = sample.worst(wanted);
        let found = worst.as_ref().map_or(f64::NAN, |(_, value)| *value);
        Goal { name: name.into(), figure, wanted, found, each: None, worst }
    }

    /// A goal for one number.
    fn one(name: impl Into<String>, figure: &'static str, wanted: Bound, found: f64) -> Self {
        Goal { name: name.into(), figure, wanted, found, each: None, worst: None }
    }

    /// Adds a bound on each member of the sample.
    fn each(self, each: Option<Bound>) -> Self {
        Goal { each, ..self }
    }

    fn verdict(&self) -> &'static str {
        let each = match (self.each, &self.worst) {
            (Some(each), Some((_, worst))) => each.allows(*worst),
            _ => true,
        };
        if self.wanted.allows(self.found) && each { "reached" } else { "missed" }
    }

    fn each_text(&self) -> String {
        self.each.map_or(String::new(), |each| each.to_string())
    }

    fn tsv(&self) -> String {
        let Goal { name, figure, wanted, found, .. } = self;
        let (label, worst) = self
            .worst
            .as_ref()
            .map_or((String::new(), String::new()), |(label, worst)| (label.clone(), format!("{worst:.3}")));
        format!("{name}\t{figure}\t{wanted}\t{found:.3}\t{}\t{worst}\t{label}\t{}", self.each_text(), self.verdict())
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Goal { name, figure, wanted, found, .. } = self;
        let (wanted, verdict, each) = (wanted.to_string(), self.verdict(), self.each_text());
        write!(f, "{name:54} {figure:11} {wanted:>7} {found:>7.3} {verdict:9} {each:>7}")?;
        self.worst.iter().try_for_each(|(label, worst)| write!(f, "  {label} {worst:.3}"))
    }
}

/// Figures with their labels, which are names of data sets or of cases.
struct Sample(Vec<(String, f64)>);

impl Sample {
    /// Takes the figures of a column.
    fn of(records: &[Record<'_>], label: &str, column: &str) -> Self {
        Sample(records.iter().map(|record| (record.text(label).to_owned(), record.number(column))).collect())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the geometric mean, over the core sets if the labels name sets.
    fn mean(&self) -> f64 {
        let has_core = self.0.iter().any(|(label, _)| data::is_core(label));
        let taken = self.0.iter().filter(|(label, _)| !has_core || data::is_core(label));
        geometric_mean(taken.map(|(_, value)| *value))
    }

    /// Returns the member that is furthest from what is wanted, of all sets.
    fn worst(&self, wanted: Bound) -> Option<(String, f64)> {
        let by_value = |a: &&(String, f64), b: &&(String, f64)| a.1.total_cmp(&b.1);
        match wanted {
            Least(_) => self.0.iter().min_by(by_value).cloned(),
            Most(_) => self.0.iter().max_by(by_value).cloned(),
        }
    }
}
