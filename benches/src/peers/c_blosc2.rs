//! C-Blosc2, the reference: the shared library in the `blosc2` wheel, used through contexts that are created once.

use super::{ChunkCodec, Format, Job, OVERHEAD, Peer, REFERENCE};
use anyhow::{Context, Result, bail, ensure};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr::null_mut;
use std::rc::Rc;

/// `blosc2_cparams` of blosc2.h 4.14.1 (C-Blosc2 3), field by field.
#[derive(Clone, Copy)]
#[repr(C)]
struct CParams {
    compcode: u8,
    compcode_meta: u8,
    clevel: u8,
    use_dict: c_int,
    typesize: i32,
    nthreads: i16,
    blocksize: i32,
    splitmode: i32,
    schunk: *mut c_void,
    filters: [u8; 6],
    filters_meta: [u8; 6],
    prefilter: *mut c_void,
    preparams: *mut c_void,
    tuner_params: *mut c_void,
    tuner_id: c_int,
    instr_codec: bool,
    codec_params: *mut c_void,
    filter_params: [*mut c_void; 6],
}

/// `blosc2_dparams`.
#[derive(Clone, Copy)]
#[repr(C)]
struct DParams {
    nthreads: i16,
    schunk: *mut c_void,
    postfilter: *mut c_void,
    postparams: *mut c_void,
    typesize: i32,
}

/// `BLOSC_FORWARD_COMPAT_SPLIT`, the default.
const FORWARD_COMPAT: i32 = 4;

type CreateCompressor = unsafe extern "C" fn(CParams) -> *mut c_void;
type CreateDecompressor = unsafe extern "C" fn(DParams) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type AppendBuffer = unsafe extern "C" fn(*mut c_void, *const c_void, i32) -> i64;
type Run = unsafe extern "C" fn(*mut c_void, *const c_void, i32, *mut c_void, i32) -> c_int;

/// The loaded library.
pub struct CBlosc2(Rc<Library>);

impl CBlosc2 {
    pub fn load(path: &Path) -> Result<Self> {
        // SAFETY: the initializers of libblosc2 only set up its own globals.
        let library = unsafe { Library::new(path) }.with_context(|| path.display().to_string())?;
        // SAFETY: `void blosc2_init(void)`, called once, from the only thread.
        unsafe { library.get::<unsafe extern "C" fn()>(b"blosc2_init")?() };
        let library = Rc::new(library);
        // Its threads may still return from the last job when that is done, so it is never unloaded.
        mem::forget(Rc::clone(&library));
        Ok(Self(library))
    }

    pub fn library(&self) -> &Rc<Library> {
        &self.0
    }

    fn compcode(&self, codec: &str) -> Result<Option<u8>> {
        let name = CString::new(codec)?;
        // SAFETY: `int blosc2_compname_to_compcode(const char *)` reads a zero-terminated string.
        let code = unsafe {
            let code = self.0.get::<unsafe extern "C" fn(*const c_char) -> c_int>(b"blosc2_compname_to_compcode")?;
            code(name.as_ptr())
        };
        Ok(u8::try_from(code).ok())
    }
}

impl Peer for CBlosc2 {
    fn name(&self) -> &'static str {
        REFERENCE
    }

    fn version(&self) -> String {
        // SAFETY: `const char *blosc2_get_version_string(void)` returns a static string.
        unsafe {
            match self.0.get::<unsafe extern "C" fn() -> *const c_char>(b"blosc2_get_version_string") {
                Ok(version) => CStr::from_ptr(version()).to_string_lossy().into_owned(),
                Err(_) => "of unknown version".to_owned(),
            }
        }
    }

    fn format(&self) -> Format {
        Format::Blosc2
    }

    fn chunk_codec(&self, job: &Job) -> Result<Option<Box<dyn ChunkCodec>>> {
        Ok(self.contexts(job)?.map(|contexts| Box::new(contexts) as Box<dyn ChunkCodec>))
    }

    fn append(&self, path: &Path, plain: &[u8]) -> Result<bool> {
        let (path, nbytes) = (CString::new(path.as_os_str().as_bytes())?, i32::try_from(plain.len())?);
        // SAFETY: the types are those of blosc2.h. The path is zero-terminated, `nbytes` is the length of the data that
        // is read, and the opened super-chunk is freed once.
        unsafe {
            let open = self.0.get::<unsafe extern "C" fn(*const c_char) -> *mut c_void>(b"blosc2_schunk_open")?;
            let append = self.0.get::<AppendBuffer>(b"blosc2_schunk_append_buffer")?;
            let free = self.0.get::<unsafe extern "C" fn(*mut c_void) -> c_int>(b"blosc2_schunk_free")?;
            let frame = open(path.as_ptr());
            ensure!(!frame.is_null(), "C-Blosc2 does not open the frame");
            let nchunks = append(frame, plain.as_ptr().cast(), nbytes);
            free(frame);
            ensure!(nchunks > 0, "C-Blosc2 gave {nchunks}");
        }
        Ok(true)
    }
}

