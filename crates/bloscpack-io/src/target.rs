//! Targets of conversions: the kinds of output, their file name extensions, and the options of each.

use std::fmt;
use std::path::Path;

/// The kind of output of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// A bloscpack file, `.blp`.
    Bloscpack,
    /// A contiguous frame, `.b2frame`.
    Frame,
    /// An array in a contiguous frame, `.b2nd`.
    Array,
    /// A NumPy file, `.npy`.
    Npy,
    /// A bcolz directory, `.bcolz`: a ctable if the input is a table, else a carray.
    Bcolz,
    /// A Zarr directory, `.zarr`: a group with an array for each column if the input is a table, else an array.
    Zarr,
    /// Comma-separated values, `.csv`. Needs the feature `csv`.
    Csv,
    /// A directory with a file for each column of a table.
    Columns(ColumnFiles),
}

/// The format of the files for the columns of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnFiles {
    /// A NumPy file, `.npy`.
    Npy,
    /// An array in a contiguous frame, `.b2nd`.
    B2nd,
}

/// An option of a conversion that only some targets support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConvertOption {
    /// [`ConvertOptions::column`](crate::ConvertOptions::column).
    Column,
    /// [`ConvertOptions::chunk_size`](crate::ConvertOptions::chunk_size).
    ChunkSize,
    /// [`ConvertOptions::chunkshape`](crate::ConvertOptions::chunkshape).
    Chunkshape,
    /// [`ConvertOptions::blockshape`](crate::ConvertOptions::blockshape).
    Blockshape,
    /// [`ConvertOptions::blocksize`](crate::ConvertOptions::blocksize).
    Blocksize,
    /// [`ConvertOptions::split`](crate::ConvertOptions::split).
    Split,
    /// [`ConvertOptions::dictionary`](crate::ConvertOptions::dictionary).
    Dictionary,
    /// [`ConvertOptions::checksum`](crate::ConvertOptions::checksum).
    Checksum,
    /// [`ConvertOptions::offsets`](crate::ConvertOptions::offsets).
    Offsets,
    /// [`ConvertOptions::max_app_chunks`](crate::ConvertOptions::max_app_chunks).
    MaxAppChunks,
    /// [`ConvertOptions::metadata`](crate::ConvertOptions::metadata).
    Metadata,
    /// [`ConvertOptions::metadata_args`](crate::ConvertOptions::metadata_args).
    MetadataArgs,
    /// [`ConvertOptions::zarr_format`](crate::ConvertOptions::zarr_format).
    ZarrFormat,
    /// [`ConvertOptions::write_empty_chunks`](crate::ConvertOptions::write_empty_chunks).
    WriteEmptyChunks,
    /// [`ConvertOptions::verify`](crate::ConvertOptions::verify).
    Verify,
}

/// The file name extensions of each target, the usual one first.
const EXTENSIONS: [(Target, &[&str]); 7] = [
    (Target::Bloscpack, &["blp"]),
    (Target::Frame, &["b2frame", "b2f", "b2"]),
    (Target::Array, &["b2nd"]),
    (Target::Npy, &["npy"]),
    (Target::Bcolz, &["bcolz"]),
    (Target::Zarr, &["zarr"]),
    (Target::Csv, &["csv"]),
];

impl Target {
    /// Returns the target for the extension of a file name, or `None` for other names.
    #[must_use]
    pub fn of_name(path: impl AsRef<Path>) -> Option<Target> {
        let extension = path.as_ref().extension()?.to_str()?;
        EXTENSIONS.into_iter().find(|(_, names)| names.contains(&extension)).map(|(target, _)| target)
    }

    /// [`Target::of_name`] for an input that is a table. A name with a trailing separator or without an extension, or
    /// an existing directory, means [`Target::Columns`] with these `files`. The extensions of bcolz, Zarr and CSV keep
    /// their meaning.
    #[must_use]
    pub fn of_table_name(path: impl AsRef<Path>, files: ColumnFiles) -> Option<Target> {
        fn inner(path: &Path, files: ColumnFiles) -> Option<Target> {
            if path.to_string_lossy().ends_with(std::path::is_separator) {
                return Some(Target::Columns(files));
            }
            match Target::of_name(path) {
                found @ Some(Target::Bcolz | Target::Zarr | Target::Csv) => found,
                _ if path.extension().is_none() || path.is_dir() => Some(Target::Columns(files)),
                found => found,
            }
        }
        inner(path.as_ref(), files)
    }

