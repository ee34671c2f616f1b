//! Automatic choices of settings as text.

use blosc_core::{CParams, Candidate, Codec, FilterPipeline, SplitMode};

/// Returns the chosen settings: `zstd (level 1 of its own), 8-byte elements, bitshuffle`.
pub(crate) fn settings(params: &CParams) -> String {
    let level = match params.get_zstd_level().filter(|_| params.get_codec() == Codec::Zstd) {
        Some(level) => format!("level {level} of its own"),
        None => format!("level {}", params.get_clevel()),
    };
    let elements = elements(params.get_typesize());
    let filters = match params.get_filters() {
        filters if filters == FilterPipeline::none() => "no filter".into(),
        filters => format!("{elements}, {filters}{}", if is_split(params) { ", split" } else { "" }),
    };
    format!("{} ({level}), {filters}", params.get_codec().name())
}

/// Whether each byte of the elements gets its own stream.
pub(crate) fn is_split(params: &CParams) -> bool {
    params.get_split() == SplitMode::Always
}

/// Returns the level: that of zstd itself, if it is set.
pub(crate) fn level(params: &CParams) -> i32 {
    params.get_zstd_level().map_or(params.get_clevel().into(), i32::from)
}

/// Returns the reason for a choice: `ratio 7.40 in a sample (unfiltered zstd 3: 6.01)`. The alternative is the best one
/// that differs in whether filters run, or else the best of the others.
pub(crate) fn reason(params: &CParams, tried: &[Candidate]) -> Option<String> {
    let chosen = tried.iter().find(|candidate| candidate.params == *params)?;
    let is_filtered = |params: &CParams| params.get_filters() != FilterPipeline::none();
    let others = || tried.iter().filter(|candidate| candidate.params != *params);
    let by_ratio = |one: &&Candidate, other: &&Candidate| one.ratio.total_cmp(&other.ratio);
    let of_other_kind = others().filter(|other| is_filtered(&other.params) != is_filtered(params)).max_by(by_ratio);
    let other = of_other_kind.or_else(|| others().next());
    let other =
        other.map_or(String::new(), |other| format!(" ({}: {:.2})", difference(&other.params, params), other.ratio));
    Some(format!("ratio {:.2} in a sample{other}", chosen.ratio))
}

/// Returns in what settings differ from the chosen ones, in brief: `unfiltered zstd 3`, or `zstd 3`, or `9-byte elements`.
fn difference(params: &CParams, chosen: &CParams) -> String {
    let (filters, codec) = (params.get_filters(), (params.get_codec(), level(params)));
    let is_plain = filters == FilterPipeline::none();
    let has_filters = filters != chosen.get_filters();
    let mut words = String::new();
    if has_filters {
        words = if is_plain { "unfiltered ".into() } else { format!("{filters} ") };
    }
    if has_filters || codec != (chosen.get_codec(), level(chosen)) {
        words.push_str(&format!("{} {}", codec.0.name(), codec.1));
    }
    let elements =
        (!is_plain && params.get_typesize() != chosen.get_typesize()).then(|| elements(params.get_typesize()));
    let split = (!has_filters && is_split(params) != is_split(chosen)).then(|| match is_split(params) {
        true => "split".to_owned(),
        false => "not split".to_owned(),
    });
    let parts = [Some(words).filter(|words| !words.is_empty()), elements, split];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn elements(typesize: usize) -> String {
    match typesize {
        1 => "single bytes".into(),
        size => format!("{size}-byte elements"),
    }
}

/// Returns the line about the parameters of a group of chunks that starts with `chunk`.
pub(crate) fn line(chunk: u64, params: &CParams, tried: &[Candidate]) -> String {
    let reason = reason(params, tried).map_or(String::new(), |reason| format!("; {reason}"));
    format!("chunks from {chunk}: {}{reason}", settings(params))
}

#[cfg(test)]
mod tests {
    use super::*;
    use blosc_core::{Advisor, Auto, Filter, Goal};

    #[test]
    fn a_choice_has_its_settings_and_a_reason() {
        let zstd = CParams::new().codec(Codec::Zstd).clevel(2);
        let plain = zstd.zstd_level(Some(3)).filters(FilterPipeline::none());
        assert_eq!(settings(&plain), "zstd (level 3 of its own), no filter");
        let split = zstd.codec(Codec::Lz4).typesize(4).split(SplitMode::Always);
        assert_eq!(settings(&split), "lz4 (level 2), 4-byte elements, shuffle, split");
        let bits = zstd.typesize(1).filters(FilterPipeline::bitshuffle());
        assert_eq!(settings(&bits), "zstd (level 2), single bytes, bitshuffle");
        assert_eq!(reason(&plain, &[]), None);
        assert_eq!(difference(&plain, &bits), "unfiltered zstd 3");
        assert_eq!(difference(&bits, &split), "bitshuffle zstd 2, single bytes");
        assert_eq!(difference(&split.clevel(9).split(SplitMode::Never), &split), "lz4 9, not split");
        assert_eq!(difference(&split.typesize(8), &split), "8-byte elements");

        let numbers: Vec<u8> = (0..50_000_u32).flat_map(|number| (number * 7).to_le_bytes()).collect();
        let mut advisor = Advisor::new(Auto::new(Goal::Balanced));
        let params = advisor.advise(&numbers).unwrap().params;
        assert!(params.get_filters().as_slice() != [] as [Filter; 0]);
        let line = line(7, &params, advisor.tried());
        assert!(line.starts_with("chunks from 7: ") && line.contains("4-byte elements, "), "{line}");
        assert!(line.contains("; ratio ") && line.ends_with(')'), "{line}");
    }
}
