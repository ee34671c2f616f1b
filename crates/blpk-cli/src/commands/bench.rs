//! `blpk bench`: which settings suit your data?

use super::settings::in_range;
use crate::args::BenchArgs;
use crate::bench::{Sample, Sweep, json, plot, table};
use crate::files;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::{Output, Place, open_source};
use anyhow::{Context as _, Result, bail};
use blosc_core::{Codec, Filter};
use bloscpack_format::bloscpack::{DEFAULT_CHUNK_SIZE, MAX_CHUNK_SIZE};
use std::io::Write as _;

/// Bytes that are measured unless somebody says otherwise: more than fit into most caches.
const SAMPLE: u64 = 16 << 20;

/// How long each setting is measured, in seconds.
const SECONDS: f64 = 0.3;

pub(super) fn run(args: &BenchArgs, session: &Session) -> Result<()> {
    let place = Place::from(args.file.clone());
    if let Place::File(path) = &place {
        files::must_exist("file", path)?;
    }
    let picture = args.plot.clone().map(Place::from);
    if picture == Some(Place::Standard) {
        bail!("--plot cannot be '-', as stdout is for the table; name a file");
    }
    // Before anything is measured: minutes of work should not end with a refusal.
    let picture = picture.map(|picture| Output::create(&picture, session.force)).transpose()?;
    let typesize = args.typesize.as_ref().map(|typesize| in_range("typesize", typesize, u8::MAX));
    let typesize = typesize.transpose()?.map(usize::from);
    let cancel = session.cancel()?;
    let source = open_source(&place, &cancel)?;
    let sample = Sample::of(source, args.sample.unwrap_or(SAMPLE), typesize).with_context(|| place.to_string())?;
    let sweep = Sweep {
        codecs: or(&args.codecs, &Codec::ALL),
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
        threads: session.threads(sample.bytes.len() as u64)?,
        cancel,
    };
    let about = format!(
        "{} of {place} ({}), typesize {}, {} threads",
        pretty_size(sample.bytes.len() as u64),
        pretty_size(sample.nbytes),
        sample.typesize,
        session.nthreads()
    );
    session.report.verbose(&about);
    let (figures, done) = sweep.run(&sample, |done, all, setting| {
        session.report.progress().step(done as u64, all as u64, setting);
        session.report.verbose(format!("setting {} of {all}: {setting}", done + 1));
    });
    match args.json {
        // Half of an object is of no use to a program.
        true if done.is_ok() => {
            session.report.raw(&json(&place.to_string(), &sample, session.nthreads(), &figures));
        }
        // Minutes of work are not lost because the rest would take as long.
        false if !figures.is_empty() => session.report.raw(&table(&figures)),
        _ => {}
    }
    done?;
    if let Some(mut output) = picture {
        output.write_all(plot(&about, &figures).as_bytes()).context("writing the picture")?;
        output.commit()?;
    }
    Ok(())
}

fn or<T: Clone>(asked: &[T], default: &[T]) -> Vec<T> {
    if asked.is_empty() { default.to_vec() } else { asked.to_vec() }
}
