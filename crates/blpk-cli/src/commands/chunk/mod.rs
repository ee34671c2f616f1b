//! `blpk chunk`: one bare chunk, encoded, decoded, described.

mod contents;
mod decode;
mod encode;
mod header;
mod info;
mod json;
mod text;

pub(super) use info::{header_json, info};

use crate::args::ChunkCommand;
use crate::session::Session;
use anyhow::Result;

pub(super) fn run(command: &ChunkCommand, session: &Session) -> Result<()> {
    match command {
        ChunkCommand::Encode(args) => encode::run(args, session),
        ChunkCommand::Decode(args) => decode::run(args, session),
        ChunkCommand::Info(args) => info::run(args, session),
    }
}
