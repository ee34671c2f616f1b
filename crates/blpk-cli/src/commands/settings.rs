//! The compression settings shared by `compress` and `append`, with the original's defaults.

use crate::args::{BloscArgs, Int};
use crate::describe::{block, boolean};
use crate::report::Report;
use crate::size::double_pretty_size;
use anyhow::{Result, anyhow};
use blosc_core::{Auto, Codec, FilterPipeline};
use bloscpack_format::bloscpack::{ChunkPlan, DEFAULT_CHUNK_SIZE};
use bloscpack_format::python_str_repr;

/// The Blosc settings, checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) codec: Codec,
    pub(super) clevel: u8,
    /// A shuffle or no filter, unless other filters are requested.
    pub(super) filters: FilterPipeline,
    /// As typed. The default depends on the command.
    pub(super) typesize: Option<u8>,
    /// With `--auto`, the goal and the settings that are given. All others are chosen by the data.
    pub(super) auto: Option<Auto>,
}

impl Settings {
    pub(super) fn new(args: &BloscArgs) -> Result<Settings> {
        let typesize = args.typesize.as_ref().map(|typesize| in_range("typesize", typesize, u8::MAX)).transpose()?;
        Ok(Settings {
            codec: args.fixed_codec().unwrap_or(Codec::BloscLz),
            clevel: args.clevel.unwrap_or(7),
            filters: if args.no_shuffle { FilterPipeline::none() } else { FilterPipeline::shuffle() },
            typesize,
            auto: auto(args, typesize.map(usize::from)),
        })
    }

    /// Sets the filters, if some are requested.
    pub(super) fn with_filters(self, filters: Option<FilterPipeline>) -> Settings {
        match filters {
            Some(filters) => Settings { filters, auto: self.auto.map(|auto| auto.filters(filters)), ..self },
            None => self,
        }
    }

    /// `BloscArgs:` and its fields.
    pub(super) fn block(&self, typesize: u8) -> String {
        let fields = [
            ("typesize", typesize.to_string()),
            ("clevel", self.clevel.to_string()),
            ("shuffle", boolean(self.filters != FilterPipeline::none())),
            ("cname", python_str_repr(self.codec.name())),
        ];
        match self.auto {
            Some(auto) => block("BloscArgs", &[("auto", python_str_repr(&auto.goal().to_string()))]),
            None => block("BloscArgs", &fields),
        }
    }
}

/// Returns the goal of `--auto` with the settings that are given.
pub(super) fn auto(args: &BloscArgs, typesize: Option<usize>) -> Option<Auto> {
    let auto = Auto::new(args.goal()?).typesize(typesize).codec(args.fixed_codec()).clevel(args.clevel);
    Some(auto.filters(args.no_shuffle.then(FilterPipeline::none)))
}

/// Returns the chunk size without `-z`: the original's, or the one that suits the goal of `--auto`.
pub(super) fn default_chunk_size(auto: Option<Auto>) -> u32 {
    auto.map_or(DEFAULT_CHUNK_SIZE, |auto| auto.goal().chunk_size() as u32)
}

/// Parses a number of `1..=max`. The error is that of the original's tracebacks.
pub(super) fn in_range<T>(name: &str, value: &Int, max: T) -> Result<T>
where
    T: std::str::FromStr + PartialOrd + Default + std::fmt::Display + Copy,
{
    let valid = value.to::<T>().filter(|value| *value > T::default() && *value <= max);
    valid.ok_or_else(|| anyhow!("'{name}' must be in the range 1 <= n <= {max}, not '{value}'"))
}

/// Describes how an input is cut into chunks. Prints nothing for an empty input.
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
