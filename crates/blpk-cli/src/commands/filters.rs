//! The filter pipeline of `--filter` options, checked for a chunk format.

use crate::args::FilterArg;
use anyhow::{Context as _, Result, bail};
use blosc_core::{ChunkFormat, Filter, FilterPipeline};

/// Returns the filters of the `--filter` options in chunks of this format; `None` without such an option. `elsewhere`
/// is advice about a filter that only Blosc2 has.
pub(super) fn pipeline(asked: &[FilterArg], format: ChunkFormat, elsewhere: &str) -> Result<Option<FilterPipeline>> {
    if asked.is_empty() {
        return Ok(None);
    }
    let filters: Vec<Filter> = asked.iter().filter_map(|FilterArg(filter)| *filter).collect();
    if format == ChunkFormat::Blosc1 {
        for filter in &filters {
            match filter {
                Filter::Shuffle | Filter::BitShuffle => {}
                Filter::ShuffleGroups(_) => {
                    bail!("--filter shuffle takes a meta value only in Blosc2 chunks; {elsewhere}")
                }
                other => bail!("--filter {} needs a Blosc2 chunk; {elsewhere}", other.name()),
            }
        }
        if filters.len() > 1 {
            bail!("--filter: a Blosc1 chunk supports shuffle, bitshuffle or no filter; {elsewhere}");
        }
    }
    let most = || format!("--filter: a chunk has at most {} filters, not {}", FilterPipeline::MAX_LEN, filters.len());
    FilterPipeline::try_from(&filters[..]).ok().with_context(most).map(Some)
}
