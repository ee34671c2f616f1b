//! Saved tables: tab-separated values after comments that record machine, versions and date.

use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::Path;

/// A parsed table.
pub struct Table {
    pub comments: Vec<String>,
    columns: Vec<String>,
    lines: Vec<Vec<String>>,
}

/// One row of a table.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    columns: &'a [String],
    values: &'a [String],
}

/// Writes table `name` to `folder`.
pub fn write(folder: &Path, name: &str, comments: &str, columns: &str, lines: &[String]) -> Result<()> {
    let mut text: String = comments.lines().map(|line| format!("# {line}\n")).collect();
    let _ = writeln!(text, "{columns}");
    for line in lines {
        let _ = writeln!(text, "{line}");
    }
    std::fs::create_dir_all(folder)?;
    let path = folder.join(name);
    std::fs::write(&path, text).with_context(|| path.display().to_string())
}

impl Table {
    /// Reads table `name` from `folder`; `None` if it cannot be read.
    pub fn read(folder: &Path, name: &str) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(folder.join(name)).ok()?)
    }

    /// Parses the text of a table; `None` if it has no line of columns.
    pub fn parse(text: &str) -> Option<Self> {
        let split = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
        let (comments, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
        let comments = comments.iter().map(|line| line.trim_start_matches(['#', ' ']).to_owned()).collect();
        let (columns, lines) = rest.split_first()?;
        Some(Table { comments, columns: split(columns), lines: lines.iter().map(|line| split(line)).collect() })
    }

    /// Writes the table to `folder` as `name`.
    pub fn write(&self, folder: &Path, name: &str) -> Result<()> {
        let lines: Vec<String> = self.lines.iter().map(|line| line.join("\t")).collect();
        write(folder, name, &self.comments.join("\n"), &self.columns.join("\t"), &lines)
    }

    /// Puts `lines` in place of the rows in which each of these columns has the given value.
    pub fn replace(&mut self, wanted: &[(&str, String)], lines: &[String]) {
        let columns = &self.columns;
        let is_wanted = |values: &[String]| {
            let record = Record { columns, values };
            wanted.iter().all(|(column, value)| record.text(column) == value)
        };
        let Some(at) = self.lines.iter().position(|values| is_wanted(values)) else { return };
        self.lines.retain(|values| !is_wanted(values));
        self.lines.splice(at..at, lines.iter().map(|line| line.split('\t').map(str::to_owned).collect()));
    }

    /// Returns the rows in which each of these columns has the given value.
    pub fn select(&self, wanted: &[(&str, &str)]) -> Vec<Record<'_>> {
        let records = self.lines.iter().map(|values| Record { columns: &self.columns, values });
        records.filter(|record| wanted.iter().all(|(column, value)| record.text(column) == *value)).collect()
    }
}

impl<'a> Record<'a> {
    /// Returns the value in a column, empty if there is none.
    pub fn text(self, column: &str) -> &'a str {
        let at = self.columns.iter().position(|name| name == column);
        at.and_then(|at| self.values.get(at)).map_or("", String::as_str)
    }

    /// Returns the number in a column.
    pub fn number(self, column: &str) -> f64 {
        self.text(column).parse().unwrap_or(f64::NAN)
    }
}
