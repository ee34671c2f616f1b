//! `blpk advise`: prints the settings that `--auto` would choose for a file, with the alternatives. Writes nothing.
//!
//! | file | contents |
//! |---|---|
//! | `plan` | the files and goals |
//! | `content` | pieces from all over a file or its content |
//! | `advice` | groups of pieces with the same settings, for a goal |
//! | `command` | the command line that compresses the file so |
//! | `text`, `json` | the advice as text, and as JSON |

mod advice;
mod command;
mod content;
mod json;
mod plan;
mod text;

pub(super) use plan::Plan;

use self::advice::Advice;
use self::content::Content;
use crate::batch;
use crate::session::Session;
use anyhow::{Context as _, Result};
use bloscpack_io::{Cancel, Error};

pub(super) fn run(plan: &Plan, session: &Session) -> Result<()> {
    let cancel = session.cancel();
    batch::each(plan.operands.iter().map(Ok), session, &cancel, |operand| {
        let content = Content::open(operand, plan.column.as_deref(), &cancel)?;
        let advice = advise(plan, &content, &cancel).with_context(|| operand.to_string())?;
        session.report.raw(&match plan.as_json {
            true => json::line(plan, operand, &content, &advice)?,
            false => text::all(plan, operand, &content, &advice),
        });
        Ok(())
    })
}

/// Returns the advice for each goal. Each piece is read once.
fn advise(plan: &Plan, content: &Content, cancel: &Cancel) -> Result<Vec<Advice>> {
    let mut advice: Vec<_> =
        plan.goals.iter().map(|goal| Advice::new(*goal, plan.auto(*goal, content.typesize))).collect();
    for (number, range) in content.pieces().into_iter().enumerate() {
        let piece = content.read(range.clone())?;
        for one in &mut advice {
            if cancel.is_cancelled() {
                return Err(Error::Cancelled.into());
            }
            one.add(number, range.start, &piece)?;
        }
    }
    Ok(advice)
}
