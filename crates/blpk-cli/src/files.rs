//! Checks of files before a command runs, in the order and wording of the original.

use crate::file_kind::{FileKind, is_container_directory, kind_of};
use crate::overwrite::Overwrite;
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use crate::streams::{refuse_same_file, sized};
use crate::url;
use anyhow::{Context as _, Result, bail};
use bloscpack_format::Json;
use bloscpack_io::bcolz::{self, LocalDirectory};
use bloscpack_io::{Address, ReadDirectory};
use std::fs;
use std::path::{Path, PathBuf};

/// Refuses a missing input, and an output that must not be replaced.
pub(crate) fn check(input: &PathOrStdio, output: &PathOrStdio, overwrite: Overwrite, session: &Session) -> Result<()> {
    operand_must_exist("input file", input)?;
    check_output(input, output, overwrite, session)
}

/// [`check`] for commands that take directories with `--recursive`.
pub(crate) fn check_one_of_many(
    input: &PathOrStdio,
    output: &PathOrStdio,
    overwrite: Overwrite,
    session: &Session,
) -> Result<()> {
    match input {
        PathOrStdio::File(path) => input_must_exist("input file", path)?,
        other => operand_must_exist("input file", other)?,
    }
    check_output(input, output, overwrite, session)
}

/// Refuses an output that must not be replaced, or is the input.
pub(crate) fn check_output(
    input: &PathOrStdio,
    output: &PathOrStdio,
    overwrite: Overwrite,
    session: &Session,
) -> Result<()> {
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
pub(crate) fn operand_must_exist(what: &str, operand: &PathOrStdio) -> Result<()> {
    match operand {
        PathOrStdio::Standard => Ok(()),
        PathOrStdio::File(path) => must_exist(what, path),
        PathOrStdio::Url(url) => match url::open(url, None)?.table() {
            Some(table) => {
                bail!("{what} '{operand}' is a bcolz ctable; choose a column with --column: {}", listed(&table))
            }
            None => Ok(()),
        },
    }
}

/// Refuses a missing file, and a directory that is not a container.
pub(crate) fn must_exist(what: &str, path: &Path) -> Result<()> {
    exists(what, path, "")
}

/// [`must_exist`] for an input that may be a directory with `--recursive`.
pub(crate) fn input_must_exist(what: &str, path: &Path) -> Result<()> {
    exists(what, path, "; use --recursive for the files in it")
}

fn exists(what: &str, path: &Path, advice: &str) -> Result<()> {
    match fs::metadata(path) {
        Ok(_) if is_container_directory(path) => Ok(()),
        Ok(found) if found.is_dir() => bail!("{what} '{}' is {}", path.display(), directory(path, advice)),
        Ok(_) => Ok(()),
        Err(_) if !path.exists() => {
            // An invalid URL is a path, too.
            Address::parse(path)?;
            bail!("{what} '{}' does not exist!", path.display())
        }
        Err(error) => Err(error).with_context(|| format!("{what} '{}'", path.display())),
    }
}

/// Returns the name of a file or directory that the command seeks in. Refuses stdin and stdout.
pub(crate) fn not_standard(what: &str, path: &Path) -> Result<PathOrStdio> {
    match PathOrStdio::from(path.to_owned()) {
        PathOrStdio::Standard => bail!("<{what}> cannot be '-': a file or directory is needed"),
        operand => Ok(operand),
    }
}

/// Describes a directory that cannot be read as one container.
fn directory(path: &Path, advice: &str) -> String {
    let has = |names: &[&str]| names.iter().any(|name| path.join(name).is_file());
    if kind_of(path) == Some(FileKind::Ctable) {
        format!("a bcolz ctable; choose a column with --column: {}", columns(path))
    } else if has(&[".zarray", ".zgroup", "zarr.json"]) {
        "a Zarr directory, which this version cannot read; 'blpk chunk decode' reads those of its chunks that Blosc \
         alone has compressed"
            .into()
    } else {
        format!("a directory, not a file{advice}")
    }
}

/// Refuses anything but a ctable: only ctables have columns.
pub(crate) fn table_must_exist(what: &str, path: &Path) -> Result<()> {
    match kind_of(path) {
        Some(FileKind::Ctable) => Ok(()),
        _ if !path.exists() => bail!("{what} '{}' does not exist!", path.display()),
        _ => bail!("{what} '{}' is not a bcolz ctable, which --column is for", path.display()),
    }
}

/// [`table_must_exist`] for a name on the command line.
pub(crate) fn operand_must_be_table(what: &str, operand: &PathOrStdio) -> Result<()> {
    match operand {
        PathOrStdio::Standard => bail!("a pipe is not a bcolz ctable, which --column is for"),
        PathOrStdio::File(path) => table_must_exist(what, path),
        PathOrStdio::Url(url) => match url::open(url, None)?.table() {
            Some(_) => Ok(()),
            None => bail!("{what} '{operand}' is not a bcolz ctable, which --column is for"),
        },
    }
}

/// Lists the columns of a ctable for a message, at most the first 20.
pub(crate) fn columns(path: &Path) -> String {
    listed(&LocalDirectory::new(path))
}

/// [`columns`] of a ctable in any directory.
fn listed(table: &dyn ReadDirectory) -> String {
    const MOST: usize = 20;
    let names = match bcolz::column_names(&table, &bloscpack_io::OpenOptions::new()) {
        Ok(names) if names.is_empty() => return "it has none".into(),
        Ok(names) => names,
        Err(_) => return "their list cannot be read".into(),
    };
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
    must_exist("metadata file", path)?;
    let size = fs::metadata(path).map_or(0, |found| found.len()) as usize;
    let text = fs::read(path)
        .map_err(|error| sized(error, size))
        .with_context(|| format!("reading metadata file '{}'", path.display()))?;
    let value = Json::parse(text).with_context(|| format!("metadata file '{}' is not valid JSON", path.display()))?;
    Ok(Some(value).filter(|value| *value != Json::Null))
}
