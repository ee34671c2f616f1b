//! C-Blosc 1: the shared library that the `blosc` wheel installs next to the packages. Uses the global functions, the
//! only ones that keep their buffers between calls.

use super::{ChunkCodec, Format, Job, Peer, REFERENCE_1};
use anyhow::{Context, Result, bail, ensure};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem;
use std::path::Path;
use std::rc::Rc;

type Compress = unsafe extern "C" fn(c_int, c_int, usize, usize, *const c_void, *mut c_void, usize) -> c_int;
type Decompress = unsafe extern "C" fn(*const c_void, *mut c_void, usize) -> c_int;

/// The loaded library. Codec and threads are global variables in it, so there can be only one job at a time.
pub struct CBlosc1(Rc<Library>);

impl CBlosc1 {
    pub fn load(path: &Path) -> Result<Self> {
        // SAFETY: the initializers of libblosc only set up its own globals.
        let library = unsafe { Library::new(path) }.with_context(|| path.display().to_string())?;
        // SAFETY: `void blosc_init(void)`, called once, from the only thread.
        unsafe { library.get::<unsafe extern "C" fn()>(b"blosc_init")?() };
        let library = Rc::new(library);
        // Its threads may still return from the last job when that is done, so it is never unloaded.
        mem::forget(Rc::clone(&library));
        Ok(Self(library))
    }

    pub fn library(&self) -> &Rc<Library> {
        &self.0
    }
}

impl Peer for CBlosc1 {
    fn name(&self) -> &'static str {
        REFERENCE_1
    }

    fn version(&self) -> String {
        // SAFETY: `const char *blosc_get_version_string(void)` returns a static string.
        unsafe {
            match self.0.get::<unsafe extern "C" fn() -> *const c_char>(b"blosc_get_version_string") {
                Ok(version) => CStr::from_ptr(version()).to_string_lossy().into_owned(),
                Err(_) => "of unknown version".to_owned(),
            }
        }
    }

    fn format(&self) -> Format {
        Format::Blosc1
    }

    fn chunk_codec(&self, job: &Job) -> Result<Option<Box<dyn ChunkCodec>>> {
        let name = CString::new(job.codec.as_str())?;
        // SAFETY: the types are those of blosc.h. The name ends with a zero byte. The function pointers live as long as
        // the library.
        let codec = unsafe {
            let set_codec = self.0.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"blosc_set_compressor")?;
            if set_codec(name.as_ptr()) < 0 {
                return Ok(None);
            }
            self.0.get::<unsafe extern "C" fn(c_int) -> c_int>(b"blosc_set_nthreads")?(c_int::try_from(job.threads)?);
            Global {
                compress: *self.0.get::<Compress>(b"blosc_compress")?,
                decompress: *self.0.get::<Decompress>(b"blosc_decompress")?,
                job: job.clone(),
                _library: Rc::clone(&self.0),
            }
        };
        Ok(Some(Box::new(codec)))
    }
}

struct Global {
    compress: Compress,
    decompress: Decompress,
    job: Job,
    _library: Rc<Library>,
}

impl ChunkCodec for Global {
    fn compress(&mut self, plain: &[u8], chunk: &mut [u8]) -> Result<usize> {
        let (level, filter) = (c_int::from(self.job.level), self.job.filter as c_int);
        let (src, dst) = (plain.as_ptr().cast(), chunk.as_mut_ptr().cast());
        // SAFETY: reads and writes no more than the lengths of the slices, which are passed to it.
        let cbytes = unsafe { (self.compress)(level, filter, self.job.typesize, plain.len(), src, dst, chunk.len()) };
        if cbytes > 0 { Ok(cbytes as usize) } else { bail!("C-Blosc 1 gave {cbytes}") }
    }

    fn decompress(&mut self, chunk: &[u8], plain: &mut [u8]) -> Result<()> {
        let cbytes = chunk.get(12..16).unwrap_or_default();
        ensure!(cbytes == (chunk.len() as u32).to_le_bytes(), "a chunk whose header says another size");
        // SAFETY: reads the number of bytes that the header states, checked above to be `chunk.len()`, and writes at
        // most `plain.len()` bytes.
        let written = unsafe { (self.decompress)(chunk.as_ptr().cast(), plain.as_mut_ptr().cast(), plain.len()) };
        if usize::try_from(written) == Ok(plain.len()) { Ok(()) } else { bail!("C-Blosc 1 gave {written}") }
    }
}
