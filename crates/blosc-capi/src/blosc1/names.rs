//! Codecs by the codes and names of `blosc.h`.

use std::ffi::CStr;
use std::sync::OnceLock;

use blosc_core::{Codec, CodecFormat};

/// A codec of `blosc.h`.
pub(crate) struct Named {
    pub(crate) codec: Codec,
    pub(crate) name: &'static CStr,
    /// The code of the format of its streams.
    pub(crate) library: i32,
    /// The name of that format.
    pub(crate) library_name: &'static CStr,
}

/// All codecs, by code.
const CODECS: [Named; 6] = [
    Named { codec: Codec::BloscLz, name: c"blosclz", library: 0, library_name: c"BloscLZ" },
    Named { codec: Codec::Lz4, name: c"lz4", library: 1, library_name: c"LZ4" },
    Named { codec: Codec::Lz4Hc, name: c"lz4hc", library: 1, library_name: c"LZ4" },
    Named { codec: Codec::Snappy, name: c"snappy", library: 2, library_name: c"Snappy" },
    Named { codec: Codec::Zlib, name: c"zlib", library: 3, library_name: c"Zlib" },
    Named { codec: Codec::Zstd, name: c"zstd", library: 4, library_name: c"Zstd" },
];

/// Returns the codec with a code, whether or not it is available.
pub(crate) fn of_code(code: i32) -> Option<&'static Named> {
    CODECS.get(usize::try_from(code).ok()?)
}

/// Returns the code of an available codec, or -1.
pub(crate) fn code_of_name(name: &CStr) -> i32 {
    let found = CODECS.iter().position(|named| named.name == name && named.codec.is_available());
    found.map_or(-1, |code| code as i32)
}

/// Returns the name of a format of streams.
pub(crate) fn library_name(library: u8) -> Option<&'static CStr> {
    CODECS.iter().find(|named| named.library == i32::from(library)).map(|named| named.library_name)
}

/// Returns whether streams of this format can be decoded.
pub(crate) fn is_decodable(library: u8) -> bool {
    let mut named = CODECS.iter().filter(|named| named.library == i32::from(library));
    named.any(|named| named.codec.is_available() || named.codec.format() == CodecFormat::Zstd)
}

/// Returns the names of the available codecs, separated by commas.
pub(crate) fn list() -> &'static CStr {
    static LIST: OnceLock<std::ffi::CString> = OnceLock::new();
    LIST.get_or_init(|| {
        let available = CODECS.iter().filter(|named| named.codec.is_available());
        let names: Vec<&[u8]> = available.map(|named| named.name.to_bytes()).collect();
        // Names hold no zero bytes.
        std::ffi::CString::new(names.join(&b","[..])).unwrap_or_default()
    })
}
