//! Data sets: files `NAME.TYPESIZE.bin` made by `mkdata.py`, or small sets generated here.

use anyhow::{Context, Result, bail};
use std::path::Path;
use testdata::{PlainKind, plain};

/// The sets that means in the goals and in the picture are over. Others have element types and shapes that these lack.
const CORE: [&str; 10] =
    ["eph_f64", "ids_i64", "img_u16", "lin_f64", "mri_i16", "ohlc_f64", "rand", "text", "ts_i64", "wx_f32"];

/// Returns whether the named set is one of the ten core sets.
pub fn is_core(name: &str) -> bool {
    CORE.contains(&name)
}

/// Uncompressed data with the typesize used to compress it.
pub struct Set {
    pub name: String,
    pub typesize: usize,
    pub bytes: Vec<u8>,
}

impl Set {
    /// Returns buffers of `size` bytes in whole elements, evenly spread over the set: all of them, or about `total`
    /// bytes.
    pub fn buffers(&self, size: usize, total: usize) -> Vec<&[u8]> {
        let size = size.min(self.bytes.len()) / self.typesize * self.typesize;
        let there = self.bytes.len() / size;
        let wanted = (total / size).clamp(1, there);
        (0..wanted).map(|i| i * there / wanted * size).map(|at| &self.bytes[at..at + size]).collect()
    }
}

/// Reads the sets in `folder` whose names start with one of `names`, or the core sets if `names` is empty.
pub fn core(folder: &Path, names: &[String]) -> Result<Vec<Set>> {
    let mut sets = read(folder, names)?;
    if names.is_empty() {
        sets.retain(|set| is_core(&set.name));
    }
    Ok(sets)
}

/// Reads the sets in `folder` whose names start with one of `names`, or all sets if `names` is empty. The core sets are
/// first.
pub fn read(folder: &Path, names: &[String]) -> Result<Vec<Set>> {
    read_folders(&[folder], names)
}

/// Reads these sets and those for the race of automatic choice.
pub fn with_corpus(folder: &Path, names: &[String]) -> Result<Vec<Set>> {
    read_folders(&[folder, &folder.join("corpus")], names)
}

fn read_folders(folders: &[&Path], names: &[String]) -> Result<Vec<Set>> {
    let mut sets = Vec::new();
    for folder in folders {
        sets.extend(read_folder(folder, names)?);
    }
    sets.sort_by_key(|set: &Set| (!is_core(&set.name), set.name.clone()));
    if sets.is_empty() { bail!("no data set of {names:?} in {folders:?}") } else { Ok(sets) }
}

fn read_folder(folder: &Path, names: &[String]) -> Result<Vec<Set>> {
    let mut sets = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("data sets in {}", folder.display()))? {
        let path = entry?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((name, typesize)) = file.strip_suffix(".bin").and_then(|stem| stem.rsplit_once('.')) else {
            continue;
        };
        if names.is_empty() || names.iter().any(|wanted| name.starts_with(wanted.as_str())) {
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            sets.push(Set { name: name.to_owned(), typesize: typesize.parse()?, bytes });
        }
    }
    Ok(sets)
}

/// Returns three small sets that need no files, to check that everything works.
pub fn made() -> Vec<Set> {
    let kinds = [("ramp", PlainKind::Ramp, 4), ("text", PlainKind::Text, 1), ("noise", PlainKind::Noise, 8)];
    let set = |(seed, (name, kind, typesize)): (usize, (&str, _, _))| Set {
        name: name.to_owned(),
        typesize,
        bytes: plain(kind, 1 << 20, typesize, seed as u64),
    };
    kinds.into_iter().enumerate().map(set).collect()
}
