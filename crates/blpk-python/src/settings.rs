//! Parameters of compression, and limits, from keyword arguments.

use std::fmt::Display;
use std::ops::RangeInclusive;

use bloscpack_io::blosc_core::{Advisor, BlockSize, CParams, ChunkFormat, EncodeError};
use bloscpack_io::frame::FrameParams;
use bloscpack_io::{Auto, Cancel, Codec, ConvertOptions, Error, FilterPipeline, Goal, Limits};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyMapping, PyString};

use crate::error::OrRaise;

/// The parameters of compression as a caller gave them. A field that is `None` has the default, or is chosen by `auto`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    pub(crate) codec: Option<Codec>,
    pub(crate) clevel: Option<u8>,
    pub(crate) typesize: Option<usize>,
    pub(crate) filters: Option<FilterPipeline>,
    pub(crate) blocksize: Option<usize>,
    pub(crate) format: ChunkFormat,
    pub(crate) auto: Option<Goal>,
}

impl Settings {
    /// Takes the settings out of keyword arguments.
    ///
    /// # Errors
    /// `TypeError` for an unknown keyword or a value of another type; `ValueError` for a value out of range.
    pub(crate) fn take(kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut settings = Settings::default();
        for (key, value) in kwargs.into_iter().flatten() {
            if value.is_none() {
                continue;
            }
            match key.cast::<PyString>()?.to_str()? {
                "codec" => settings.codec = Some(value.cast::<PyString>()?.to_str()?.parse().or_raise(value.py())?),
                "clevel" => settings.clevel = Some(number("clevel", &value, 0..=9)?),
                "typesize" => settings.typesize = Some(size("typesize", &value)?),
                "filters" => settings.filters = Some(filters(&value)?),
                "blocksize" => settings.blocksize = Some(size("blocksize", &value)?),
                "format" => settings.format = format(&value)?,
                "auto" => settings.auto = auto(&value)?,
                key => return Err(PyTypeError::new_err(format!("unexpected keyword argument '{key}'"))),
            }
        }
        Ok(settings)
    }

    /// Returns the automatic choice that was asked for, for items of `itemsize` bytes.
    pub(crate) fn choice(&self, itemsize: usize) -> Option<Auto> {
        // The item size of plain bytes says nothing about what they are.
        let typesize = self.typesize.or((itemsize > 1).then_some(itemsize)).filter(|size| *size <= 255);
        let auto = Auto::new(self.auto?).codec(self.codec).clevel(self.clevel).typesize(typesize);
        Some(auto.filters(self.filters).blocksize(self.blocksize.map(BlockSize::Fixed)).format(self.format))
    }

    /// Returns the parameters for `data` with items of `itemsize` bytes.
    ///
    /// # Errors
    /// As [`Advisor::advise`].
    pub(crate) fn params(&self, data: &[u8], itemsize: usize, cancel: &Cancel) -> Result<CParams, EncodeError> {
        let blocksize = self.blocksize.map(BlockSize::Fixed);
        if let Some(auto) = self.choice(itemsize) {
            return Ok(Advisor::new(auto).cancel(cancel.clone()).advise(data)?.params);
        }
        // Larger items are bytes to C-Blosc, too.
        let typesize = self.typesize.unwrap_or(if itemsize > 255 { 1 } else { itemsize });
        let params = CParams::new().format(self.format).typesize(typesize).codec(self.codec.unwrap_or(Codec::Lz4));
        let params = params.clevel(self.clevel.unwrap_or(5)).filters(self.filters.unwrap_or(FilterPipeline::shuffle()));
        Ok(params.blocksize(blocksize.unwrap_or(BlockSize::Auto)))
    }
}

impl Settings {
    /// Returns the settings as options for writing an array. Without a codec or a goal, the choice is automatic.
    pub(crate) fn convert_options(&self) -> ConvertOptions {
        let goal = self.auto.or(self.codec.is_none().then_some(Goal::Balanced));
        let options = ConvertOptions::new().auto(goal.map(Auto::new)).codec(self.codec).clevel(self.clevel);
        options.filters(self.filters).blocksize(self.blocksize.and_then(|size| u32::try_from(size).ok()))
    }

