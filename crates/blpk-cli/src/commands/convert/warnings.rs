//! Warnings about metadata that the output of a conversion does not keep.

use crate::path_or_stdio::PathOrStdio;
use crate::report::Report;
use bloscpack_format::frame::VlMetalayers;
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::python_str_repr;
use bloscpack_io::{ConvertReport, DropReason, DroppedAttribute};

/// Maximum number of names in a warning.
const MAX_NAMES: usize = 64;

/// Prints a warning for each reason, with the names of the lost items.
pub(super) fn warn(converted: &ConvertReport, output: &PathOrStdio, report: &Report) {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    let of_array = |lost: &&DroppedAttribute| matches!(lost.reason, DropReason::OtherArray);
    if converted.dropped.iter().any(|lost| of_array(&lost)) {
        report.warning(&format!(
            "{output}: the dtype and shape of the array are not stored: the input has an attribute named {}, which is kept",
            one_of(&NumpyMeta::KEYS)
        ));
    }
    for DroppedAttribute { name, reason, .. } in converted.dropped.iter().filter(|lost| !of_array(lost)) {
        let why = reason.to_string();
        let name = python_str_repr(name);
        match reasons.iter_mut().find(|(found, _)| *found == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    for (why, names) in reasons {
        let listed = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(MAX_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let what = if names.len() == 1 { "attribute" } else { "attributes" };
        report.warning(&format!("{output}: {what} not kept: {listed}{more}: {why}"));
    }
    if converted.vlmetalayers > VlMetalayers::MAX_INTERCHANGE {
        report.warning(&format!(
            "{output}: C-Blosc2 reads {} vlmetalayers, but cannot change a frame with more than {}",
            converted.vlmetalayers,
            VlMetalayers::MAX_INTERCHANGE
        ));
    }
}

/// Lists alternatives.
fn one_of(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| python_str_repr(name)).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
