//! `blpk bench`: measures settings on a sample of the user's data.

use super::settings::in_range;
use crate::args::{BenchArgs, CodecArg};
use crate::bench::{Figures, Sample, Setting, Sweep, TYPESIZES, command, json, plot, table, winners};
use crate::column_advice::ColumnAdvice;
use crate::files;
use crate::path_or_stdio::PathOrStdio;
use crate::privacy::Privacy;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::{Output, open_source};
use anyhow::{Context as _, Result, bail};
use blosc_core::{Codec, Filter, Goal};
use bloscpack_format::bloscpack::{DEFAULT_CHUNK_SIZE, MAX_CHUNK_SIZE};
use std::io::Write as _;
use std::time::{Duration, Instant};

/// Default size of the sample: larger than most caches.
const SAMPLE: u64 = 16 << 20;

/// Default measuring time of each setting, in seconds.
const SECONDS: f64 = 0.3;

/// Default time limit of the whole run, in seconds, on any machine.
const TIME: f64 = 30.0;

/// A run of `blpk bench`.
pub(super) struct Plan {
    operand: PathOrStdio,
    sample: Sample,
    sweep: Sweep,
    /// The output of the picture.
    picture: Option<Output>,
    as_json: bool,
}

impl Plan {
    pub(super) fn new(args: &BenchArgs, session: &Session) -> Result<Plan> {
        let begin = Instant::now();
        let operand = PathOrStdio::from(args.file.clone());
        files::operand_must_exist("file", &operand, ColumnAdvice::ConvertFirst)?;
        let picture = args.plot.clone().map(PathOrStdio::from);
        if picture == Some(PathOrStdio::Standard) {
            bail!("--plot cannot be '-', because the table goes to stdout; name a file");
        }
        // Opened before measuring, so that minutes of work do not end with a refusal.
        let create = |picture| {
            let _privacy = Privacy::of(&operand, &picture)?;
            Output::create(&picture, session.force)
        };
        let picture = picture.map(create).transpose()?;
        let typesizes = args.typesizes.iter().map(|size| in_range("typesize", size, u8::MAX).map(usize::from));
        let mut typesizes = typesizes.collect::<Result<Vec<_>>>()?;
        let mut seen = std::collections::HashSet::new();
        typesizes.retain(|size| seen.insert(*size));
        let cancel = session.cancel();
        let source = open_source(&operand, &cancel)?;
        let sample =
            Sample::of(source, args.sample.unwrap_or(SAMPLE), &typesizes).with_context(|| operand.to_string())?;
        // Codecs, levels and filters that are asked for are measured alone.
        let is_open = args.codecs.is_empty() && args.clevels.is_empty() && args.filters.is_empty();
        let has_auto = is_open || args.codecs.contains(&CodecArg::Auto);
        let fixed = args.codecs.iter().filter_map(|codec| codec.fixed()).collect::<Vec<_>>();
        let sweep = Sweep {
            codecs: if args.codecs.is_empty() { Codec::ALL.into() } else { fixed },
            goals: if has_auto { Goal::NAMED.into() } else { Vec::new() },
            known_typesize: if let [only] = sample.typesizes[..] { Some(only) } else { None },
            clevels: or(&args.clevels, &[1, 5, 9]),
            filters: match args.filters.as_slice() {
                [] => vec![None, Some(Filter::Shuffle), Some(Filter::BitShuffle)],
                filters => filters.iter().map(|filter| filter.0).collect(),
            },
            chunk_sizes: match args.chunk_sizes.as_slice() {
                [] => vec![DEFAULT_CHUNK_SIZE.into()],
                sizes => {
                    let sizes = sizes.iter().map(|size| in_range("chunk-size", size, MAX_CHUNK_SIZE).map(u64::from));
                    sizes.collect::<Result<_>>()?
                }
            },
            seconds: args.seconds.unwrap_or(SECONDS),
            end: Some(args.time.unwrap_or(TIME)).filter(|time| *time > 0.0).and_then(|time| {
                // The remaining 5% are for the chunk that is in progress when the time is over.
                begin.checked_add(Duration::from_secs_f64(time * 0.95))
            }),
            threads: session.threads(sample.bytes.len() as u64)?,
            cancel,
        };
        Ok(Plan { operand, sample, sweep, picture, as_json: args.json })
    }
}

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let Plan { operand, mut sample, sweep, picture, as_json } = plan;
    if sample.typesizes.is_empty() {
        sample.typesizes = vec![sweep.best_typesize(&sample, &TYPESIZES)?];
    }
    let about = format!(
        "{} of {operand} ({}), typesize {}, {} threads",
        pretty_size(sample.bytes.len() as u64),
        pretty_size(sample.nbytes),
        sample.typesizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        session.nthreads()
    );
    session.report.verbose(&about);
    let (figures, missed, done) = sweep.run(&sample, |done, all, setting| {
        session.report.progress().step(done as u64, all as u64, setting);
        session.report.verbose(format!("setting {} of {all}: {setting}", done + 1));
    });
    match as_json {
        // A partial object is useless to a program.
        true if done.is_ok() => {
            session.report.raw(&json(&operand, &sample, session.nthreads(), &figures, &missed)?);
        }
        // Keep what was measured so far: repeating it would take minutes.
        false if !figures.is_empty() => {
            session.report.raw(&table(&figures));
            conclude(&figures, &missed, &operand, &sample, session);
        }
        _ => {}
    }
    done?;
    if let Some(mut output) = picture {
        output.write_all(plot(&about, &figures).as_bytes()).context("writing the picture")?;
        output.commit()?;
    }
    Ok(())
}

/// Prints the settings that were left out, and then command lines to paste.
fn conclude(figures: &[Figures], missed: &[Setting], operand: &PathOrStdio, sample: &Sample, session: &Session) {
    if let [first, ..] = missed {
        let (left, all) = (missed.len(), missed.len() + figures.len());
        let (more, them) = if left > 1 { (format!(" and {} more", left - 1), "them") } else { (String::new(), "it") };
        session.report.normal(format!(
            "not measured, because the time was over: {first}{more}, {left} of {all}; use --time for {them}"
        ));
    }
    for winner in winners(figures) {
        let best = winner.best.join(", ");
        session.report.normal(format!("{best}: {}", command(winner.setting, operand, sample.kind)));
    }
}

fn or<T: Clone>(asked: &[T], default: &[T]) -> Vec<T> {
    if asked.is_empty() { default.to_vec() } else { asked.to_vec() }
}
