//! `blpk compress`: the inputs, their outputs and the settings.

use super::format_settings::FormatSettings;
use super::output::output_of;
use crate::args::{CompressArgs, CompressFormat};
use crate::commands::destination::destination;
use crate::file_kind::is_container;
use crate::inputs::{self, InputFile};
use crate::outputs::Outputs;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use anyhow::{Result, bail};
use bloscpack_io::Target;

/// A run of `blpk compress`.
pub(in crate::commands) struct Plan {
    pub(super) items: Vec<Result<InputFile>>,
    pub(super) outputs: Outputs,
    /// The output of the input, if there is exactly one and it was named.
    pub(super) only_output: Option<PathOrStdio>,
    pub(super) format: CompressFormat,
    pub(super) settings: FormatSettings,
    /// Outputs go beside their inputs. Inputs found in directories are then skipped if they are compressed already.
    pub(super) is_in_place: bool,
    /// All settings that determine the size of the output have their defaults.
    pub(super) has_defaults: bool,
}

impl Plan {
    pub(in crate::commands) fn new(args: &CompressArgs, session: &Session) -> Result<Plan> {
        session.report.verbose("getting ready for compression");
        let (names, second) = args.many.split(&args.files);
        let outputs = Outputs::new(destination(&args.many, second), args.many.rm);
        let format = format_of(args.format, outputs.named())?;
        // Another directory gets an output for every input, compressed ones included.
        let is_in_place = !outputs.have_directory();
        let items = inputs::items(names, args.many.recursive, |path| is_in_place && is_container(path));
        // The original checks the file before it checks the settings.
        let only_output = match items.as_slice() {
            [Ok(only)] if only.root.is_none() => Some(output_of(only, &outputs, format, session)?),
            _ => None,
        };
        let settings = FormatSettings::new(args, format)?;
        let has_defaults = args.has_default_settings() && format == CompressFormat::Blp;
        Ok(Plan { items, outputs, only_output, format, settings, is_in_place, has_defaults })
    }
}

/// Returns the format of the outputs: `asked`, or else the format that the output's name implies. The two must agree.
fn format_of(asked: Option<CompressFormat>, named: Option<&PathOrStdio>) -> Result<CompressFormat> {
    let path = match named {
        None | Some(PathOrStdio::Standard) => return Ok(asked.unwrap_or_default()),
        Some(PathOrStdio::File(path)) => path.clone(),
        Some(PathOrStdio::Url(url)) => url.path().into(),
    };
    let refuse = |name: &str, what: &str| bail!("output file '{}' has the name of {name}, but {what}", path.display());
    match (Target::of_name(&path), asked) {
        (Some(Target::Array), _) => refuse(
            "an array in a Blosc2 frame",
            "raw bytes have no dtype and shape; compress to a .b2frame, or convert a .npy file with 'blpk convert'",
        ),
        (Some(Target::Frame), Some(CompressFormat::Blp)) => refuse("a Blosc2 frame", "--format blp is another"),
        (Some(Target::Bloscpack), Some(CompressFormat::B2frame)) => {
            refuse("a bloscpack file", "--format b2frame is something else")
        }
        (Some(Target::Frame), None) => Ok(CompressFormat::B2frame),
        (_, format) => Ok(format.unwrap_or_default()),
    }
}
