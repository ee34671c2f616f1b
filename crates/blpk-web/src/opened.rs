//! An open file or directory: an array, a table or a group.

use std::sync::Arc;

use blosc_core::{Limits, memory};
use bloscpack_format::Format;
use bloscpack_format::detect::detect_directory;
use bloscpack_format::numpy::{Selection, Slice, Strided};
use bloscpack_io::bcolz::{Below, Carray, Ctable, Replayed, column_names};
use bloscpack_io::zarr::{Group, Node, ZipDirectory, node_at};
use bloscpack_io::{AnyDirectory, Array, Error, ErrorKind, Input, OpenOptions, Threads, Typing, UnpackOptions, peek};

use crate::imports;
use crate::source::{HostDirectory, HostFile};

/// An open file or directory.
pub(crate) enum Opened {
    /// An array, in a container or not, and where it was opened.
    Array(Box<Array<'static>>, Place),
    /// A table of columns.
    Table(Box<Ctable<AnyDirectory>>),
    /// A table with columns that cannot be opened. The others can be read.
    Columns {
        dir: Arc<Replayed<AnyDirectory>>,
        names: Vec<String>,
        rows: u64,
        #[cfg_attr(not(feature = "info"), allow(dead_code))]
        problem: Error,
    },
    /// A group of arrays, by their paths. `is_zip`: the store is one file.
    Group { store: AnyDirectory, arrays: Vec<String>, is_zip: bool },
}

/// Where an array is.
#[cfg_attr(not(feature = "info"), allow(dead_code))]
pub(crate) enum Place {
    File(HostFile),
    /// A directory, with chunks or shards as files.
    Directory(AnyDirectory),
    Zip,
}

/// Returns the limits for all reads. An address space of 4 GiB holds the input, the output and the page.
pub(crate) fn limits() -> Limits {
    Limits::new().max_memory(1 << 30).max_nbytes(1 << 30).max_unearned(256 << 20)
}

fn open_options() -> OpenOptions {
    OpenOptions::new().limits(limits())
}

/// Returns the options of all reads: on the calling thread, the only one.
pub(crate) fn unpack_options() -> UnpackOptions {
    UnpackOptions::new().limits(limits()).threads(Threads::Serial)
}

/// Returns whether an error will be the same in the next attempt. Bytes that have not arrived are no damage.
pub(crate) fn is_damage(error: &Error) -> bool {
    let is_lasting = matches!(
        error.kind(),
        ErrorKind::Damaged | ErrorKind::Truncated | ErrorKind::Unsupported | ErrorKind::NotFound | ErrorKind::Io
    );
    is_lasting && !imports::is_pending()
}

impl Opened {
    /// Opens a file. With `raw`, its bytes are the array, whatever they are.
    pub(crate) fn file(number: u32, raw: bool) -> Result<Opened, Error> {
        let file = HostFile::new(number);
        if raw {
            let options = open_options().typing(Typing::new().raw(true));
            return Ok(Opened::Array(Box::new(Array::open_with(file, &options)?), Place::File(file)));
        }
        if peek::format_of(&file).map_err(reading)? == Some(Format::ZarrGroup) {
            return Opened::group(Arc::new(ZipDirectory::open_with(file, &open_options())?), true);
        }
        Ok(Opened::Array(Box::new(Array::open_with(file, &open_options())?), Place::File(file)))
    }

    /// Opens a directory, `None` if it has none of the files by which one is recognised.
    pub(crate) fn directory(number: u32) -> Result<Option<Opened>, Error> {
        use bloscpack_io::ReadDirectory as _;
        use std::io::ErrorKind::{NotFound, WouldBlock};
        let dir: AnyDirectory = Arc::new(HostDirectory::new(number));
        let mut failed = None;
        let format = detect_directory(|name| match dir.open(name) {
            Ok(_) => true,
            // All files whose bytes have not arrived are asked for at once.
            Err(error) if matches!(error.kind(), NotFound | WouldBlock) => false,
            Err(error) => {
                failed = Some(error);
                true
            }
        });
        if let Some(error) = failed {
            return Err(reading(error));
        }
        match format {
            Some(Format::Ctable) => Opened::table(dir).map(Some),
            Some(Format::ZarrArray | Format::ZarrGroup)
                if matches!(node_at(&dir, "", &limits())?, Some(Node::Group(_))) =>
            {
                Opened::group(dir, false).map(Some)
            }
            Some(_) => Opened::array(dir).map(Some),
            None => Ok(None),
        }
    }

