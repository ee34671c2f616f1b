//! `blpk decompress`: writes the uncompressed bytes of files of any kind.
//!
//! | file | contents |
//! |---|---|
//! | `plan` | the inputs, their outputs, and the other options |
//! | `output` | the output of one input |
//! | `decompression` | decompression of one input |
//! | `metadata` | the metadata of an input: printed, or written to a second output |

mod decompression;
mod metadata;
mod output;
mod plan;

pub(super) use plan::Plan;

use self::decompression::Decompression;
use self::output::output_of;
use crate::column_advice::ColumnAdvice;
use crate::file_kind::{FileKind, kind_of, kind_of_operand};
use crate::names::has_our_name;
use crate::overwrite::Writes;
use crate::session::Session;
use crate::staging;
use crate::{batch, files, inputs};
use anyhow::Result;
use std::path::Path;

pub(super) fn run(plan: Plan, session: &Session) -> Result<()> {
    let Plan { items, mut outputs, rules, column, metadata_out, digest, memory } = plan;
    let report = &session.report;
    let cancel = session.cancel();
    report.progress().begin(inputs::total(&items));
    batch::each(items, session, &cancel, |item| {
        report.progress().file(&item.operand, item.size());
        if item.is_skipped(is_wanted) {
            report.verbose(format!("skipping what is not compressed: '{}'", item.operand));
            return Ok(());
        }
        let kind = kind_of_operand(&item.operand);
        let output = output_of(rules, &item, kind, &outputs)?;
        let column = column.as_deref();
        let decompression =
            |output| Decompression { item: &item, kind, column, output, session, digest: digest.as_ref(), memory };
        let overwrite = outputs.overwrite(&item, Writes::Plain, "decompress");
        if column.is_none() {
            files::one_of_many_must_exist("input file", &item.operand, ColumnAdvice::UseOption)?;
        }
        files::check_output(&item.operand, &output, overwrite, session)?;
        // Refused before any output is written.
        let metadata_out = metadata_out.as_ref().map(|path| metadata::create(path, &item.operand, &output, session));
        let mut metadata_out = metadata_out.transpose()?;
        let mut found = None;
        outputs.write(&item, &output, session, || {
            staging::write_output(&output, session, |output| {
                found = decompression(output.clone()).run(&cancel)?;
                Ok(())
            })?;
            metadata_out.take().map_or(Ok(()), |file| metadata::write(file, found.take()))
        })?;
        metadata::print(found, session)?;
        report.verbose("done");
        Ok(())
    })
}

/// Whether a file found in a directory is compressed, or should be according to its name.
fn is_wanted(path: &Path) -> bool {
    match kind_of(path) {
        Some(FileKind::Bloscpack | FileKind::Chunk | FileKind::Frame | FileKind::Carray | FileKind::Zarr) => true,
        Some(FileKind::Npy | FileKind::Ctable | FileKind::ZarrGroup) => false,
        None => has_our_name(path) && !path.is_dir(),
    }
}
