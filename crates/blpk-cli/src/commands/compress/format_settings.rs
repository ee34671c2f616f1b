//! Compression of one input, by the format of the output.

use super::{bloscpack, frame};
use crate::args::{CompressArgs, CompressFormat};
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use anyhow::Result;
use bloscpack_io::Cancel;

/// The settings for compressing each input.
pub(super) enum FormatSettings {
    Bloscpack(bloscpack::BloscpackSettings),
    Frame(frame::FrameSettings),
}

impl FormatSettings {
    /// Checks the settings for outputs of this format.
    pub(super) fn new(args: &CompressArgs, format: CompressFormat) -> Result<FormatSettings> {
        Ok(match format {
            CompressFormat::Blp => FormatSettings::Bloscpack(bloscpack::BloscpackSettings::new(args)?),
            CompressFormat::B2frame => FormatSettings::Frame(frame::FrameSettings::new(args)?),
        })
    }

    pub(super) fn run(
        &self,
        input: &PathOrStdio,
        output: &PathOrStdio,
        session: &Session,
        cancel: &Cancel,
    ) -> Result<()> {
        match self {
            FormatSettings::Bloscpack(settings) => settings.run(input, output, session, cancel),
            FormatSettings::Frame(settings) => settings.run(input, output, session, cancel),
        }
    }
}
