//! How is data to be compressed and cut? What `compress` and `append` have in common, with the original's defaults.

use crate::args::{BloscArgs, FilterArg, Int};
use crate::describe::{block, boolean};
use crate::report::Report;
use crate::size::double_pretty_size;
use anyhow::{Result, anyhow, bail};
use blosc_core::{Codec, Filter, FilterPipeline};
use bloscpack_format::bloscpack::ChunkPlan;
use bloscpack_format::python_str_repr;

/// What is said of filters that do not go into a bloscpack file.
const ELSEWHERE: &str = "and a bloscpack file holds Blosc1 chunks; with 'blpk convert' write a .b2frame";

/// The Blosc settings, checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) codec: Codec,
    pub(super) clevel: u8,
    /// One of the filters that Blosc1 chunks have.
    pub(super) filter: Option<Filter>,
    /// As typed; what is not depends on the command.
    pub(super) typesize: Option<u8>,
}

impl Settings {
    pub(super) fn new(args: &BloscArgs) -> Result<Settings> {
        let typesize = args.typesize.as_ref().map(|typesize| in_range("typesize", typesize, u8::MAX));
        Ok(Settings {
            codec: args.codec.unwrap_or(Codec::BloscLz),
            clevel: args.clevel.unwrap_or(7),
            filter: (!args.no_shuffle).then_some(Filter::Shuffle),
            typesize: typesize.transpose()?,
        })
    }

    /// With the filters that were asked for, if any were. A bloscpack file holds Blosc1 chunks, which have one.
    pub(super) fn with_filters(self, asked: &[FilterArg]) -> Result<Settings> {
        let filters: Vec<Filter> = asked.iter().filter_map(|filter| filter.0).collect();
        let filter = match filters.as_slice() {
            _ if asked.is_empty() => self.filter,
            [] => None,
            [filter @ (Filter::Shuffle | Filter::BitShuffle)] => Some(*filter),
            [filter] => bail!("--filter {filter} is for Blosc2 chunks, {ELSEWHERE}"),
            _ => bail!("{} filters at once are for Blosc2 chunks, {ELSEWHERE}", filters.len()),
        };
        Ok(Settings { filter, ..self })
    }

    /// The filter as a pipeline.
    pub(super) fn filters(&self) -> FilterPipeline {
        self.filter.and_then(|filter| FilterPipeline::from_slice(&[filter])).unwrap_or_else(FilterPipeline::none)
    }

    /// `BloscArgs:` and its fields.
    pub(super) fn block(&self, typesize: u8) -> String {
        let fields = [
            ("typesize", typesize.to_string()),
            ("clevel", self.clevel.to_string()),
            ("shuffle", boolean(self.filter.is_some())),
            ("cname", python_str_repr(self.codec.name())),
        ];
        block("BloscArgs", &fields)
    }
}

/// A number of `1..=max`; what is said otherwise is what the original's tracebacks said.
pub(super) fn in_range<T>(name: &str, value: &Int, max: T) -> Result<T>
where
    T: std::str::FromStr + PartialOrd + Default + std::fmt::Display + Copy,
{
    let valid = value.to::<T>().filter(|value| *value > T::default() && *value <= max);
    valid.ok_or_else(|| anyhow!("'{name}' must be in the range 1 <= n <= {max}, not '{value}'"))
}

/// How an input is cut into chunks. Of one without a byte there is nothing to say.
pub(super) fn describe_plan(report: &Report, size: u64, chunk_size: u64) -> Result<()> {
    if size == 0 {
        return Ok(());
    }
    let plan = ChunkPlan::new(size, chunk_size)?;
    if chunk_size > size {
        let (given, used) = (double_pretty_size(chunk_size), double_pretty_size(size));
        report.verbose(format!("Input was smaller than the given 'chunk_size': {given} using: {used}"));
    }
    report.verbose(format!("nchunks: {}", plan.nchunks));
    report.verbose(format!("chunk_size: {}", double_pretty_size(plan.chunk_size.into())));
    report.verbose(format!("last_chunk_size: {}", double_pretty_size(plan.last_chunk.into())));
    Ok(())
}
