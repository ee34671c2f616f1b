//! Files of other formats: recognises them and names the program that reads them.

use bloscpack_format::{Format, detect};
use bloscpack_io::peek::prefix;
use std::fs::File;
use std::path::Path;

/// Magic numbers of other formats, with a description of the format and advice.
const FORMATS: [(&[u8], &str); 14] = [
    (b"\x1f\x8b", "this is gzip data: 'gzip -d' reads it"),
    (b"\x28\xb5\x2f\xfd", "this is a zstd file, not a Blosc file that uses zstd: 'zstd -d' reads it"),
    (b"\x04\x22\x4d\x18", "this is an lz4 file, not a Blosc file that uses LZ4: 'lz4 -d' reads it"),
    (b"\xff\x06\x00\x00sNaPpY", "this is a framed Snappy file: 'snzip -d' reads it"),
    (b"\xfd7zXZ\x00", "this is an xz file: 'xz -d' reads it"),
    (b"BZh", "this is a bzip2 file: 'bzip2 -d' reads it"),
    (b"7z\xbc\xaf\x27\x1c", "this is a 7z archive: '7z x' reads it"),
    (
        b"PK\x03\x04",
        "this is a zip file, as .npz files are: 'unzip' extracts its files, and blpk reads .npy files; zip archives of Zarr are read without that",
    ),
    (b"\x89HDF\r\n\x1a\n", "this is an HDF5 file: its chunks may be Blosc chunks, which 'h5dump' or h5py can extract"),
    (b"CDF\x01", "this is a NetCDF file: 'ncdump' reads it"),
    (b"CDF\x02", "this is a NetCDF file: 'ncdump' reads it"),
    (b"PAR1", "this is a Parquet file: pyarrow reads it"),
    (b"ARROW1", "this is an Arrow file: pyarrow reads it"),
    (b"{\"zarr_format\"", "this is the metadata of a Zarr array; name its directory instead"),
];

/// Returns advice about a file that starts with these bytes, if there is any.
pub(crate) fn advice(start: &[u8]) -> Option<String> {
    of_another_format(start).map(str::to_owned).or_else(|| torn_chunk(start))
}

/// Like [`advice`], but only for files that are certainly of another format.
pub(crate) fn of_another_format(start: &[u8]) -> Option<&'static str> {
    FORMATS.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, advice)| *advice)
}

/// Like [`advice`], but reads the start of a file and recognises text, too.
pub(crate) fn advice_on(path: &Path) -> Option<String> {
    let regular = path.metadata().ok()?.is_file();
    let file = if regular { File::open(path).ok()? } else { return None };
    let start = prefix(&file, 256).ok()?;
    let text =
        || is_text(&start).then(|| "this is text, not compressed data: 'blpk compress' compresses it".to_owned());
    advice(&start).or_else(text)
}

/// Whether a file that starts with these bytes is text.
fn is_text(start: &[u8]) -> bool {
    let text = match std::str::from_utf8(start) {
        Ok(text) => text,
        // The prefix ends within its last character.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or(""),
        Err(_) => return false,
    };
    !text.is_empty() && !text.contains(|c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0c'))
}

/// Recognises a chunk that is cut off or followed by other bytes. A chunk must fill its file, so only its size is
/// wrong.
fn torn_chunk(start: &[u8]) -> Option<String> {
    let header: &[u8; 16] = start.first_chunk()?;
    let cbytes = u32::from_le_bytes([header[12], header[13], header[14], header[15]]);
    // Whether a file of that length would be a chunk.
    let is_chunk = matches!(detect(header, Some(cbytes.into())), Some(Format::Blosc1Chunk | Format::Blosc2Chunk));
    is_chunk.then(|| format!("this starts like a Blosc chunk of {cbytes} bytes, but the file has a different size"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told() {
        for text in ["a", "some notes\n\tabout\r\n", "Größe"] {
            assert!(is_text(text.as_bytes()), "{text}");
        }
        assert!(is_text(&"Größe".as_bytes()[..3]), "cut within a letter");
        for bytes in [&b""[..], b"a\0b", b"\xff\xfe", b"\x1b[2J", "Größe".as_bytes()[3..].as_ref()] {
            assert!(!is_text(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn formats_are_told_by_their_magic() {
        assert!(advice(b"\x1f\x8b\x08\x00").unwrap().contains("gzip"));
        assert!(advice(b"PK\x03\x04\x14").unwrap().contains(".npz"));
        assert_eq!(advice(b"some text, which is none"), None);
        assert_eq!(advice(b""), None);
        // As in bloscpack-format: version 2, BloscLZ, 600 plain bytes in 212.
        let chunk = [&[2, 1, 0x11, 8][..], &600_i32.to_le_bytes(), &600_i32.to_le_bytes(), &212_i32.to_le_bytes()];
        assert!(advice(&chunk.concat()).unwrap().contains("212 bytes"));
        // Our own formats are not torn chunks, whatever their bytes 12 to 15 hold.
        for ours in [
            &b"blpk\x03\x01\x01\x08\0\0\x10\0\0\x2d\x01\0"[..],
            b"\x93NUMPY\x01\0\x76\0{'descr",
            b"\x9e\xa8b2frame\0\xd2\0\0\0\x57",
        ] {
            assert_eq!(advice(ours), None);
        }
    }
}
