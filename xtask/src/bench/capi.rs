//! The race of our C libraries against the Rust API, in several processes.

use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::data;
use super::program::{Program, TABLES, required_venv, trials};
use crate::capi_library::{self, Abi, Build};
use crate::{metadata, sh};

/// Each process has its own layout of memory, and runs copies of the files. The pages that hold a file change a mean of small
/// chunks by up to 0.07, for as long as the system keeps them in memory.
const PROCESSES: usize = 5;

const TABLE: &str = "capi.tsv";

/// Columns that name a line. The other columns are figures.
const NAMES: usize = 4;

/// Races, and saves the medians over the processes: without options in the repository.
pub(super) fn run(options: &[&str]) -> Result<()> {
    let (python, program, prefix) =
        (required_venv()?, Program::build(&[])?, metadata::target_directory()?.join("capi"));
    capi_library::install(&prefix, Build::User, Abi::Nine)?;
    let (libraries, data) = (prefix.join("lib"), data::folder(&python)?);
    let tables = if options.is_empty() { sh::root().join(TABLES) } else { trials()? };
    let folders: Vec<PathBuf> =
        (1..=PROCESSES).map(|run| Ok(trials()?.join(run.to_string()))).collect::<Result<_>>()?;
    for folder in &folders {
        let copied = |file: &Path| copy(file, folder);
        let mut race = program.moved(copied)?.command("capi")?;
        race.arg("--data").arg(&data);
        race.arg("--blosc2").arg(copied(&libraries.join("libblosc2.so.9"))?);
        race.arg("--blosc1").arg(copied(&libraries.join("libblosc.so.1"))?);
        // The global functions search the environment. Cargo adds about 20 variables to it.
        for (variable, _) in std::env::vars_os().filter(|(variable, _)| is_of_cargo(variable)) {
            race.env_remove(variable);
        }
        sh::run(race.arg("--out").arg(folder).args(options))?;
    }
    let texts: Vec<String> = folders.iter().map(|folder| read(folder)).collect::<Result<_>>()?;
    let medians = medians(&texts)?;
    std::fs::create_dir_all(&tables)?;
    std::fs::write(tables.join(TABLE), medians).context("writing the table")?;
    println!("medians of {PROCESSES} processes: {}", tables.join(TABLE).display());
    Ok(())
}

/// Copies `file` into `folder`, to other pages of memory than an earlier copy. Returns its path.
fn copy(file: &Path, folder: &Path) -> Result<PathBuf> {
    let to = folder.join(file.file_name().context("no file")?);
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    if to.exists() {
        std::fs::remove_file(&to).with_context(|| to.display().to_string())?;
    }
    std::fs::copy(file, &to).with_context(|| to.display().to_string())?;
    Ok(to)
}

fn is_of_cargo(variable: &OsStr) -> bool {
    variable == "LD_LIBRARY_PATH"
        || ["CARGO", "RUST"].iter().any(|prefix| variable.as_encoded_bytes().starts_with(prefix.as_bytes()))
}

fn read(folder: &Path) -> Result<String> {
    let path = folder.join(TABLE);
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// Returns the first table with the medians of all in place of its figures.
fn medians(tables: &[String]) -> Result<String> {
    let mut tables: Vec<_> = tables.iter().map(|table| table.lines()).collect();
    let mut text = String::new();
    while let Some(lines) = tables.iter_mut().map(Iterator::next).collect::<Option<Vec<&str>>>() {
        let rows: Vec<Vec<&str>> = lines.iter().map(|line| line.split('\t').collect()).collect();
        let is_of_figures = rows[0].get(NAMES).is_some_and(|figure| figure.parse::<f64>().is_ok());
        text += &if is_of_figures { median_row(&rows)? } else { lines[0].to_owned() };
        text.push('\n');
    }
    Ok(text)
}

fn median_row(rows: &[Vec<&str>]) -> Result<String> {
    let names = &rows[0][..NAMES];
    ensure!(
        rows.iter().all(|row| row.starts_with(names) && row.len() == rows[0].len()),
        "the tables differ at {names:?}"
    );
    let mut median: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    for column in NAMES..rows[0].len() {
        let mut figures: Vec<f64> = rows.iter().map(|row| row[column].parse()).collect::<Result<_, _>>()?;
        figures.sort_by(f64::total_cmp);
        median.push(format!("{:.3}", figures[figures.len() / 2]));
    }
    Ok(median.join("\t"))
}

#[cfg(test)]
mod tests {
    use super::medians;

    #[test]
    fn figures_become_medians() {
        let table = |a: &str, b: &str| format!("# machine\nw\tx\ty\tz\tfast\tslow\nc\tlz4\t1\tset\t{a}\t{b}\n");
        let tables = [table("1.0", "3.000"), table("1.5", "1.000"), table("9.0", "2.000")];
        assert_eq!(medians(&tables).unwrap(), table("1.500", "2.000"));
        let other = tables[0].replace("lz4", "zstd");
        assert!(medians(&[tables[0].clone(), other]).is_err());
    }
}
