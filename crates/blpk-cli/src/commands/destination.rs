//! The destination of the outputs of `compress` and `decompress`.

use crate::args::ManyArgs;
use crate::outputs::Destination;
use crate::path_or_stdio::PathOrStdio;
use std::path::Path;

/// Returns where the options send the outputs. `second` is the second of two names that mean input and output.
pub(super) fn destination(many: &ManyArgs, second: Option<&Path>) -> Destination {
    let named = |operand, is_second_of_two| Destination::Named { operand, is_second_of_two };
    match (second, &many.output, &many.output_dir) {
        _ if many.stdout => named(PathOrStdio::Standard, false),
        (Some(path), _, _) => named(PathOrStdio::from(path.to_owned()), true),
        (None, Some(path), _) => named(PathOrStdio::from(path.clone()), false),
        (None, None, Some(directory)) => Destination::Directory(directory.clone()),
        (None, None, None) => Destination::BesideInputs,
    }
}
