//! `blpk compress`: compresses files or a pipe to bloscpack files or Blosc2 frames.
//!
//! | file | contents |
//! |---|---|
//! | `plan` | the inputs, their outputs and the settings |
//! | `output` | the output of one input |
//! | `format_settings`, `bloscpack`, `frame` | compression of one input, by the format of the output |
//! | `detect` | the size of an element, with `--auto` |
//! | `hint` | a hint that the default settings do not suit a file |
//! | `describe` | sizes and ratio of a file, with `-v` |

mod bloscpack;
mod describe;
mod detect;
mod format_settings;
mod frame;
mod hint;
mod output;
mod plan;

pub(super) use plan::Plan;

use self::output::output_of;
use crate::file_kind::{FileKind, kind_of};
use crate::session::Session;
use crate::staging;
use crate::{batch, inputs};
use anyhow::Result;
use std::path::Path;

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let Plan { items, mut outputs, only_output, format, settings, is_in_place, has_defaults } = plan;
    let report = &session.report;
    let mut is_hint_due = has_defaults && report.is_terminal();
    let cancel = session.cancel();
    report.progress().begin(inputs::total(&items));
    batch::each(items, session, &cancel, |item| {
        report.progress().file(&item.operand, item.size());
        if is_in_place && item.is_skipped(|path| !is_compressed(path)) {
            report.verbose(format!("skipping what is compressed already: '{}'", item.operand));
            return Ok(());
        }
        let output = match &only_output {
            Some(output) => output.clone(),
            None => output_of(&item, &outputs, format, session)?,
        };
        let packed = outputs.write(&item, &output, session, || {
            staging::write_output(&output, session, |output| settings.run(&item.operand, output, session, &cancel))?;
            // One is enough, whatever the number of files. With `--rm`, the input still exists here.
            if is_hint_due && let Some(hint) = hint::hint(&item.operand, only_output.is_some()) {
                report.hint(&hint);
                is_hint_due = false;
            }
            Ok(())
        });
        // With several files, the error must name the file.
        packed.map_err(|error| match &only_output {
            Some(_) => error,
            None => batch::of_file(error, &item.operand),
        })
    })
}

/// Whether a file is compressed already, or a directory is one container.
fn is_compressed(path: &Path) -> bool {
    path.is_dir() || matches!(kind_of(path), Some(FileKind::Bloscpack | FileKind::Chunk | FileKind::Frame))
}
