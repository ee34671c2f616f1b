//! Reads a carray: its metadata, rows, chunks and attributes.

use std::sync::OnceLock;

use blosc_core::{Decoder, Limits};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{Attrs, Cparams, Dtype, Rows, SIZES_FILE, STORAGE_FILE, Sizes, Storage};
use bloscpack_format::numpy::{NumpyError, NumpyMeta, Order};

use super::metadata_budget::MetadataBudget;
use super::replayed::Moves;
use super::store::read_attrs;
use crate::source::ReadDirectory;
use crate::{Error, OpenOptions};

/// The parsed metadata of a carray.
#[derive(Debug, Clone)]
pub(crate) struct Meta {
    pub(crate) storage: Storage,
    pub(crate) sizes: Sizes,
    pub(crate) rows: Rows,
    /// The moves of an interrupted change: files that are not at their final paths yet.
    pub(crate) moves: Moves,
}

impl Meta {
    /// Reads the two small metadata files, but no chunks.
    pub(crate) fn open(dir: &dyn ReadDirectory, limits: &Limits) -> Result<Meta, Error> {
        Meta::open_beside(dir, &mut MetadataBudget::new(*limits))
    }

    /// [`Meta::open`], charged against a budget that several carrays share.
    pub(crate) fn open_beside(dir: &dyn ReadDirectory, budget: &mut MetadataBudget) -> Result<Meta, Error> {
        let moves = budget.read_moves(dir)?;
        let dir = &moves.on(dir);
        let storage = budget.read(dir, STORAGE_FILE, Storage::parse)?;
        let sizes = budget.read(dir, SIZES_FILE, Sizes::parse)?;
        // An impossible length or chunk length involves both files. The error names `meta/sizes`.
        let rows = Rows::of(&sizes, &storage).map_err(|error| Error::from(FormatError::from(error)));
        let rows = rows.map_err(|error| error.in_file(dir.name(SIZES_FILE)))?;
        Ok(Meta { storage, sizes, rows, moves })
    }

    /// Creates metadata that are not on disk yet.
    pub(crate) fn new(storage: Storage, sizes: Sizes) -> Result<Meta, Error> {
        let rows = Rows::of(&sizes, &storage).map_err(FormatError::from)?;
        Ok(Meta { storage, sizes, rows, moves: Moves::default() })
    }

    /// Returns the array in NumPy's terms.
    pub(crate) fn numpy(&self) -> Result<NumpyMeta, Error> {
        let dtype = self.storage.dtype.as_plain().ok_or(FormatError::Numpy(NumpyError::Object))?;
        Ok(NumpyMeta { dtype: dtype.clone(), shape: self.sizes.shape.clone(), order: Order::C })
    }
}

/// A bcolz array: rows of one dtype and shape, in chunk files.
///
/// ```
/// use bloscpack_io::bcolz::{Carray, MemoryDirectory};
/// # let files = testdata::archive("bcolz");
/// # let path = "ref/nd/2d/";
/// # let files = files.into_iter().filter_map(|(name, bytes)| Some((name.strip_prefix(path)?.to_owned(), bytes)));
/// # let dir = MemoryDirectory::of_files(files);
/// let carray = Carray::open(dir)?;
/// assert_eq!((carray.shape(), carray.dtype().to_string()), (&[1000, 3][..], "int16".to_owned()));
/// let rows = carray.read_rows(10..12)?;
/// assert_eq!(rows.len(), 2 * 3 * 2);
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug)]
pub struct Carray<D> {
    pub(super) dir: D,
    pub(super) meta: Meta,
    pub(super) limits: Limits,
    attrs: OnceLock<Attrs>,
}

impl<D: ReadDirectory> Carray<D> {
    /// Opens the carray in a directory. Only `meta/storage` and `meta/sizes` are read.
    ///
    /// # Errors
    /// [`Error::InFile`] if one of them is damaged.
    pub fn open(dir: D) -> Result<Self, Error> {
        Carray::open_with(dir, &OpenOptions::new())
    }

    /// [`Carray::open`] with other options. The limits also apply to later reads, unless those are given options of
    /// their own.
    ///
    /// # Errors
    /// As [`Carray::open`]; with [`Error::Limit`] inside if a file is too large.
    pub fn open_with(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        Carray::open_beside(dir, &mut MetadataBudget::new(options.limits))
    }

