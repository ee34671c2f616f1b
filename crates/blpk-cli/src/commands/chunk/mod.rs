//! `blpk chunk`: encodes, decodes or describes one bare chunk.

mod decode;
mod encode;
mod header;
mod info;
mod json;

pub(super) use info::{header_json, info};

use crate::args::ChunkCommand;
use crate::session::Session;
use anyhow::Result;

/// A run of `blpk chunk`.
pub(super) enum Plan {
    Encode(encode::Plan),
    Decode(decode::Plan),
    Info(info::Plan),
}

impl Plan {
    pub(super) fn new(command: &ChunkCommand, session: &Session) -> Result<Plan> {
        Ok(match command {
            ChunkCommand::Encode(args) => Plan::Encode(encode::Plan::new(args, session)?),
            ChunkCommand::Decode(args) => Plan::Decode(decode::Plan::new(args, session)?),
            ChunkCommand::Info(args) => Plan::Info(info::Plan::new(args)?),
        })
    }
}

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    match plan {
        Plan::Encode(plan) => encode::run(plan, session),
        Plan::Decode(plan) => decode::run(&plan, session),
        Plan::Info(plan) => info::run(&plan, session),
    }
}
