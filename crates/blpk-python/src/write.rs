//! New containers, which appear complete or not at all.

use std::path::{Path, PathBuf};

use bloscpack_io::bloscpack_format::frame::FrameType;
use bloscpack_io::bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
use bloscpack_io::frame::{ArrayOptions, FrameWriter};
use bloscpack_io::{Array, Cancel, ConvertOptions, Error, ReadAt, Target, Threads, convert_array};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::buffer::Buffer;
use crate::error::OrRaise;
use crate::run::{count, detached, threads};
use crate::settings::Settings;

/// The description of a new array, from Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Description {
    /// The dtype in the notation of `.npy` headers.
    descr: String,
    shape: Vec<u64>,
    /// Whether the items are in Fortran order.
    fortran: bool,
    /// `bloscpack`, `b2nd`, `bcolz` or `npy`.
    target: String,
    overwrite: bool,
    chunks: Option<Vec<u32>>,
    blocks: Option<Vec<u32>>,
}

impl Description {
    fn meta(&self, py: Python<'_>) -> PyResult<NumpyMeta> {
        let order = if self.fortran { Order::F } else { Order::C };
        Ok(NumpyMeta { dtype: Dtype::parse(&self.descr).or_refuse(py)?, shape: self.shape.clone(), order })
    }

    fn target(&self) -> PyResult<Target> {
        match self.target.as_str() {
            "bloscpack" => Ok(Target::Bloscpack),
            "b2nd" => Ok(Target::Array),
            "bcolz" => Ok(Target::Bcolz),
            "npy" => Ok(Target::Npy),
            other => Err(PyValueError::new_err(format!("unknown format '{other}'"))),
        }
    }

    /// Returns the options of the conversion from memory.
    fn options(&self, settings: &Settings, threads: Threads, cancel: &Cancel) -> PyResult<ConvertOptions> {
        let (target, itemsize) = (self.target()?, settings.typesize);
        if itemsize.is_some() {
            return Err(PyValueError::new_err("the typesize of an array is the size of its items"));
        }
        if settings.blocksize.is_some() {
            return Err(PyValueError::new_err("blocksize is for chunks; blocks has the shape of an array's blocks"));
        }
        let options = settings.convert_options().overwrite(self.overwrite).threads(threads).cancel(cancel.clone());
        match (target, &self.chunks) {
            // Chunks of whole rows.
            (Target::Bloscpack, Some(chunks)) => {
                let rows: u64 = chunks.iter().map(|len| u64::from(*len)).product();
                Ok(options.chunk_size(u32::try_from(rows).ok()))
            }
            _ => Ok(options.chunkshape(self.chunks.clone()).blockshape(self.blocks.clone())),
        }
    }
}

/// Writes an array in memory to a new container.
#[pyfunction(signature = (path, items, description, *, threads=1, **settings))]
pub(crate) fn save_array(
    path: PathBuf,
    items: &Bound<'_, PyAny>,
    description: Description,
    #[pyo3(from_py_with = count)] threads: usize,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let (py, input, cancel) = (items.py(), Buffer::read(items)?, Cancel::new());
    let options = description.options(&Settings::take(settings)?, self::threads(threads)?, &cancel)?;
    let (meta, target, bytes) = (description.meta(py)?, description.target()?, input.as_slice());
    let save = || convert_array(&Array::plain(bytes, 0, meta)?, &path, target, &options);
    detached(py, bytes.len(), &cancel, save)?.or_raise(py).map(drop)
}

/// Writes an array that repeats one item to a new container.
#[pyfunction(signature = (path, item, description, *, threads=1, **settings))]
pub(crate) fn create_array(
    path: PathBuf,
    item: &Bound<'_, PyAny>,
    description: Description,
    #[pyo3(from_py_with = count)] threads: usize,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let (py, item, cancel) = (item.py(), Buffer::read(item)?, Cancel::new());
    let settings = Settings::take(settings)?;
    let options = description.options(&settings, self::threads(threads)?, &cancel)?;
    let (meta, target) = (description.meta(py)?, description.target()?);
    let item = item.as_slice();
    let create = || match meta.nbytes() {
        Some(_) if target == Target::Array && item.iter().all(|byte| *byte == 0) => {
            create_zeros(&path, &meta, &description, &settings)
        }
        Some(nbytes) => {
            let items = Repeated { item, nbytes };
            convert_array(&Array::plain(items, 0, meta)?, &path, target, &options).map(drop)
        }
        None => Err(Error::ArraySize { found: 0, expected: None }),
    };
    detached(py, usize::MAX, &cancel, create)?.or_raise(py)
}

/// Writes an array of zeros to a frame. Growing adds chunks of zeros without compressing anything.
fn create_zeros(path: &Path, meta: &NumpyMeta, new: &Description, settings: &Settings) -> Result<(), Error> {
    let options = ArrayOptions::new().chunkshape(new.chunks.clone()).blockshape(new.blocks.clone());
    let mut array = options.array(meta)?;
    array.shape.fill(0);
    let params = settings.frame_params(meta.dtype.itemsize())?;
    let mut writer = FrameWriter::create_array(path, FrameType::Contiguous, new.overwrite, array, params)?;
    writer.resize(&meta.shape)?;
    writer.finish()
}

/// `nbytes` bytes that repeat one item.
struct Repeated<'a> {
    item: &'a [u8],
    nbytes: u64,
}

impl ReadAt for Repeated<'_> {
    fn len(&self) -> std::io::Result<u64> {
        Ok(self.nbytes)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> std::io::Result<()> {
        let skipped = (offset % self.item.len().max(1) as u64) as usize;
        for (to, from) in buf.iter_mut().zip(self.item.iter().cycle().skip(skipped)) {
            *to = *from;
        }
        Ok(())
    }
}