    /// Returns the settings as parameters of a frame.
    ///
    /// # Errors
    /// [`Error::FrameParams`] for items that are too large.
    pub(crate) fn frame_params(&self, itemsize: u64) -> Result<FrameParams, Error> {
        let itemsize = u32::try_from(itemsize).map_err(|_| Error::FrameParams { what: "items are too large" })?;
        let params = FrameParams::new(itemsize);
        let params = self.codec.map_or(params, |codec| params.codec(codec));
        let params = self.clevel.map_or(params, |clevel| params.clevel(clevel));
        Ok(self.filters.map_or(params, |filters| params.filters(filters)))
    }
}

/// Returns a size that an argument states.
///
/// # Errors
/// `TypeError` for a value that is no integer; `ValueError` for one out of range.
fn size(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract::<usize>().map_err(|error| match error.is_instance_of::<PyOverflowError>(value.py()) {
        true => PyValueError::new_err(format!("{name} is {value}, expected a size")),
        false => error,
    })
}

/// Extracts numbers of any type from an argument: `#[pyo3(from_py_with = in_range)]`.
///
/// # Errors
/// `ValueError` for a number out of the range of its type, such as a negative one, in place of `OverflowError`.
pub(crate) fn in_range<'py, T: FromPyObjectOwned<'py>>(value: &Bound<'py, PyAny>) -> PyResult<T> {
    value.extract().map_err(Into::into).map_err(|error: PyErr| {
        match error.is_instance_of::<PyOverflowError>(value.py()) {
            true => PyValueError::new_err(format!("{value} is out of range: {}", error.value(value.py()))),
            false => error,
        }
    })
}

/// Returns a number that the argument `name` states.
///
/// # Errors
/// As [`in_range`], and `ValueError` for one that is not within `range`.
pub(crate) fn number<'py, T>(name: &str, value: &Bound<'py, PyAny>, range: RangeInclusive<T>) -> PyResult<T>
where
    T: FromPyObjectOwned<'py> + PartialOrd + Display,
{
    let out_of_range =
        || PyValueError::new_err(format!("{name} is {value}, expected {} to {}", range.start(), range.end()));
    match in_range::<T>(value) {
        Ok(number) => Some(number).filter(|number| range.contains(number)).ok_or_else(out_of_range),
        Err(error) if error.is_instance_of::<PyValueError>(value.py()) => Err(out_of_range()),
        Err(error) => Err(error),
    }
}

/// Parses `"shuffle"`, `"trunc-prec:10,shuffle"`, or a list of such names.
fn filters(value: &Bound<'_, PyAny>) -> PyResult<FilterPipeline> {
    let pipeline = match value.cast::<PyString>() {
        Ok(text) => text.to_str()?.parse::<FilterPipeline>(),
        Err(_) => value.extract::<Vec<String>>()?.join(",").parse(),
    };
    pipeline.or_raise(value.py())
}

fn format(value: &Bound<'_, PyAny>) -> PyResult<ChunkFormat> {
    match value.cast::<PyString>()?.to_str()? {
        "blosc1" => Ok(ChunkFormat::Blosc1),
        "blosc2" => Ok(ChunkFormat::Blosc2),
        other => Err(PyValueError::new_err(format!("format is '{other}', expected 'blosc1' or 'blosc2'"))),
    }
}

/// Parses `True`, `False` or a goal.
fn auto(value: &Bound<'_, PyAny>) -> PyResult<Option<Goal>> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().then_some(Goal::Balanced));
    }
    value.extract::<String>()?.parse::<Goal>().or_raise(value.py()).map(Some)
}

/// Extracts limits from a mapping of their names, `max_nbytes`, `max_chunk`, `max_memory`, `max_unearned`, `max_metadata`
/// and `max_chunks`, or from `None`: `#[pyo3(from_py_with = limits)]`.
///
/// # Errors
/// `TypeError` for an unknown name, a value that is no size, and an argument of another type.
pub(crate) fn limits(given: &Bound<'_, PyAny>) -> PyResult<Limits> {
    let mut limits = Limits::new();
    if given.is_none() {
        return Ok(limits);
    }
    for item in given.cast::<PyMapping>()?.items()? {
        let (name, size) = item.extract::<(String, Bound<'_, PyAny>)>()?;
        let size = self::size(&name, &size)?;
        limits = match name.as_str() {
            "max_nbytes" => limits.max_nbytes(size),
            "max_chunk" => limits.max_chunk(size),
            "max_memory" => limits.max_memory(size),
            "max_unearned" => limits.max_unearned(size),
            "max_metadata" => limits.max_metadata(size),
            "max_chunks" => limits.max_chunks(size as u64),
            _ => return Err(PyTypeError::new_err(format!("unknown limit '{name}'"))),
        };
    }
    Ok(limits)
}
