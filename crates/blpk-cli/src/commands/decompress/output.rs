//! The output of one input.

use crate::column_advice::ColumnAdvice;
use crate::file_kind::FileKind;
use crate::files;
use crate::foreign;
use crate::inputs::InputFile;
use crate::names::{self, has_our_name};
use crate::outputs::Outputs;
use crate::path_or_stdio::PathOrStdio;
use anyhow::{Result, bail};
use std::path::Path;

/// The rules for names of inputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameRules {
    /// `-e`: bloscpack files may have any name.
    pub(super) are_any: bool,
    /// `--column`: inputs are bcolz ctables.
    pub(super) are_tables: bool,
}

/// Returns the output as named, or the input's name without `.blp`. The name of a bloscpack file must end with `.blp`
/// unless the check is switched off. Files whose content is of another kind need no such name.
pub(super) fn output_of(
    rules: NameRules,
    item: &InputFile,
    kind: Option<FileKind>,
    outputs: &Outputs,
) -> Result<PathOrStdio> {
    let input = &item.operand;
    let is_named = outputs.named().is_some() || outputs.have_directory();
    if let PathOrStdio::Url(_) = input {
        return of_url(rules, item, kind, outputs, is_named);
    }
    let PathOrStdio::File(path) = input else {
        if rules.are_tables {
            bail!("a pipe is neither a bcolz ctable nor a Zarr group, which --column is for");
        }
        return match rules.are_any && !is_named {
            true => bail!("--no-check-extension requires use of <out_file>"),
            false => outputs.operand(item, Path::to_owned),
        };
    };
    if rules.are_tables {
        files::table_must_exist("input file", path)?;
        return match is_named {
            true => outputs.operand(item, names::without_extension),
            false => bail!("name the <out_file> for the column of '{input}'"),
        };
    }
    if path.is_dir() {
        files::input_must_exist("input file", path, ColumnAdvice::UseOption)?; // describes the directory, whatever its name
    }
    match kind {
        _ if rules.are_any && !is_named => bail!("--no-check-extension requires use of <out_file>"),
        _ if rules.are_any || names::has_extension(path) => files::refuse_group("input file", input)?,
        Some(FileKind::Chunk | FileKind::Npy | FileKind::Frame | FileKind::Carray | FileKind::Zarr) if is_named => {}
        // The content identifies it, so the name need not end with `.blp`, but it must have an extension to remove.
        Some(FileKind::Chunk | FileKind::Frame) if has_our_name(path) => {}
        Some(FileKind::Npy) => bail!(
            "input file '{input}' is a NumPy array, which is not compressed; 'blpk convert' puts it into another \
             container, and if you name the <out_file>, its bytes go there"
        ),
        Some(FileKind::Chunk | FileKind::Frame | FileKind::Carray | FileKind::Zarr) => {
            bail!("input file '{input}' does not end with '{}': name the <out_file>", names::EXTENSION)
        }
        Some(FileKind::Bloscpack) => bail!(
            "input file '{input}' does not end with '{}', but is a bloscpack file: rename it, or use -e and name the \
             <out_file>",
            names::EXTENSION
        ),
        Some(FileKind::ZarrGroup) => files::refuse_group("input file", input)?,
        Some(FileKind::Ctable) | None => {
            let advice = foreign::advice_on(path).map_or(String::new(), |advice| format!("; {advice}"));
            bail!("input file '{input}' does not end with '{}'{advice}", names::EXTENSION)
        }
    }
    outputs.operand(item, names::without_extension)
}

/// [`output_of`] for a URL, whose output must be named. Its content tells what it is.
fn of_url(
    rules: NameRules,
    item: &InputFile,
    kind: Option<FileKind>,
    outputs: &Outputs,
    is_named: bool,
) -> Result<PathOrStdio> {
    let input = &item.operand;
    if rules.are_tables {
        files::operand_must_be_table("input file", input)?;
    } else {
        files::operand_must_exist("input file", input, ColumnAdvice::UseOption)?;
        files::refuse_group("input file", input)?;
    }
    match kind {
        _ if !is_named => bail!("name the <out_file> for '{input}', or use --output-dir"),
        _ => outputs.operand(item, names::without_extension),
    }
}
