//! Compression of one input, by the format of the output.

use super::{bloscpack, frame};
use crate::args::{CompressArgs, CompressFormat};
use crate::place::Place;
use crate::session::Session;
use anyhow::Result;
use bloscpack_io::Cancel;

/// The settings for compressing each input.
pub(super) enum Job {
    Bloscpack(bloscpack::Job),
    Frame(frame::Job),
}

impl Job {
    /// Checks the settings for outputs of this format.
    pub(super) fn new(args: &CompressArgs, format: CompressFormat) -> Result<Job> {
        Ok(match format {
            CompressFormat::Blp => Job::Bloscpack(bloscpack::Job::new(args)?),
            CompressFormat::B2frame => Job::Frame(frame::Job::new(args)?),
        })
    }

    pub(super) fn run(&self, input: &Place, output: &Place, session: &Session, cancel: &Cancel) -> Result<()> {
        match self {
            Job::Bloscpack(job) => job.run(input, output, session, cancel),
            Job::Frame(job) => job.run(input, output, session, cancel),
        }
    }
}
