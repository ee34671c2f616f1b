//! Groups of pieces with the same settings, for a goal.

use crate::signals;
use anyhow::Result;
use blosc_core::{Advisor, Auto, CParams, Candidate, Goal};

/// The choice for a goal.
pub(super) struct Advice {
    pub(super) goal: Goal,
    advisor: Advisor,
    /// In the order of their first pieces.
    pub(super) groups: Vec<Group>,
}

/// Pieces with the same settings.
pub(super) struct Group {
    pub(super) params: CParams,
    /// The numbers of the pieces, in ascending order.
    pub(super) pieces: Vec<usize>,
    /// Offset of the first piece.
    pub(super) offset: u64,
    /// The settings that were compared for the first piece, best first.
    pub(super) tried: Vec<Candidate>,
}

impl Advice {
    pub(super) fn new(goal: Goal, auto: Auto) -> Advice {
        Advice { goal, advisor: Advisor::new(auto).cancel(signals::cancel()), groups: Vec::new() }
    }

    /// Adds a piece that starts at `offset`.
    pub(super) fn add(&mut self, number: usize, offset: u64, piece: &[u8]) -> Result<()> {
        let params = self.advisor.advise(piece)?.chosen;
        match self.groups.iter_mut().find(|group| group.params == params) {
            Some(group) => group.pieces.push(number),
            None => {
                let tried = self.advisor.tried().to_vec();
                self.groups.push(Group { params, pieces: vec![number], offset, tried });
            }
        }
        Ok(())
    }
}
