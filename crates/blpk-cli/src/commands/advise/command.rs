//! The command line that compresses a file as advised.

use super::plan::Plan;
use crate::args::CompressFormat;
use crate::names::{of_new_container, quoted, quoted_name};
use crate::path_or_stdio::PathOrStdio;
use blosc_core::Goal;

/// Returns a command line to paste. For a container, it converts the content to a new container.
pub(super) fn command(plan: &Plan, goal: Goal, file: &PathOrStdio, is_container: bool) -> String {
    let typesize = plan.typesize.map_or(String::new(), |typesize| format!(" -t {typesize}"));
    let column =
        plan.column.as_ref().map_or(String::new(), |column| format!(" --column={}", quoted(column.as_bytes())));
    let settings = format!("--auto={goal}{typesize}{column}");
    if is_container {
        let output = of_new_container(file, plan.format.extension());
        return format!("blpk convert {settings} {} {}", quoted_name(file.bytes()), quoted_name(&output));
    }
    let format = match plan.format {
        CompressFormat::Blp => "",
        CompressFormat::B2frame => " --format b2frame",
    };
    format!("blpk compress {settings}{format} {}", quoted_name(file.bytes()))
}