    fn table(dir: AnyDirectory) -> Result<Opened, Error> {
        let options = open_options();
        let problem = match Ctable::open_with(dir.clone(), &options) {
            Ok(table) => return Ok(Opened::Table(Box::new(table))),
            Err(error) => error,
        };
        if !is_damage(&problem) || problem.kind() == ErrorKind::Io {
            return Err(problem);
        }
        let Ok(names) = column_names(&dir, &options) else { return Err(problem) };
        let dir = Arc::new(Replayed::open_with(dir, &options)?);
        let mut columns = names.iter().map(|name| Carray::open_with(Below::new(dir.clone(), name), &options));
        match columns.find_map(Result::ok).map(|column| column.len()) {
            Some(rows) => Ok(Opened::Columns { dir, names, rows, problem }),
            None => Err(problem),
        }
    }

    fn array(dir: impl bloscpack_io::ReadDirectory + 'static) -> Result<Opened, Error> {
        let dir: AnyDirectory = Arc::new(dir);
        let array = Array::open_with(Input::directory(dir.clone()), &open_options())?;
        Ok(Opened::Array(Box::new(array), Place::Directory(dir)))
    }

    fn group(store: AnyDirectory, is_zip: bool) -> Result<Opened, Error> {
        let arrays = Group::open_with(store.clone(), &open_options())?.arrays()?;
        Ok(Opened::Group { store, arrays, is_zip })
    }

    /// Opens a column of a table, or an array of a group.
    pub(crate) fn member(&self, name: &str) -> Result<Opened, Error> {
        let absent = |columns: Vec<String>| Error::NoSuchColumn { column: name.to_owned(), columns };
        match self {
            Opened::Array(..) => Err(absent(Vec::new())),
            Opened::Table(table) => match table.column(name) {
                Some(column) => Opened::array(column.directory().clone()),
                None => Err(absent(table.names().to_vec())),
            },
            Opened::Columns { dir, names, .. } => match names.iter().any(|column| column == name) {
                true => Opened::array(Below::new(dir.clone(), name)),
                false => Err(absent(names.clone())),
            },
            Opened::Group { arrays, .. } if !arrays.iter().any(|array| array == name) => Err(absent(arrays.clone())),
            Opened::Group { store, is_zip, .. } => match Opened::array(Below::new(store.clone(), name))? {
                Opened::Array(array, _) if *is_zip => Ok(Opened::Array(array, Place::Zip)),
                member => Ok(member),
            },
        }
    }

    /// Returns the array. A table and a group have none of their own.
    pub(crate) fn as_array(&self) -> Option<&Array<'static>> {
        if let Opened::Array(array, _) = self { Some(array) } else { None }
    }
}

/// Returns the items that a slice in NumPy's notation selects.
pub(crate) fn select(array: &Array<'_>, slice: &str) -> Result<Selection, Error> {
    let selected = slice.parse::<Slice>().and_then(|slice| slice.select(&array.meta().shape));
    selected.map_err(|error| Error::Format(error.into()))
}

/// Returns the size of the selected items in bytes.
///
/// # Errors
/// A size above the limit of a call.
pub(crate) fn nbytes(array: &Array<'_>, selection: &Selection) -> Result<u64, Error> {
    let meta = array.meta();
    let nbytes = Strided::new(selection, &meta.shape, meta.order, meta.dtype.itemsize()).nbytes();
    limits().check_output(nbytes, nbytes)?;
    Ok(nbytes)
}

/// Allocates memory for the selected items.
pub(crate) fn room(array: &Array<'_>, selection: &Selection) -> Result<Vec<u8>, Error> {
    Ok(memory::zeroed(usize::try_from(nbytes(array, selection)?).unwrap_or(usize::MAX))?)
}

/// The error for bytes that cannot be read.
pub(crate) fn reading(error: std::io::Error) -> Error {
    Error::from(error)
}
