//! C functions raced as building blocks: LZ4, zlib-ng, zstd and the kernels exported by the `blosc2` wheel's library,
//! and the checksums of zlib and OpenSSL where these are installed.

use super::codecs::StreamCodec;
use crate::options::Options;
use anyhow::{Context, Result};
use blosc_core::Codec;
use libloading::{Library, Symbol};
use std::ffi::{c_int, c_uint, c_ulong, c_void};
use std::rc::Rc;

/// Bytes that a codec may need beyond 9/8 of the uncompressed size. Some crates refuse to start with less than 11/10.
pub const OVERHEAD: usize = 64;

type Bytes = *const u8;
type Room = *mut u8;
type Lz4Compress = unsafe extern "C" fn(Bytes, Room, c_int, c_int, c_int) -> c_int;
type Lz4Decompress = unsafe extern "C" fn(Bytes, Room, c_int, c_int) -> c_int;
type ZlibCompress = unsafe extern "C" fn(Room, *mut usize, Bytes, usize, c_int) -> c_int;
type ZlibDecompress = unsafe extern "C" fn(Room, *mut usize, Bytes, usize) -> c_int;
type ZstdCompress = unsafe extern "C" fn(*mut c_void, Room, usize, Bytes, usize, c_int) -> usize;
type ZstdDecompress = unsafe extern "C" fn(*mut c_void, Room, usize, Bytes, usize) -> usize;
type Create = unsafe extern "C" fn() -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void) -> usize;
type Kernel = unsafe extern "C" fn(i32, i32, Bytes, Room) -> i32;
type Sum = unsafe extern "C" fn(c_ulong, Bytes, c_uint) -> c_ulong;
type NewSum = unsafe extern "C" fn(u32, Bytes, usize) -> u32;
type Digest = unsafe extern "C" fn(Bytes, usize, Room) -> Room;

/// A kernel; takes typesize, source and destination.
pub type Transpose<'a> = Box<dyn Fn(usize, &[u8], &mut [u8]) + 'a>;

/// A function from bytes to a digest.
pub type Checksum<'a> = Box<dyn Fn(&[u8]) -> Vec<u8> + 'a>;

/// The libraries available on this machine.
pub struct Libraries {
    blosc2: Option<Rc<Library>>,
    zlib: Option<Library>,
    openssl: Option<Library>,
}

impl Libraries {
    pub fn load(options: &Options) -> Result<Self> {
        // SAFETY: the initializers of these libraries only set up their own globals.
        unsafe {
            let blosc2 = match &options.blosc2 {
                Some(path) => Some(Rc::new(Library::new(path).with_context(|| path.display().to_string())?)),
                None => None,
            };
            Ok(Libraries { blosc2, zlib: Library::new("libz.so.1").ok(), openssl: Library::new("libcrypto.so.3").ok() })
        }
    }

    /// Returns C's codec. BloscLZ and Snappy have none: the library does not export the one and lacks the other.
    pub fn codec(&self, codec: Codec, level: u8) -> Result<Option<Box<dyn StreamCodec>>> {
        let Some(library) = &self.blosc2 else { return Ok(None) };
        let level = c_int::from(level);
        // SAFETY: the types are those of lz4.h, lz4hc.h, zlib-ng.h and zstd.h. Every codec keeps the library loaded.
        unsafe {
            Ok(Some(match codec {
                Codec::Lz4 => Box::new(Lz4 {
                    name: "C lz4",
                    compress: *library.get::<Lz4Compress>(b"LZ4_compress_fast")?,
                    decompress: *library.get::<Lz4Decompress>(b"LZ4_decompress_safe")?,
                    // C-Blosc's mapping of levels to LZ4's acceleration.
                    parameter: 10 - level,
                    _library: Rc::clone(library),
                }),
                Codec::Lz4Hc => Box::new(Lz4 {
                    name: "C lz4hc",
                    compress: *library.get::<Lz4Compress>(b"LZ4_compress_HC")?,
                    decompress: *library.get::<Lz4Decompress>(b"LZ4_decompress_safe")?,
                    parameter: level,
                    _library: Rc::clone(library),
                }),
                Codec::Zlib => Box::new(Zlib {
                    compress: *library.get::<ZlibCompress>(b"zng_compress2")?,
                    decompress: *library.get::<ZlibDecompress>(b"zng_uncompress")?,
                    level,
                    _library: Rc::clone(library),
                }),
                Codec::Zstd => Box::new(Zstd {
                    compress: *library.get::<ZstdCompress>(b"ZSTD_compressCCtx")?,
                    decompress: *library.get::<ZstdDecompress>(b"ZSTD_decompressDCtx")?,
                    compressor: library.get::<Create>(b"ZSTD_createCCtx")?(),
                    decompressor: library.get::<Create>(b"ZSTD_createDCtx")?(),
                    free: [*library.get::<Free>(b"ZSTD_freeCCtx")?, *library.get::<Free>(b"ZSTD_freeDCtx")?],
                    // C-Blosc's mapping: every second level of zstd, and the maximum at level 9.
                    level: if level == 9 { 22 } else { 2 * level - 1 },
                    _library: Rc::clone(library),
                }),
                _ => return Ok(None),
            }))
        }
    }

