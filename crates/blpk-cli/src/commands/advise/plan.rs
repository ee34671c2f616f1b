//! `blpk advise`: the files and goals.

use crate::args::{AdviseArgs, CompressFormat};
use crate::commands::settings::in_range;
use crate::path_or_stdio::PathOrStdio;
use anyhow::Result;
use blosc_core::{Auto, ChunkFormat, Goal};

/// A run of `blpk advise`.
pub(in crate::commands) struct Plan {
    pub(super) operands: Vec<PathOrStdio>,
    pub(super) goals: Vec<Goal>,
    /// As typed.
    pub(super) typesize: Option<u8>,
    pub(super) format: CompressFormat,
    pub(super) column: Option<String>,
    pub(super) as_json: bool,
}

impl Plan {
    pub(in crate::commands) fn new(args: &AdviseArgs) -> Result<Plan> {
        let typesize = args.typesize.as_ref().map(|typesize| in_range("typesize", typesize, u8::MAX));
        let mut goals = Vec::new();
        for goal in if args.goals.is_empty() { &Goal::NAMED[..] } else { &args.goals[..] } {
            if !goals.contains(goal) {
                goals.push(*goal);
            }
        }
        Ok(Plan {
            operands: args.files.iter().cloned().map(PathOrStdio::from).collect(),
            goals,
            typesize: typesize.transpose()?,
            format: args.format.unwrap_or_default(),
            column: args.column.clone(),
            as_json: args.json,
        })
    }

    /// Returns a goal with the settings that are given. `known` is the size of an item, if the file has items.
    pub(super) fn auto(&self, goal: Goal, known: Option<usize>) -> Auto {
        let format = match self.format {
            CompressFormat::Blp => ChunkFormat::Blosc1,
            CompressFormat::B2frame => ChunkFormat::Blosc2,
        };
        Auto::new(goal).format(format).typesize(self.typesize.map(usize::from).or(known))
    }
}
