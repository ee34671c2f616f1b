//! Codecs by the codes and names of `blosc2.h`, and codecs that the program registered.

use std::ffi::CStr;

use super::registered::CODECS;

/// A codec of the library.
struct Named {
    code: i32,
    name: &'static CStr,
    /// The code of the format of its streams.
    library: i32,
    library_name: &'static CStr,
}

const BUILT_IN: [Named; 5] = [
    Named { code: 0, name: c"blosclz", library: 0, library_name: c"BloscLZ" },
    Named { code: 1, name: c"lz4", library: 1, library_name: c"LZ4" },
    Named { code: 2, name: c"lz4hc", library: 1, library_name: c"LZ4" },
    Named { code: 4, name: c"zlib", library: 3, library_name: c"Zlib" },
    Named { code: 5, name: c"zstd", library: 4, library_name: c"Zstd" },
];

/// The names of the codecs of the library.
pub(crate) const LIST: &CStr = c"blosclz,lz4,lz4hc,zlib,zstd";

/// Returns the name of a codec.
pub(crate) fn of_code(code: i32) -> Option<&'static CStr> {
    let built_in = BUILT_IN.iter().find(|named| named.code == code).map(|named| named.name);
    built_in.or_else(|| CODECS.get(code).map(|entry| entry.name))
}

/// Returns the code of a codec, or -1.
pub(crate) fn code_of_name(name: &CStr) -> i32 {
    let built_in = BUILT_IN.iter().find(|named| named.name == name).map(|named| named.code);
    built_in.or_else(|| CODECS.find(|entry| entry.name == name).map(|entry| entry.id)).unwrap_or(-1)
}

/// Returns the code and the name of the library of a codec.
pub(crate) fn library_of_name(name: &CStr) -> Option<(i32, &'static CStr)> {
    let built_in = BUILT_IN.iter().find(|named| named.name == name).map(|named| named.library);
    let library = built_in.or_else(|| CODECS.find(|entry| entry.name == name).map(|entry| entry.value.into()))?;
    library_name(library).map(|name| (library, name))
}

/// Returns the name of a format of streams.
pub(crate) fn library_name(library: i32) -> Option<&'static CStr> {
    let built_in = BUILT_IN.iter().find(|named| named.library == library).map(|named| named.library_name);
    built_in.or_else(|| CODECS.find(|entry| i32::from(entry.value) == library).map(|entry| entry.name))
}