    /// Returns the file name extensions of this target without the dot, the usual one first. For [`Target::Columns`],
    /// those of the column files.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        let target = self.of_files();
        EXTENSIONS.into_iter().find(|(found, _)| *found == target).map_or(&[], |(_, names)| names)
    }

    /// Returns the usual file name extension of this target without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.extensions().first().copied().unwrap_or_default()
    }

    /// Returns whether outputs of this target are directories.
    #[must_use]
    pub fn is_directory(self) -> bool {
        matches!(self, Target::Bcolz | Target::Zarr | Target::Columns(_))
    }

    /// Returns whether this target supports the option.
    #[must_use]
    pub fn has(self, option: ConvertOption) -> bool {
        match self {
            Target::Columns(_) if option == ConvertOption::Column => false,
            _ => option.targets().contains(&self.of_files()),
        }
    }

    /// Returns the target of each column file for [`Target::Columns`], and any other target unchanged.
    fn of_files(self) -> Target {
        match self {
            Target::Columns(files) => files.target(),
            target => target,
        }
    }
}

impl ColumnFiles {
    /// Returns the file name extension without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        self.target().extension()
    }

    pub(crate) fn target(self) -> Target {
        match self {
            ColumnFiles::Npy => Target::Npy,
            ColumnFiles::B2nd => Target::Array,
        }
    }
}

impl ConvertOption {
    /// Returns the targets that support the option. [`Target::Columns`] supports the options of its files, except
    /// `column`.
    #[must_use]
    pub fn targets(self) -> &'static [Target] {
        use Target::{Array, Bcolz, Bloscpack, Csv, Frame, Npy, Zarr};
        match self {
            ConvertOption::Column => &[Bloscpack, Frame, Array, Npy, Bcolz, Zarr, Csv],
            ConvertOption::ChunkSize => &[Bloscpack, Frame],
            ConvertOption::Chunkshape => &[Array, Bcolz, Zarr],
            ConvertOption::Blockshape => &[Array],
            ConvertOption::Blocksize => &[Frame, Zarr],
            ConvertOption::Split => &[Bloscpack, Frame, Array, Zarr],
            ConvertOption::Dictionary => &[Frame, Array],
            ConvertOption::ZarrFormat | ConvertOption::WriteEmptyChunks => &[Zarr],
            ConvertOption::Checksum
            | ConvertOption::Offsets
            | ConvertOption::MaxAppChunks
            | ConvertOption::Metadata
            | ConvertOption::MetadataArgs
            | ConvertOption::Verify => &[Bloscpack],
        }
    }
}

/// Displays the name of the setter.
impl fmt::Display for ConvertOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConvertOption::Column => "column",
            ConvertOption::ChunkSize => "chunk_size",
            ConvertOption::Chunkshape => "chunkshape",
            ConvertOption::Blockshape => "blockshape",
            ConvertOption::Blocksize => "blocksize",
            ConvertOption::Split => "split",
            ConvertOption::Dictionary => "dictionary",
            ConvertOption::Checksum => "checksum",
            ConvertOption::Offsets => "offsets",
            ConvertOption::MaxAppChunks => "max_app_chunks",
            ConvertOption::Metadata => "metadata",
            ConvertOption::MetadataArgs => "metadata_args",
            ConvertOption::ZarrFormat => "zarr_format",
            ConvertOption::WriteEmptyChunks => "write_empty_chunks",
            ConvertOption::Verify => "verify",
        })
    }
}

/// Displays the kind of output for messages: its extension.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Columns(files) => write!(f, "a directory of .{} files", files.extension()),
            target => write!(f, ".{}", target.extension()),
        }
    }
}
