//! Checks of files before a command runs, in the order and wording of the original.

use crate::column_advice::ColumnAdvice;
use crate::file_kind::{FileKind, is_container_directory, kind_of};
use crate::overwrite::Overwrite;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::streams::{refuse_same_file, sized};
use crate::url;
use anyhow::{Context as _, Result, bail};
use bloscpack_format::Json;
use bloscpack_io::bcolz::{self, Below, LocalDirectory};
use bloscpack_io::zarr::{Group, node_at, open_store};
use bloscpack_io::{Address, AnyDirectory, AnySource, Archive, Input, Limits, OpenOptions, ReadDirectory};
use std::fs;
use std::path::{Path, PathBuf};

/// Refuses an output without a name, that must not be replaced, or is the input.
pub(crate) fn check_output(
    input: &PathOrStdio,
    output: &PathOrStdio,
    overwrite: Overwrite,
    session: &Session,
) -> Result<()> {
    if matches!(output, PathOrStdio::File(path) if path.as_os_str().is_empty()) {
        bail!("the name of the output file is empty");
    }
    // With `-f`, "input and output are the same file" is the more useful message, so it comes before checks of the content.
    if session.force {
        refuse_same_file(input, output)?;
    }
    overwrite.check(input, output, session)?;
    if let PathOrStdio::Url(url) = output {
        url::check_output(url, session.force)?;
    }
    if !session.force {
        refuse_same_file(input, output)?;
    }
    if matches!(output, PathOrStdio::File(path) if path.exists()) {
        session.report.verbose(format!("overwriting existing file: '{output}'"));
    }
    session.report.verbose(format!("input file is: '{input}'"));
    session.report.verbose(format!("output file is: '{output}'"));
    Ok(())
}

/// [`must_exist`] for a name on the command line. A URL is opened.
pub(crate) fn operand_must_exist(what: &str, operand: &PathOrStdio, columns: ColumnAdvice) -> Result<()> {
    match operand {
        PathOrStdio::Standard => Ok(()),
        PathOrStdio::File(path) => must_exist(what, path, columns),
        PathOrStdio::Url(url) => {
            let source = url::open(url, None)?;
            // A zip archive is a file, too.
            if source.is_directory() { refuse_members(what, operand, &source, columns) } else { Ok(()) }
        }
    }
}

/// Refuses a missing file, and a directory that is not a container.
pub(crate) fn must_exist(what: &str, path: &Path, columns: ColumnAdvice) -> Result<()> {
    exists(what, path, columns, "")
}

/// [`operand_must_exist`] for an input that may be a directory with `--recursive`.
pub(crate) fn one_of_many_must_exist(what: &str, operand: &PathOrStdio, columns: ColumnAdvice) -> Result<()> {
    match operand {
        PathOrStdio::File(path) => input_must_exist(what, path, columns),
        other => operand_must_exist(what, other, columns),
    }
}

/// [`must_exist`] for an input that may be a directory with `--recursive`.
pub(crate) fn input_must_exist(what: &str, path: &Path, columns: ColumnAdvice) -> Result<()> {
    exists(what, path, columns, "; use --recursive for the files in it")
}

fn exists(what: &str, path: &Path, columns: ColumnAdvice, advice: &str) -> Result<()> {
    match fs::metadata(path) {
        Ok(_) if is_container_directory(path) => Ok(()),
        Ok(found) if found.is_dir() => bail!("{what} '{}' is {}", path.display(), directory(path, columns, advice)),
        Ok(_) => Ok(()),
        Err(_) if !path.exists() => {
            not_url(what, path)?;
            bail!("{what} '{}' does not exist!", path.display())
        }
        Err(error) => Err(error).with_context(|| format!("{what} '{}'", path.display())),
    }
}

/// Refuses a URL, also an invalid one, in place of a file that is changed.
pub(crate) fn not_url(what: &str, path: &Path) -> Result<()> {
    match Address::parse(path)? {
        Address::Path(_) => Ok(()),
        url => bail!("{what} '{url}' is a URL, but this command needs a file or directory of this machine"),
    }
}

/// Returns the name of a file or directory that the command seeks in. Refuses stdin and stdout.
pub(crate) fn not_standard(what: &str, path: &Path) -> Result<PathOrStdio> {
    match PathOrStdio::from(path.to_owned()) {
        PathOrStdio::Standard => bail!("<{what}> cannot be '-': a file or directory is needed"),
        PathOrStdio::Url(_) => bail!("<{what}> cannot be a URL: a file or directory of this machine is needed"),
        operand => Ok(operand),
    }
}

/// Describes a directory that cannot be read as one container.
fn directory(path: &Path, columns: ColumnAdvice, advice: &str) -> String {
    match kind_of(path) {
        Some(FileKind::Ctable) => ctable(&LocalDirectory::new(path), columns),
        Some(FileKind::ZarrGroup) => group_at(path, columns),
        _ if advice.is_empty() => "a directory of no known format".into(),
        _ => format!("a directory, not a file{advice}"),
    }
}

/// Refuses anything but a ctable or a Zarr group: only these have columns.
pub(crate) fn table_must_exist(what: &str, path: &Path) -> Result<()> {
    match kind_of(path) {
        Some(FileKind::Ctable | FileKind::ZarrGroup) => Ok(()),
        _ if !path.exists() => bail!("{what} '{}' does not exist!", path.display()),
        _ => bail!("{what} '{}' is neither a bcolz ctable nor a Zarr group, which --column is for", path.display()),
    }
}

