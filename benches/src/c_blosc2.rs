//! How is C-Blosc2 called? Through its global API, loaded from the shared library that the PyPI wheel carries.
//!
//! It must write Blosc1 chunks to be comparable: run with `BLOSC_BLOSC1_COMPAT=1` in the environment.

use crate::ours::Filter;
use anyhow::{Context, Result, bail};
use libloading::{Library, Symbol};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;

/// Bytes that C-Blosc2 may need beyond the plain ones.
const OVERHEAD: usize = 32;

type CompressFn = unsafe extern "C" fn(c_int, c_int, usize, usize, *const c_void, *mut c_void, usize) -> c_int;
type DecompressFn = unsafe extern "C" fn(*const c_void, *mut c_void, usize) -> c_int;

/// The loaded library. It keeps its settings in globals, so there must be one of these at a time.
pub struct CBlosc2(Library);

impl CBlosc2 {
    /// Loads the library and sets it up for one thread.
    pub fn load(path: &Path) -> Result<Self> {
        if std::env::var_os("BLOSC_BLOSC1_COMPAT").is_none() {
            bail!("set BLOSC_BLOSC1_COMPAT=1, or C-Blosc2 writes chunks that are not Blosc1's");
        }
        // SAFETY: the initialisers of libblosc2 set up globals of its own and nothing else.
        let library = unsafe { Library::new(path) }.with_context(|| path.display().to_string())?;
        // SAFETY: `void blosc2_init(void)` and `int16_t blosc2_set_nthreads(int16_t)` in blosc2.h; called once, from
        // the only thread.
        unsafe {
            let init: Symbol<'_, unsafe extern "C" fn()> = library.get(b"blosc2_init")?;
            init();
            let set_nthreads: Symbol<'_, unsafe extern "C" fn(i16) -> i16> = library.get(b"blosc2_set_nthreads")?;
            set_nthreads(1);
        }
        Ok(Self(library))
    }

    /// What the library calls itself.
    pub fn version(&self) -> Result<String> {
        // SAFETY: `const char *blosc2_get_version_string(void)` returns a static string.
        unsafe {
            let version: Symbol<'_, unsafe extern "C" fn() -> *const c_char> =
                self.0.get(b"blosc2_get_version_string")?;
            Ok(CStr::from_ptr(version()).to_string_lossy().into_owned())
        }
    }

    /// Chooses the codec of the next chunks.
    pub fn set_codec(&self, codec: &str) -> Result<()> {
        let name = CString::new(codec)?;
        // SAFETY: `int blosc1_set_compressor(const char *)` reads a string that ends in 0, which lives through the call.
        let code = unsafe {
            let set: Symbol<'_, unsafe extern "C" fn(*const c_char) -> c_int> = self.0.get(b"blosc1_set_compressor")?;
            set(name.as_ptr())
        };
        if code < 0 { bail!("C-Blosc2 has no codec {codec}") } else { Ok(()) }
    }

    /// A function that compresses into a buffer it keeps and returns the chunk.
    pub fn compressor(&self, level: u8, filter: Filter, typesize: usize, nbytes: usize) -> Result<CCompressor<'_>> {
        // SAFETY: the type is that of `blosc1_compress` in blosc2.h.
        let compress = unsafe { self.0.get::<CompressFn>(b"blosc1_compress") }?;
        Ok(CCompressor { compress, level, filter, typesize, buffer: vec![0; nbytes + OVERHEAD] })
    }

    /// Decompresses a chunk into exactly `plain.len()` bytes.
    pub fn decompress(&self, chunk: &[u8], plain: &mut [u8]) -> Result<()> {
        if chunk.get(12..16) != Some(&(chunk.len() as u32).to_le_bytes()) {
            bail!("a chunk whose header says another size");
        }
        // SAFETY: `int blosc1_decompress(const void *src, void *dest, size_t destsize)` reads the `cbytes` of the
        // chunk's header, checked above to be all there, and writes at most `destsize` bytes.
        let length = unsafe {
            let decompress: Symbol<'_, DecompressFn> = self.0.get(b"blosc1_decompress")?;
            decompress(chunk.as_ptr().cast(), plain.as_mut_ptr().cast(), plain.len())
        };
        if usize::try_from(length) == Ok(plain.len()) { Ok(()) } else { bail!("C-Blosc2 gave {length}") }
    }
}

/// C-Blosc2's compression with fixed parameters.
pub struct CCompressor<'a> {
    compress: Symbol<'a, CompressFn>,
    level: u8,
    filter: Filter,
    typesize: usize,
    buffer: Vec<u8>,
}

impl CCompressor<'_> {
    /// One chunk of `plain`.
    pub fn compress(&mut self, plain: &[u8]) -> Result<&mut [u8]> {
        let (level, filter) = (c_int::from(self.level), self.filter as c_int);
        let (src, dst) = (plain.as_ptr().cast(), self.buffer.as_mut_ptr().cast());
        // SAFETY: reads `plain.len()` bytes and writes at most `buffer.len()`, the sizes of the two slices.
        let length = unsafe { (self.compress)(level, filter, self.typesize, plain.len(), src, dst, self.buffer.len()) };
        match usize::try_from(length) {
            Ok(length @ 1..) => Ok(&mut self.buffer[..length]),
            _ => bail!("C-Blosc2 gave {length}"),
        }
    }
}
