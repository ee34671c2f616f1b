//! `blpk bench`: which settings suit your data?

use crate::args::BenchArgs;
use crate::bench::{Sample, Sweep, json, plot, table};
use crate::files;
use crate::session::Session;
use crate::size::pretty_size;
use crate::streams::{Output, Place, open_source};
use anyhow::{Context as _, Result, anyhow};
use blosc_core::{Codec, Filter};
use bloscpack_format::bloscpack::DEFAULT_CHUNK_SIZE;
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
    let picture = args.plot.clone().map(Place::File);
    // Before anything is measured: minutes of work should not end with a refusal.
    let picture = picture.map(|picture| Output::create(&picture, session.force)).transpose()?;
    let size = |size: &crate::args::Int, name: &str| {
        size.to().filter(|size| *size > 0).ok_or_else(|| anyhow!("'{name}' must be at least 1, not '{size}'"))
    };
    let sample_size = args.sample.as_ref().map_or(Ok(SAMPLE), |sample| size(sample, "sample"))?;
    let typesize = args.typesize.as_ref().map(|typesize| super::settings::in_range("typesize", typesize, u8::MAX));
    let typesize = typesize.transpose()?.map(usize::from);
    let cancel = session.cancel()?;
    let sample = Sample::of(open_source(&place, &cancel)?, sample_size, typesize).with_context(|| place.to_string())?;
    let sweep = Sweep {
        codecs: or(&args.codecs, &Codec::ALL),
        clevels: or(&args.clevels, &[1, 5, 9]),
        filters: match args.filters.as_slice() {
            [] => vec![None, Some(Filter::Shuffle), Some(Filter::BitShuffle)],
            filters => filters.iter().map(|filter| filter.0).collect(),
        },
        chunk_sizes: match args.chunk_sizes.as_slice() {
            [] => vec![DEFAULT_CHUNK_SIZE.into()],
            sizes => sizes.iter().map(|chunk_size| size(chunk_size, "chunk-size")).collect::<Result<_>>()?,
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
    let figures = sweep.run(&sample, |done, all| session.report.verbose(format!("{done} of {all} settings")))?;
    session.report.raw(&match args.json {
        true => json(&place.to_string(), &sample, session.nthreads(), &figures),
        false => table(&figures),
    });
    if let Some(mut output) = picture {
        output.write_all(plot(&about, &figures).as_bytes()).context("writing the picture")?;
        output.commit()?;
    }
    Ok(())
}

fn or<T: Clone>(asked: &[T], default: &[T]) -> Vec<T> {
    if asked.is_empty() { default.to_vec() } else { asked.to_vec() }
}
