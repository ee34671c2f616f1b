//! What is a file that is nothing of ours, and what would read it?

use crate::kind::prefix;
use std::fs::File;
use std::path::Path;

/// How files of other formats start, what they are, and what to do with them.
const FORMATS: [(&[u8], &str); 14] = [
    (b"\x1f\x8b", "this is gzip data: 'gzip -d' reads it"),
    (b"\x28\xb5\x2f\xfd", "this is a zstd file, not Blosc with zstd in it: 'zstd -d' reads it"),
    (b"\x04\x22\x4d\x18", "this is an lz4 file, not Blosc with LZ4 in it: 'lz4 -d' reads it"),
    (b"\xff\x06\x00\x00sNaPpY", "this is a framed Snappy file: 'snzip -d' reads it"),
    (b"\xfd7zXZ\x00", "this is an xz file: 'xz -d' reads it"),
    (b"BZh", "this is a bzip2 file: 'bzip2 -d' reads it"),
    (b"7z\xbc\xaf\x27\x1c", "this is a 7z archive: '7z x' reads it"),
    (b"PK\x03\x04", "this is a zip file, as .npz files are: 'unzip' takes out what is in it, and blpk reads .npy"),
    (
        b"\x89HDF\r\n\x1a\n",
        "this is an HDF5 file: its chunks may be Blosc's, but 'h5dump' or h5py has to take them out",
    ),
    (b"CDF\x01", "this is a NetCDF file: 'ncdump' reads it"),
    (b"CDF\x02", "this is a NetCDF file: 'ncdump' reads it"),
    (b"PAR1", "this is a Parquet file: pyarrow reads it"),
    (b"ARROW1", "this is an Arrow file: pyarrow reads it"),
    (b"{\"zarr_format\"", "this describes a Zarr array, whose data is in other files"),
];

/// What to do with a file that starts like this, if that can be said.
pub(crate) fn advice(start: &[u8]) -> Option<String> {
    of_another_format(start).map(str::to_owned).or_else(|| torn_chunk(start))
}

/// The same of a file that is of another format for certain.
pub(crate) fn of_another_format(start: &[u8]) -> Option<&'static str> {
    FORMATS.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, advice)| *advice)
}

/// The same for a file.
pub(crate) fn advice_on(path: &Path) -> Option<String> {
    let regular = path.metadata().ok()?.is_file();
    let file = if regular { File::open(path).ok()? } else { return None };
    advice(&prefix(&file, 32)?)
}

/// A chunk has to be all of a file; of one that is cut off, or is followed by something, only the size is wrong.
fn torn_chunk(start: &[u8]) -> Option<String> {
    let header: &[u8; 16] = start.first_chunk()?;
    let cbytes = u32::from_le_bytes([header[12], header[13], header[14], header[15]]);
    // Told by its content alone it is a chunk.
    bloscpack_format::detect(header, Some(cbytes.into()))?;
    Some(format!("this starts like a Blosc chunk of {cbytes} bytes, which have to be all of the file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_magic() {
        assert!(advice(b"\x1f\x8b\x08\x00").unwrap().contains("gzip"));
        assert!(advice(b"PK\x03\x04\x14").unwrap().contains(".npz"));
        assert_eq!(advice(b"some text, which is none"), None);
        assert_eq!(advice(b""), None);
        // As in bloscpack-format: version 2, BloscLZ, 600 plain bytes in 212.
        let chunk = [&[2, 1, 0x11, 8][..], &600_i32.to_le_bytes(), &600_i32.to_le_bytes(), &212_i32.to_le_bytes()];
        assert!(advice(&chunk.concat()).unwrap().contains("212 bytes"));
    }
}
