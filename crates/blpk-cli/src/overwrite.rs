//! Existing outputs: which of them `-f` replaces.
//!
//! With two names, the second is the output, and a shell pattern that matches two files looks the same. With `-f`, a
//! command therefore replaces only files of the kind that it writes. `-ff` and `--output` replace any file.

use crate::file_kind::{FileKind, kind_of, try_kind_of};
use crate::names::{has_our_name, is_directory_name, without_extension};
use crate::path_or_stdio::PathOrStdio;
use crate::session::Session;
use anyhow::{Context as _, Result, bail};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// The output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writes {
    /// Compressed data: a bloscpack file, a contiguous frame or a bare chunk.
    Packed,
    /// Plain bytes.
    Plain,
    /// A container, possibly a directory. Its kind follows from the output's name.
    Container,
}

/// How the output got its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// It follows from the input's name.
    ByInput,
    /// It is the second of two names, which could be two inputs. Holds the verb for the advice.
    SecondOfTwo(&'static str),
    /// `--output` names it, or the only other name is `-`.
    AsOutput,
    /// The command always takes an input and an output.
    ByPosition,
}

/// Decides which existing files an output may replace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overwrite {
    pub(crate) writes: Writes,
    pub(crate) named: Named,
}

/// Why `-f` does not replace a file.
enum Protected {
    Container(FileKind),
    Name,
    Foreign,
}

impl Overwrite {
    /// For commands that choose the kind of the output by its name: `-f` replaces any file.
    pub(crate) const CONTAINER: Overwrite = Overwrite { writes: Writes::Container, named: Named::ByPosition };

    /// For commands that always take an input and an output. If the input is stdin, the other name can only be the
    /// output.
    pub(crate) fn by_position(input: &PathOrStdio, writes: Writes) -> Overwrite {
        let named = if *input == PathOrStdio::Standard { Named::AsOutput } else { Named::ByPosition };
        Overwrite { writes, named }
    }

    /// Refuses an output that exists and must not be replaced.
    pub(crate) fn check(self, input: &PathOrStdio, output: &PathOrStdio, session: &Session) -> Result<()> {
        let PathOrStdio::File(path) = output else { return Ok(()) };
        if self.writes != Writes::Container {
            self.refuse_directory(path, output, session)?;
        }
        // A dangling link exists, too.
        let exists = path.symlink_metadata().is_ok();
        if !exists || session.replaces_any {
            return Ok(());
        }
        let kept = match self.protected(input, path) {
            Ok(kept) => kept,
            // Refused anyway, whatever the file holds.
            Err(_) if !session.force => None,
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("output file '{output}' must be read before -f replaces it"));
            }
        };
        match (session.force, kept, self.named) {
            (false, Some(_), Named::SecondOfTwo(verb)) => {
                bail!(
                    "output file '{output}' exists!; of two names the second is the output: to {verb} both, use --each"
                )
            }
            (false, _, _) => bail!("output file '{output}' exists!"),
            (_, None, _) | (_, _, Named::AsOutput) => Ok(()),
            (_, Some(kept), Named::SecondOfTwo(verb)) => bail!(
                "output file '{output}' {kept}, which -f does not replace: use -ff or --output to replace it, or --each \
                 to {verb} both files"
            ),
            (_, Some(kept), Named::ByInput) => {
                bail!("output file '{output}' {kept}, which -f does not replace: use -ff or --output to replace it")
            }
            (_, Some(kept), Named::ByPosition) => {
                bail!("output file '{output}' {kept}, which -f does not replace: use -ff to replace it")
            }
        }
    }

    fn refuse_directory(self, path: &Path, output: &PathOrStdio, session: &Session) -> Result<()> {
        if !path.is_dir() && !is_directory_name(path) {
            return Ok(());
        }
        let what = match path.is_dir() && !session.force {
            true => format!("output file '{output}' exists!; it is a directory"),
            false => format!("output file '{output}' is a directory"),
        };
        if let (Named::SecondOfTwo(verb), Some(kind)) = (self.named, kind_of(path)) {
            bail!("{what}, {kind}; of two names the second is the output: to {verb} both, use --each");
        }
        match self.named {
            Named::ByPosition => bail!("{what}: name a file in it"),
            Named::ByInput => bail!("{what}: use --output to name a file"),
            Named::SecondOfTwo(_) | Named::AsOutput => bail!("{what}: use --output-dir {output} to write into it"),
        }
    }

    /// Returns why `-f` does not replace the file; `None` if it loses nothing of value.
    fn protected(self, input: &PathOrStdio, path: &Path) -> io::Result<Option<Protected>> {
        // A device or a pipe is written to, not replaced.
        let replaced = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
        if !replaced || self.writes == Writes::Container {
            return Ok(None);
        }
        Ok(self.of_value(input, path, try_kind_of(path)?))
    }

    /// Returns why `-f` does not replace a non-empty file, by its kind.
    fn of_value(self, input: &PathOrStdio, path: &Path, kind: Option<FileKind>) -> Option<Protected> {
        match (self.writes, kind) {
            (Writes::Container, _) => None,
            // Both names are archives: they look like two inputs.
            (Writes::Packed, Some(kind)) if is_packed(kind) => {
                (is_archive(input) && !extends(input, path)).then_some(Protected::Container(kind))
            }
            // Damaged: the name shows its former kind.
            (Writes::Packed, _) if has_our_name(path) => None,
            (Writes::Packed, _) => Some(Protected::Foreign),
            (Writes::Plain, Some(FileKind::Npy)) if is_default_output(input, path) => None,
            (Writes::Plain, Some(kind)) => Some(Protected::Container(kind)),
            (Writes::Plain, None) => has_our_name(path).then_some(Protected::Name),
        }
    }
}

/// Whether a kind of file is compressed data in one file.
fn is_packed(kind: FileKind) -> bool {
    matches!(kind, FileKind::Bloscpack | FileKind::Chunk | FileKind::Frame)
}

fn is_archive(input: &PathOrStdio) -> bool {
    matches!(input, PathOrStdio::File(path) if kind_of(path).is_some_and(is_packed))
}

/// Whether an output's name is the input's name with an extension: `x.blp.blp` for `x.blp`, in any directory.
fn extends(input: &PathOrStdio, output: &Path) -> bool {
    let name = |path: &Path| path.file_name().map(|name| name.as_encoded_bytes().to_vec());
    match (input, name(output)) {
        (PathOrStdio::File(input), Some(output)) => name(input).is_some_and(|input| output.starts_with(&input)),
        _ => false,
    }
}

/// Whether an output has its default name: `data.npy` for `data.npy.blp`, in any directory.
fn is_default_output(input: &PathOrStdio, output: &Path) -> bool {
    match input {
        PathOrStdio::File(input) => without_extension(input).file_name() == output.file_name(),
        PathOrStdio::Standard | PathOrStdio::Url(_) => false,
    }
}

impl fmt::Display for Protected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Protected::Container(kind) => write!(f, "is {kind}"),
            Protected::Name => f.write_str("has the name of a container"),
            Protected::Foreign => f.write_str("contains data that this command did not write"),
        }
    }
}
