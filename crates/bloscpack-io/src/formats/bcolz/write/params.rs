//! Parameters of a new carray.

use blosc_core::{CParams, Codec, Encoder};
use bloscpack_format::bcolz::{Cparams, Dtype, MAX_QUANTIZE, Rows, Shuffle, Sizes, Storage, best_chunklen, dflt};
use bloscpack_format::{FormatError, Json};

use crate::Error;

/// Parameters of a new carray: its dtype, the rows of a chunk, and the compression.
///
/// ```
/// use bloscpack_format::bcolz::Dtype;
/// use bloscpack_io::bcolz::CarrayParams;
/// let params = CarrayParams::new(Dtype::parse("float64")?).atom_shape(&[3]).expectedlen(1_000_000).clevel(9);
/// # let _ = params;
/// # Ok::<(), bloscpack_format::FormatError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CarrayParams {
    dtype: Dtype,
    atom_shape: Vec<u64>,
    chunklen: Option<u64>,
    expectedlen: Option<u64>,
    cparams: Cparams,
    dflt: Option<Json>,
}

/// Default expected uncompressed size in bytes, which results in chunks of 512 KiB.
const EXPECTED_NBYTES: u64 = 10 << 20;

impl CarrayParams {
    /// Returns parameters for one axis, with the defaults of bcolz: LZ4 at level 5, shuffle, new rows of zeros.
    #[must_use]
    pub fn new(dtype: Dtype) -> Self {
        let (atom_shape, cparams) = (Vec::new(), Cparams::default());
        CarrayParams { dtype, atom_shape, chunklen: None, expectedlen: None, cparams, dflt: None }
    }

    /// Sets the axes within a row.
    #[must_use]
    pub fn atom_shape(mut self, atom_shape: &[u64]) -> Self {
        self.atom_shape = atom_shape.into();
        self
    }

    /// Sets the rows of a chunk.
    #[must_use]
    pub fn chunklen(mut self, chunklen: u64) -> Self {
        self.chunklen = Some(chunklen);
        self
    }

    /// Sets the expected number of rows, from which bcolz's rule derives the rows of a chunk unless they are set. The
    /// default is 10 MiB of rows.
    #[must_use]
    pub fn expectedlen(mut self, expectedlen: u64) -> Self {
        self.expectedlen = Some(expectedlen);
        self
    }

    /// Sets the compression of chunks.
    #[must_use]
    pub fn cparams(mut self, cparams: Cparams) -> Self {
        self.cparams = cparams;
        self
    }

    /// Sets the codec.
    #[must_use]
    pub fn codec(mut self, codec: Codec) -> Self {
        self.cparams.cname = codec.name().into();
        self
    }

    /// Sets the level, 0..=9.
    #[must_use]
    pub fn clevel(mut self, clevel: u8) -> Self {
        self.cparams.clevel = clevel;
        self
    }

    /// Sets the filter.
    #[must_use]
    pub fn shuffle(mut self, shuffle: Shuffle) -> Self {
        self.cparams.shuffle = shuffle;
        self
    }

    /// Sets the number of decimal digits to which floats are rounded before they are compressed; 0 for no rounding.
    #[must_use]
    pub fn quantize(mut self, digits: u32) -> Self {
        self.cparams.quantize = digits;
        self
    }

    /// Sets the value of new rows as JSON (see [`bloscpack_format::bcolz::dflt`]).
    #[must_use]
    pub fn dflt(mut self, dflt: Json) -> Self {
        self.dflt = Some(dflt);
        self
    }

    /// Returns the contents of both metadata files for an array without rows.
    pub(super) fn meta(&self) -> Result<(Storage, Sizes), Error> {
        let refuse = |what| Err(Error::CarrayParams { what });
        if self.dtype == Dtype::Object {
            return refuse("arrays of Python objects can be read, but not created");
        }
        if !self.dtype.is_readable_by_bcolz() {
            return refuse("bcolz cannot open arrays of a dtype with fields");
        }
        let sizes = Sizes::new([&[0], self.atom_shape.as_slice()].concat());
        let mut storage = Storage::new(self.dtype.clone(), 1);
        storage.cparams = self.cparams.clone();
        let atomsize = Rows::of(&sizes, &storage).map_err(FormatError::from)?.atomsize();
        storage.expectedlen = self.expectedlen.unwrap_or(EXPECTED_NBYTES.div_ceil(atomsize));
        storage.chunklen = self.chunklen.unwrap_or_else(|| best_chunklen(storage.expectedlen, atomsize));
        Rows::of(&sizes, &storage).map_err(FormatError::from)?;
        if let Some(dflt) = &self.dflt {
            storage.dflt = dflt.clone();
        }
        dflt::check(&storage.dflt, &storage.dtype, &self.atom_shape).map_err(FormatError::from)?;
        encoder(&storage)?;
        Ok((storage, sizes))
    }
}

/// Returns an encoder for the parameters in `meta/storage`.
pub(super) fn encoder(storage: &Storage) -> Result<Encoder, Error> {
    Ok(Encoder::new(chunk_params(storage)?)?)
}

/// Returns the parameters of chunks as `meta/storage` specifies them.
pub(super) fn chunk_params(storage: &Storage) -> Result<CParams, Error> {
    let cparams = &storage.cparams;
    let Some(codec) = cparams.codec() else { return Err(Error::CarrayParams { what: "its codec is unknown" }) };
    if cparams.quantize > MAX_QUANTIZE {
        return Err(Error::CarrayParams { what: "floats can be rounded to at most 307 digits" });
    }
    let params = CParams::new().codec(codec).clevel(cparams.clevel).filters(cparams.filters());
    Ok(params.typesize(storage.dtype.typesize()))
}
