//! Reading a carray: its metadata, rows, chunks and attributes.

use std::sync::OnceLock;

use blosc_core::{Decoder, Limits};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{Attrs, Cparams, Dtype, Rows, SIZES_FILE, STORAGE_FILE, Sizes, Storage};
use bloscpack_format::numpy::{NumpyError, NumpyMeta, Order};

use super::kept::Kept;
use super::settled::Moves;
use super::store::read_attrs;
use crate::source::ReadDirectory;
use crate::{Error, OpenOptions};

/// What the metadata of a carray say.
#[derive(Debug, Clone)]
pub(crate) struct Meta {
    pub(crate) storage: Storage,
    pub(crate) sizes: Sizes,
    pub(crate) rows: Rows,
    /// Where files are that are not in their places.
    pub(crate) moves: Moves,
}

impl Meta {
    /// Reads two small files, and nothing of the chunks.
    pub(crate) fn open(dir: &dyn ReadDirectory, limits: &Limits) -> Result<Meta, Error> {
        Meta::open_beside(dir, &mut Kept::new(*limits))
    }

    /// The same beside others that are kept.
    pub(crate) fn open_beside(dir: &dyn ReadDirectory, kept: &mut Kept) -> Result<Meta, Error> {
        let moves = kept.read_moves(dir)?;
        let dir = &moves.on(dir);
        let storage = kept.read(dir, STORAGE_FILE, Storage::parse)?;
        let sizes = kept.read(dir, SIZES_FILE, Sizes::parse)?;
        // Whether it is a length or the rows of a chunk that cannot be, both files have to do with it.
        let rows = Rows::of(&sizes, &storage).map_err(|error| Error::from(FormatError::from(error)));
        let rows = rows.map_err(|error| error.in_file(dir.name(SIZES_FILE)))?;
        Ok(Meta { storage, sizes, rows, moves })
    }

    /// Metadata that are on no disk yet.
    pub(crate) fn new(storage: Storage, sizes: Sizes) -> Result<Meta, Error> {
        let rows = Rows::of(&sizes, &storage).map_err(FormatError::from)?;
        Ok(Meta { storage, sizes, rows, moves: Moves::default() })
    }

    /// What the array is to NumPy.
    pub(crate) fn numpy(&self) -> Result<NumpyMeta, Error> {
        let dtype = self.storage.dtype.as_plain().ok_or(FormatError::Numpy(NumpyError::Object))?;
        Ok(NumpyMeta { dtype: dtype.clone(), shape: self.sizes.shape.clone(), order: Order::C })
    }
}

/// An array of bcolz: rows of a dtype and a shape, in chunk files.
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
    /// [`Error::InFile`] with what is wrong with one of them.
    pub fn open(dir: D) -> Result<Self, Error> {
        Carray::open_with(dir, &OpenOptions::new())
    }

    /// [`Carray::open`] with other options. Limits also bound all that is read from it later, unless other options are given
    /// there.
    ///
    /// # Errors
    /// As [`Carray::open`]; of files that are too large, [`Error::Limit`] within.
    pub fn open_with(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        Carray::open_beside(dir, &mut Kept::new(options.limits))
    }

    /// The same beside others that are kept.
    pub(super) fn open_beside(dir: D, kept: &mut Kept) -> Result<Self, Error> {
        let meta = Meta::open_beside(&dir, kept)?;
        Ok(Carray { dir, meta, limits: kept.limits, attrs: OnceLock::new() })
    }

    /// Sets what reading may cost from now on, where no options are given.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The directory.
    pub fn directory(&self) -> &D {
        &self.dir
    }

    /// How many rows there are.
    pub fn len(&self) -> u64 {
        self.meta.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.meta.rows.is_empty()
    }

    /// The length of each axis, of which the first is that of the rows.
    pub fn shape(&self) -> &[u64] {
        &self.meta.sizes.shape
    }

    /// What an item is.
    pub fn dtype(&self) -> &Dtype {
        &self.meta.storage.dtype
    }

    /// Rows of a whole chunk, as the metadata say; of Python objects it means nothing.
    pub fn chunklen(&self) -> u64 {
        self.meta.storage.chunklen
    }

    /// How new chunks are compressed.
    pub fn cparams(&self) -> &Cparams {
        &self.meta.storage.cparams
    }

    /// The value of new rows, see [`bloscpack_format::bcolz::dflt`].
    pub fn dflt(&self) -> &bloscpack_format::Json {
        &self.meta.storage.dflt
    }

    /// Plain bytes of all rows. Of Python objects, of which no file says so, what bcolz counted.
    pub fn nbytes(&self) -> u64 {
        match self.dtype() {
            Dtype::Object => self.meta.sizes.nbytes,
            Dtype::Plain(_) => self.meta.rows.nbytes(),
        }
    }

    /// All of `meta/storage`.
    pub fn storage(&self) -> &Storage {
        &self.meta.storage
    }

    /// All of `meta/sizes`.
    pub fn sizes(&self) -> &Sizes {
        &self.meta.sizes
    }

    /// Which chunks hold which rows.
    pub fn rows(&self) -> &Rows {
        &self.meta.rows
    }

    /// What the array is to NumPy.
    ///
    /// # Errors
    /// [`Error::Format`] for Python objects.
    pub fn numpy(&self) -> Result<NumpyMeta, Error> {
        self.meta.numpy()
    }

    /// The attributes, read when first asked for; none if the file is missing.
    ///
    /// # Errors
    /// [`Error::InFile`] if the file is damaged. The rows can be read all the same.
    pub fn attrs(&self) -> Result<&Attrs, Error> {
        attrs_of(&self.meta.moves.on(&self.dir), &self.attrs, &self.limits)
    }

    /// The compressed bytes of chunk `number`, or of Python object `number`: a Blosc1 chunk.
    ///
    /// # Errors
    /// [`Error::Range`], [`Error::InFile`].
    pub fn compressed_chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        self.check_chunk(number)?;
        self.meta.fetch(&self.dir, number, &self.limits)
    }

    /// The plain bytes of the rows in chunk `number`; of Python object `number` its pickle, which nobody here looks into.
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

/// Attributes that are kept once they were read.
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
