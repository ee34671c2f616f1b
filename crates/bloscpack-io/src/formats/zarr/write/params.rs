//! Version, chunks and compression of a new array.

use blosc_core::{BlockSize, CParams, Codec, FilterPipeline};
use bloscpack_format::FormatError;
use bloscpack_format::numpy::{ByteOrder, Dtype, NumpyMeta};
use bloscpack_format::zarr::{ArrayMeta, BloscCodec, BloscShuffle, Compressor, Version, ZarrError};

use crate::Error;

/// Parameters of a new Zarr array.
#[derive(Debug, Clone)]
pub(crate) struct ZarrParams {
    pub(crate) version: Version,
    /// Items of a chunk along each axis.
    pub(crate) chunkshape: Vec<u64>,
    /// The compression of chunks, and what the metadata says about it.
    pub(crate) params: CParams,
    /// Whether chunks that consist of fill values are stored.
    pub(crate) write_empty_chunks: bool,
}

/// Returns whether zarr-python decodes chunks of a codec.
pub(crate) fn is_known(codec: Codec) -> bool {
    matches!(codec, Codec::BloscLz | Codec::Lz4 | Codec::Lz4Hc | Codec::Zlib | Codec::Zstd)
}

impl ZarrParams {
    /// Returns the metadata of an array, without attributes.
    ///
    /// # Errors
    /// [`Error::Format`] for a dtype or sizes that the version does not support.
    pub(crate) fn meta(&self, array: &NumpyMeta) -> Result<ArrayMeta, Error> {
        let (shape, dtype) = (array.shape.clone(), array.dtype.clone());
        let mut meta = ArrayMeta::new(self.version, shape, self.chunkshape.clone(), dtype);
        meta.codecs.compressors = vec![Compressor::Blosc(self.codec(&array.dtype))];
        meta.check().map_err(Error::from)?;
        if self.version == Version::V3 && has_big_field(&array.dtype) {
            let (version, field, value) = (3, "data_type", format!("{} with big-endian fields", array.dtype).into());
            return Err(FormatError::from(ZarrError::NotInVersion { version, field, value }).into());
        }
        // Refuses a dtype that the version does not have, before anything is written.
        match self.version {
            Version::V2 => meta.to_zarray()?,
            Version::V3 => meta.to_zarr_json()?,
        };
        Ok(meta)
    }

    fn codec(&self, dtype: &Dtype) -> BloscCodec {
        let params = &self.params;
        BloscCodec {
            cname: params.get_codec().name().into(),
            clevel: params.get_clevel(),
            shuffle: match params.get_filters() {
                filters if filters == FilterPipeline::shuffle() => BloscShuffle::Byte,
                filters if filters == FilterPipeline::bitshuffle() => BloscShuffle::Bit,
                _ => BloscShuffle::None,
            },
            typesize: match params.get_typesize() {
                // Blosc stores 1 for items of more than 255 bytes.
                1 if dtype.itemsize() > 255 => None,
                size => u32::try_from(size).ok(),
            },
            blocksize: match params.get_blocksize() {
                BlockSize::Fixed(size) => u32::try_from(size).unwrap_or(0),
                _ => 0,
            },
        }
    }
}

/// Returns whether a structure has big-endian numbers. In version 3 a structure has no byte order, and zarr-python reads
/// it as little-endian.
fn has_big_field(dtype: &Dtype) -> bool {
    let is_big = |dtype: &Dtype| matches!(dtype, Dtype::Scalar(scalar) if scalar.byte_order() == ByteOrder::Big);
    match dtype {
        Dtype::Struct(fields) => fields.iter().any(|field| is_big(&field.dtype) || has_big_field(&field.dtype)),
        Dtype::Subarray(base, _) => is_big(base) || has_big_field(base),
        _ => false,
    }
}
