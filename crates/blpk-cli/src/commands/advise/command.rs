//! The command line that compresses a file as advised.

use super::plan::Plan;
use crate::args::CompressFormat;
use crate::names::quoted;
use blosc_core::Goal;
use std::path::Path;

/// Returns a command line to paste. For a container, it converts the content to a new container.
pub(super) fn command(plan: &Plan, goal: Goal, file: &str, is_container: bool) -> String {
    let typesize = plan.typesize.map_or(String::new(), |typesize| format!(" -t {typesize}"));
    let column = plan.column.as_ref().map_or(String::new(), |column| format!(" --column {}", quoted(column)));
    let settings = format!("--auto={goal}{typesize}{column}");
    if is_container {
        let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        let output = format!("{stem}.new{}", plan.format.extension());
        return format!("blpk convert {settings} {} {}", quoted(file), quoted(&output));
    }
    let format = match plan.format {
        CompressFormat::Blp => "",
        CompressFormat::B2frame => " --format b2frame",
    };
    format!("blpk compress {settings}{format} {}", quoted(file))
}