impl CBlosc2 {
    /// Returns contexts for a job, or `None` if the library does not have the codec.
    pub fn contexts(&self, job: &Job) -> Result<Option<Contexts>> {
        let Some(compcode) = self.compcode(&job.codec)? else { return Ok(None) };
        let (typesize, nthreads) = (i32::try_from(job.typesize)?, i16::try_from(job.threads)?);
        let cparams = CParams {
            compcode,
            compcode_meta: 0,
            clevel: job.level,
            use_dict: 0,
            typesize,
            nthreads,
            blocksize: 0,
            splitmode: FORWARD_COMPAT,
            schunk: null_mut(),
            filters: [0, 0, 0, 0, 0, job.filter as u8],
            filters_meta: [0; 6],
            prefilter: null_mut(),
            preparams: null_mut(),
            tuner_params: null_mut(),
            tuner_id: 0,
            instr_codec: false,
            codec_params: null_mut(),
            filter_params: [null_mut(); 6],
        };
        let dparams =
            DParams { nthreads, schunk: null_mut(), postfilter: null_mut(), postparams: null_mut(), typesize };
        // SAFETY: the types are those of blosc2.h. The contexts keep no reference to the parameters. The function
        // pointers live as long as the library, which the codec holds.
        let mut contexts = unsafe {
            Contexts {
                cparams,
                dparams,
                compressor: null_mut(),
                decompressor: null_mut(),
                create_compressor: *self.0.get::<CreateCompressor>(b"blosc2_create_cctx")?,
                create_decompressor: *self.0.get::<CreateDecompressor>(b"blosc2_create_dctx")?,
                compress: *self.0.get::<Run>(b"blosc2_compress_ctx")?,
                decompress: *self.0.get::<Run>(b"blosc2_decompress_ctx")?,
                free: *self.0.get::<Free>(b"blosc2_free_ctx")?,
                _library: Rc::clone(&self.0),
            }
        };
        contexts.renew(true)?;
        contexts.renew(false)?;
        Ok(Some(contexts))
    }
}

/// One context for each direction.
pub struct Contexts {
    cparams: CParams,
    dparams: DParams,
    compressor: *mut c_void,
    decompressor: *mut c_void,
    create_compressor: CreateCompressor,
    create_decompressor: CreateDecompressor,
    compress: Run,
    decompress: Run,
    free: Free,
    _library: Rc<Library>,
}

impl Contexts {
    /// Frees the context of one direction and creates a new one.
    pub fn renew(&mut self, of_compression: bool) -> Result<()> {
        let context = if of_compression { &mut self.compressor } else { &mut self.decompressor };
        // SAFETY: the context is null or was created by the library, and is not used afterwards. The parameters are
        // those of blosc2.h.
        unsafe {
            if !context.is_null() {
                (self.free)(*context);
            }
            *context = match of_compression {
                true => (self.create_compressor)(self.cparams),
                false => (self.create_decompressor)(self.dparams),
            };
        }
        ensure!(!context.is_null(), "C-Blosc2 made no context");
        Ok(())
    }

    /// Returns the context of decompression, for functions that `ChunkCodec` does not have.
    pub fn decompressor(&self) -> *mut c_void {
        self.decompressor
    }

    /// Compresses to new memory, as C programs do: `malloc`, compress, `realloc`.
    pub fn compress_to_vec(&mut self, plain: &[u8]) -> Result<Vec<u8>> {
        let mut chunk = Vec::<u8>::with_capacity(plain.len() + OVERHEAD);
        let (src, nbytes, room) =
            (plain.as_ptr().cast(), i32::try_from(plain.len())?, i32::try_from(chunk.capacity())?);
        // SAFETY: reads `nbytes` and writes at most `room` bytes, the lengths of both buffers. The first `cbytes` bytes
        // are written.
        unsafe {
            let cbytes = (self.compress)(self.compressor, src, nbytes, chunk.as_mut_ptr().cast(), room);
            ensure!(cbytes > 0, "C-Blosc2 gave {cbytes}");
            chunk.set_len(cbytes as usize);
        }
        chunk.shrink_to_fit();
        Ok(chunk)
    }

    /// Decompresses to new memory.
    pub fn decompress_to_vec(&mut self, chunk: &[u8], nbytes: usize) -> Result<Vec<u8>> {
        let mut plain = Vec::<u8>::with_capacity(nbytes);
        let (src, cbytes, room) = (chunk.as_ptr().cast(), i32::try_from(chunk.len())?, i32::try_from(nbytes)?);
        // SAFETY: reads `cbytes` and writes at most `nbytes` bytes, the lengths of both buffers. They are all written.
        unsafe {
            let written = (self.decompress)(self.decompressor, src, cbytes, plain.as_mut_ptr().cast(), room);
            ensure!(written == room, "C-Blosc2 gave {written} instead of {nbytes}");
            plain.set_len(nbytes);
        }
        Ok(plain)
    }
}

impl ChunkCodec for Contexts {
    fn compress(&mut self, plain: &[u8], chunk: &mut [u8]) -> Result<usize> {
        let (src, nbytes) = (plain.as_ptr().cast(), i32::try_from(plain.len())?);
        let (dst, room) = (chunk.as_mut_ptr().cast(), i32::try_from(chunk.len())?);
        // SAFETY: reads `nbytes` and writes at most `room` bytes, the lengths of the slices.
        match unsafe { (self.compress)(self.compressor, src, nbytes, dst, room) } {
            cbytes @ 1.. => Ok(cbytes as usize),
            other => bail!("C-Blosc2 gave {other}"),
        }
    }

    fn decompress(&mut self, chunk: &[u8], plain: &mut [u8]) -> Result<()> {
        let (src, cbytes) = (chunk.as_ptr().cast(), i32::try_from(chunk.len())?);
        let (dst, nbytes) = (plain.as_mut_ptr().cast(), i32::try_from(plain.len())?);
        // SAFETY: as above; `cbytes` bounds what is read.
        let written = unsafe { (self.decompress)(self.decompressor, src, cbytes, dst, nbytes) };
        if written == nbytes { Ok(()) } else { bail!("C-Blosc2 gave {written} instead of {nbytes}") }
    }
}

impl Drop for Contexts {
    fn drop(&mut self) {
        for context in [self.compressor, self.decompressor] {
            if !context.is_null() {
                // SAFETY: created by the library's own function and freed once.
                unsafe { (self.free)(context) };
            }
        }
    }
}