    /// [`Carray::open`], charged against a budget that several carrays share.
    pub(super) fn open_beside(dir: D, budget: &mut MetadataBudget) -> Result<Self, Error> {
        let meta = Meta::open_beside(&dir, budget)?;
        Ok(Carray { dir, meta, limits: budget.limits, attrs: OnceLock::new() })
    }

    /// Sets the limits of later reads by methods without options.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the directory.
    pub fn directory(&self) -> &D {
        &self.dir
    }

    /// Returns the number of rows.
    pub fn len(&self) -> u64 {
        self.meta.rows.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.meta.rows.is_empty()
    }

    /// Returns the length of each axis. The first axis is that of the rows.
    pub fn shape(&self) -> &[u64] {
        &self.meta.sizes.shape
    }

    /// Returns the dtype of an item.
    pub fn dtype(&self) -> &Dtype {
        &self.meta.storage.dtype
    }

    /// Returns the number of rows in a full chunk according to the metadata. For Python objects it has no meaning.
    pub fn chunklen(&self) -> u64 {
        self.meta.storage.chunklen
    }

    /// Returns the compression parameters of new chunks.
    pub fn cparams(&self) -> &Cparams {
        &self.meta.storage.cparams
    }

    /// Returns the default value of new rows, see [`bloscpack_format::bcolz::dflt`].
    pub fn dflt(&self) -> &bloscpack_format::Json {
        &self.meta.storage.dflt
    }

    /// Returns the number of plain bytes in all rows. For Python objects, whose size is in no file, returns bcolz's own
    /// count.
    pub fn nbytes(&self) -> u64 {
        match self.dtype() {
            Dtype::Object => self.meta.sizes.nbytes,
            Dtype::Plain(_) => self.meta.rows.nbytes(),
        }
    }

    /// Returns the content of `meta/storage`.
    pub fn storage(&self) -> &Storage {
        &self.meta.storage
    }

    /// Returns the content of `meta/sizes`.
    pub fn sizes(&self) -> &Sizes {
        &self.meta.sizes
    }

    /// Returns the division of the rows into chunks.
    pub fn rows(&self) -> &Rows {
        &self.meta.rows
    }

    /// Returns the array in NumPy's terms.
    ///
    /// # Errors
    /// [`Error::Format`] for Python objects.
    pub fn numpy(&self) -> Result<NumpyMeta, Error> {
        self.meta.numpy()
    }

    /// Returns the attributes, which are read by the first call. Empty if the file is missing.
    ///
    /// # Errors
    /// [`Error::InFile`] if the file is damaged. The rows can still be read.
    pub fn attrs(&self) -> Result<&Attrs, Error> {
        attrs_of(&self.meta.moves.on(&self.dir), &self.attrs, &self.limits)
    }

    /// Returns the compressed bytes of chunk `number`, or of Python object `number`: a Blosc1 chunk.
    ///
    /// # Errors
    /// [`Error::Range`], [`Error::InFile`].
    pub fn compressed_chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        self.check_chunk(number)?;
        self.meta.fetch(&self.dir, number, &self.limits)
    }

    /// Returns the plain bytes of the rows in chunk `number`. For Python object `number`, returns its pickle, which is
    /// never parsed.
    ///
    /// # Errors
    /// [`Error::Range`], [`Error::InFile`].
    pub fn chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        self.check_chunk(number)?;
        let mut decoder = Decoder::new().limits(self.limits);
        self.meta.decode_rows(&self.dir, &mut decoder, &self.limits, number)
    }

    fn check_chunk(&self, number: u64) -> Result<(), Error> {
        let len = self.meta.rows.nchunks();
        if number < len {
            return Ok(());
        }
        Err(Error::Range { unit: "chunks", start: number, end: number.saturating_add(1), len })
    }
}

/// Returns cached attributes, which are read once.
pub(super) fn attrs_of<'a>(
    dir: &dyn ReadDirectory,
    kept: &'a OnceLock<Attrs>,
    limits: &Limits,
) -> Result<&'a Attrs, Error> {
    match kept.get() {
        Some(attrs) => Ok(attrs),
        None => {
            let attrs = read_attrs(dir, limits)?;
            Ok(kept.get_or_init(|| attrs))
        }
    }
}