/// [`table_must_exist`] for a name on the command line.
pub(crate) fn operand_must_be_table(what: &str, operand: &PathOrStdio) -> Result<()> {
    const FOR: &str = "neither a bcolz ctable nor a Zarr group, which --column is for";
    match operand {
        PathOrStdio::Standard => bail!("a pipe is {FOR}"),
        PathOrStdio::File(path) => table_must_exist(what, path),
        PathOrStdio::Url(url) => match members(&url::open(url, None)?, ColumnAdvice::UseOption)? {
            Some(_) => Ok(()),
            None => bail!("{what} '{operand}' is {FOR}"),
        },
    }
}

/// Refuses a ctable and a Zarr group, of which a command reads one array.
pub(crate) fn refuse_members(
    what: &str,
    operand: &PathOrStdio,
    source: &AnySource,
    columns: ColumnAdvice,
) -> Result<()> {
    match members(source, columns)? {
        Some(members) => bail!("{what} '{operand}' is {members}"),
        None => Ok(()),
    }
}

/// Describes a ctable or a Zarr group, and how to choose what is in it. `None` for other sources.
fn members(source: &AnySource, columns: ColumnAdvice) -> Result<Option<String>> {
    if let Some(table) = source.table() {
        return Ok(Some(ctable(&table, columns)));
    }
    let store = source.zarr(&OpenOptions::new())?;
    Ok(store.filter(|(_, is_group)| *is_group).map(|(store, _)| zarr_group(&store, columns)))
}

/// Returns the paths of the arrays in a Zarr group.
pub(crate) fn arrays_of(store: &AnyDirectory) -> Result<Vec<String>> {
    Ok(Group::open(store)?.arrays()?)
}

/// Opens one of the [`arrays_of`] a group. The metadata of the group are not read again.
pub(crate) fn array_of<'a>(store: &'a AnyDirectory, array: &str) -> Result<Archive<'a>> {
    if node_at(store, array, &Limits::new())?.is_none() {
        bail!("{}: the consolidated metadata of the group name an array that does not exist", store.name(array));
    }
    Ok(Archive::open(Input::directory(Below::new(store, array)))?)
}

/// Refuses a Zarr group, of which a command reads one array.
pub(crate) fn refuse_group(what: &str, operand: &PathOrStdio) -> Result<()> {
    let group = match operand {
        PathOrStdio::File(path) if kind_of(path) == Some(FileKind::ZarrGroup) => {
            group_at(path, ColumnAdvice::UseOption)
        }
        PathOrStdio::Url(url) => match url::open(url, None)?.zarr(&OpenOptions::new()) {
            Ok(Some((store, true))) => zarr_group(&store, ColumnAdvice::UseOption),
            // Damage is reported when the input is read.
            _ => return Ok(()),
        },
        _ => return Ok(()),
    };
    bail!("{what} '{operand}' is {group}")
}

/// [`zarr_group`] at a path.
fn group_at(path: &Path, columns: ColumnAdvice) -> String {
    match open_store(path, &OpenOptions::new()) {
        Ok(store) => zarr_group(&AnyDirectory::from(store), columns),
        Err(_) => "a Zarr group, which cannot be read".into(),
    }
}

/// Describes a Zarr group, which cannot be read as one array.
fn zarr_group(store: &AnyDirectory, columns: ColumnAdvice) -> String {
    let arrays = arrays_of(store);
    let arrays = arrays.map_or_else(|_| "their list cannot be read".into(), |names| listed(&names));
    format!("a Zarr group; {}: {arrays}", columns.for_a("array"))
}

/// Describes a ctable, which cannot be read as one array.
fn ctable(table: &dyn ReadDirectory, columns: ColumnAdvice) -> String {
    let names = bcolz::column_names(&table, &OpenOptions::new());
    let names = names.map_or_else(|_| "their list cannot be read".into(), |names| listed(&names));
    format!("a bcolz ctable; {}: {names}", columns.for_a("column"))
}

/// Lists names for a message, at most the first 20.
fn listed(names: &[String]) -> String {
    const MOST: usize = 20;
    if names.is_empty() {
        return "it has none".into();
    }
    let first: Vec<String> = names.iter().take(MOST).map(|name| format!("{name:?}")).collect();
    let more = names.len().saturating_sub(MOST);
    first.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// Reads metadata from a JSON file in Python's dialect of JSON. `null` means no metadata.
pub(crate) fn read_metadata(path: Option<&PathBuf>) -> Result<Option<Json>> {
    let Some(path) = path else { return Ok(None) };
    if path.as_os_str() == "-" {
        bail!("the metadata file cannot be '-', because stdin is for the data; name a file");
    }
    must_exist("metadata file", path, ColumnAdvice::ConvertFirst)?;
    let size = fs::metadata(path).map_or(0, |found| found.len()) as usize;
    let text = fs::read(path)
        .map_err(|error| sized(error, size))
        .with_context(|| format!("reading metadata file '{}'", path.display()))?;
    let value = Json::parse(text).with_context(|| format!("metadata file '{}' is not valid JSON", path.display()))?;
    Ok(Some(value).filter(|value| *value != Json::Null))
}
