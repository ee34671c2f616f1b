//! Advice as one JSON object.

use super::advice::{Advice, Group};
use super::command::command;
use super::content::Content;
use super::plan::Plan;
use crate::choice::is_split;
use crate::json::{Object, number, text};
use crate::path_or_stdio::PathOrStdio;
use blosc_core::{BlockSize, CParams, Candidate, Codec, OutOfMemory};
use bloscpack_format::Json;

/// Returns the line to print.
pub(super) fn line(
    plan: &Plan,
    operand: &PathOrStdio,
    content: &Content,
    advice: &[Advice],
) -> Result<String, OutOfMemory> {
    let pieces = content.pieces();
    let known = plan.typesize.map(usize::from).or(content.typesize);
    let goals = advice.iter().map(|one| {
        Object::inner()
            .with("goal", text(&one.goal.to_string()))
            .with("groups", Json::Array(one.groups.iter().map(group).collect()))
            .with("command", text(&command(plan, one.goal, operand, content.is_container)))
            .into_json()
    });
    Object::inner()
        .with("schema", Json::Int(1))
        .with("name", text(&operand.name()))
        .with("nbytes", number(content.nbytes()))
        .with("typesize", known.map_or(Json::Null, |typesize| number(typesize as u64)))
        .with("sample", number(pieces.iter().map(|piece| piece.end - piece.start).sum()))
        .with("offsets", Json::Array(pieces.iter().map(|piece| number(piece.start)).collect()))
        .with("goals", Json::Array(goals.collect()))
        .line()
}

fn group(group: &Group) -> Json {
    let pieces = group.pieces.iter().map(|piece| number(*piece as u64)).collect();
    let candidates = group.tried.iter().map(|candidate| self::candidate(candidate).into_json());
    settings(&group.params)
        .with("pieces", Json::Array(pieces))
        .with("candidates", Json::Array(candidates.collect()))
        .into_json()
}

/// Speeds are whole bytes per second, as in the output of `bench`.
fn candidate(candidate: &Candidate) -> Object {
    let rounded = |mb: f64| number((mb * 1e6) as u64);
    settings(&candidate.params)
        .with("ratio", Json::Float((candidate.ratio * 1e4).round() / 1e4))
        .with("compress", rounded(candidate.compress))
        .with("decompress", rounded(candidate.decompress))
}

fn settings(params: &CParams) -> Object {
    let filters = params.get_filters();
    let filters = filters.as_slice().iter().map(|filter| text(&filter.to_string())).collect();
    let own_level = params.get_zstd_level().filter(|_| params.get_codec() == Codec::Zstd);
    let blocksize = match params.get_blocksize() {
        BlockSize::Fixed(nbytes) => number(nbytes as u64),
        _ => Json::Null,
    };
    Object::inner()
        .with("codec", text(params.get_codec().name()))
        .with("clevel", number(params.get_clevel().into()))
        .with("zstd_level", own_level.map_or(Json::Null, |level| Json::Int(level.into())))
        .with("typesize", number(params.get_typesize() as u64))
        .with("filters", Json::Array(filters))
        .with("split", Json::Bool(is_split(params)))
        .with("blocksize", blocksize)
}