    /// Returns C-Blosc2's `shuffle`, `unshuffle`, `bitshuffle` or `bitunshuffle`.
    pub fn kernel(&self, name: &str) -> Result<Option<Transpose<'_>>> {
        let Some(library) = &self.blosc2 else { return Ok(None) };
        // SAFETY: `int32_t blosc2_shuffle(int32_t typesize, int32_t blocksize, const void *, void *)`; the others have
        // the same signature.
        let kernel: Symbol<'_, Kernel> = unsafe { library.get(format!("blosc2_{name}").as_bytes())? };
        Ok(Some(Box::new(move |typesize, src, dst| {
            let len = src.len().min(dst.len());
            // SAFETY: reads and writes `len` bytes, which both slices have.
            unsafe { kernel(typesize as i32, len as i32, src.as_ptr(), dst.as_mut_ptr()) };
        })))
    }

    /// Returns the library's name and C's function for a checksum. The digest has the byte order in which bloscpack
    /// stores it.
    pub fn checksum<'a>(&'a self, name: &str) -> Option<(&'static str, Checksum<'a>)> {
        // SAFETY (of all the calls): the types are those of zlib.h, zlib-ng.h and openssl's md5.h and sha.h. The
        // functions read the slice they are given and write a digest of at most 64 bytes.
        match name {
            "adler32" => unsafe {
                let sum: Symbol<'a, Sum> = self.zlib.as_ref()?.get(b"adler32").ok()?;
                Some(("zlib", Box::new(move |bytes| stored(sum(1, bytes.as_ptr(), bytes.len() as c_uint) as u32))))
            },
            "crc32" => unsafe {
                let sum: Symbol<'a, NewSum> = self.blosc2.as_ref()?.get(b"zng_crc32").ok()?;
                Some(("zlib-ng", Box::new(move |bytes| stored(sum(0, bytes.as_ptr(), bytes.len())))))
            },
            name => unsafe {
                let digest: Symbol<'a, Digest> = self.openssl.as_ref()?.get(name.to_uppercase().as_bytes()).ok()?;
                Some((
                    "OpenSSL",
                    Box::new(move |bytes| {
                        let mut room = vec![0; 64];
                        digest(bytes.as_ptr(), bytes.len(), room.as_mut_ptr());
                        room
                    }),
                ))
            },
        }
    }
}

fn stored(sum: u32) -> Vec<u8> {
    sum.to_le_bytes().to_vec()
}

struct Lz4 {
    name: &'static str,
    compress: Lz4Compress,
    decompress: Lz4Decompress,
    parameter: c_int,
    _library: Rc<Library>,
}

impl StreamCodec for Lz4 {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let (len, room) = (src.len() as c_int, dst.len() as c_int);
        // SAFETY: reads `len` and writes at most `room` bytes.
        let written = unsafe { (self.compress)(src.as_ptr(), dst.as_mut_ptr(), len, room, self.parameter) };
        usize::try_from(written).ok().filter(|&written| written > 0)
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> bool {
        let (len, room) = (src.len() as c_int, dst.len() as c_int);
        // SAFETY: as above.
        unsafe { (self.decompress)(src.as_ptr(), dst.as_mut_ptr(), len, room) == room }
    }
}

struct Zlib {
    compress: ZlibCompress,
    decompress: ZlibDecompress,
    level: c_int,
    _library: Rc<Library>,
}

impl StreamCodec for Zlib {
    fn name(&self) -> &'static str {
        "C zlib-ng"
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let mut room = dst.len();
        // SAFETY: reads `src.len()` and writes at most `room` bytes, and stores the number of written bytes in `room`.
        let code = unsafe { (self.compress)(dst.as_mut_ptr(), &mut room, src.as_ptr(), src.len(), self.level) };
        (code == 0).then_some(room)
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> bool {
        let mut room = dst.len();
        // SAFETY: as above.
        let code = unsafe { (self.decompress)(dst.as_mut_ptr(), &mut room, src.as_ptr(), src.len()) };
        code == 0 && room == dst.len()
    }
}

struct Zstd {
    compress: ZstdCompress,
    decompress: ZstdDecompress,
    compressor: *mut c_void,
    decompressor: *mut c_void,
    free: [Free; 2],
    level: c_int,
    _library: Rc<Library>,
}

impl StreamCodec for Zstd {
    fn name(&self) -> &'static str {
        "C zstd"
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let (to, room) = (dst.as_mut_ptr(), dst.len());
        // SAFETY: reads `src.len()` and writes at most `room` bytes. An error is a huge number.
        let written = unsafe { (self.compress)(self.compressor, to, room, src.as_ptr(), src.len(), self.level) };
        Some(written).filter(|&written| written <= room)
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> bool {
        let (to, room) = (dst.as_mut_ptr(), dst.len());
        // SAFETY: as above.
        unsafe { (self.decompress)(self.decompressor, to, room, src.as_ptr(), src.len()) == room }
    }
}

impl Drop for Zstd {
    fn drop(&mut self) {
        // SAFETY: each context is freed once, by its own function. Null is allowed.
        unsafe {
            (self.free[0])(self.compressor);
            (self.free[1])(self.decompressor);
        }
    }
}
