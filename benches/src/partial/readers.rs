//! The libraries that read parts of chunks. Each holds the compressed chunks of a sample, and is called with a number.

use super::cases::Layout;
use crate::options::Options;
use crate::peers::{
    CBlosc1, CBlosc2, ChunkCodec, Contexts, Filter, Job, OVERHEAD, Ours, Peer as _, REFERENCE, REFERENCE_1,
};
use anyhow::{Context, Result, bail, ensure};
use blosc_core::{Chunk, Decoder};
use libloading::Library;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::rc::Rc;

/// A library with its chunks. Ranges are in items.
pub(super) trait Reader {
    /// The reader's name in the table.
    fn name(&self) -> &'static str;
    /// The compressed chunks.
    fn chunks(&self) -> &[Vec<u8>];
    /// Reads a range into `dst`, which has its length.
    fn items(&mut self, chunk: usize, items: Range<usize>, dst: &mut [u8]) -> Result<()>;

    /// Reads a range of `len` bytes into a new vector.
    fn items_to_vec(&mut self, chunk: usize, items: Range<usize>, len: usize) -> Result<Vec<u8>> {
        let mut out = vec![0; len];
        self.items(chunk, items, &mut out)?;
        Ok(out)
    }

    /// Reads several ranges into `dst`, one after another.
    fn ranges(&mut self, chunk: usize, ranges: &[Range<usize>], dst: &mut [u8]) -> Result<()> {
        let typesize = dst.len() / ranges.iter().map(|range| range.len()).sum::<usize>().max(1);
        let mut rest = dst;
        for range in ranges {
            let (part, after) = rest.split_at_mut(range.len() * typesize);
            self.items(chunk, range.clone(), part)?;
            rest = after;
        }
        Ok(())
    }

    /// Reads a block, which has these items.
    fn block(&mut self, chunk: usize, _index: usize, items: Range<usize>, dst: &mut [u8]) -> Result<()> {
        self.items(chunk, items, dst)
    }

    /// Reads all blocks except some. Returns the size of the chunk, or `None` if the library cannot.
    fn masked(&mut self, _chunk: usize, _skip: &[bool], _dst: &mut [u8]) -> Result<Option<usize>> {
        Ok(None)
    }

    /// Returns the shape of the chunks.
    fn layout(&self) -> Result<Layout> {
        let chunk = Chunk::parse(self.chunks().first().context("there is no chunk")?)?;
        let header = chunk.header();
        let (typesize, blocksize) = (header.typesize(), header.blocksize());
        Ok(Layout {
            items: header.nbytes() / typesize,
            items_per_block: blocksize / typesize,
            blocks: header.nblocks(),
        })
    }
}

pub(super) fn job(codec: &str, level: u8, filter: Filter, typesize: usize) -> Job {
    Job { codec: codec.to_owned(), level, filter, typesize, threads: 1 }
}

/// Returns our reader, then those of the C libraries that are there, with chunks of `plain`.
pub(super) fn all(options: &Options, job: &Job, plain: &[&[u8]]) -> Result<Vec<Box<dyn Reader>>> {
    let mut readers: Vec<Box<dyn Reader>> = Vec::new();
    let Some(path) = &options.blosc2 else {
        let mut codec = Ours::Blosc2.chunk_codec(job)?.context("unknown codec")?;
        return Ok(vec![Box::new(OurReader::new(compress(&mut *codec, plain)?))]);
    };
    let library = CBlosc2::load(path)?;
    let mut contexts = library.contexts(job)?.context("C-Blosc2 lacks this codec")?;
    let chunks = compress(&mut contexts, plain)?;
    readers.push(Box::new(OurReader::new(chunks.clone())));
    // SAFETY: the types are those of blosc2.h. The function pointers live as long as the library, which both readers
    // hold.
    let (getitem, set_maskout, getitem_1) = unsafe {
        let library = library.library();
        (
            *library.get::<GetItemCtx>(b"blosc2_getitem_ctx")?,
            *library.get::<SetMaskout>(b"blosc2_set_maskout")?,
            *library.get::<GetItem>(b"blosc1_getitem")?,
        )
    };
    readers.push(Box::new(InContext { contexts, getitem, set_maskout, chunks: chunks.clone() }));
    readers.push(Box::new(Global {
        name: "C-Blosc2, blosc1_getitem",
        getitem: getitem_1,
        chunks,
        _library: Rc::clone(library.library()),
    }));
    if let Some(path) = &options.blosc1 {
        let library = CBlosc1::load(path)?;
        if let Some(mut codec) = library.chunk_codec(job)? {
            // SAFETY: as above, of blosc.h.
            let getitem = unsafe { *library.library().get::<GetItem>(b"blosc_getitem")? };
            let chunks = compress(&mut *codec, plain)?;
            readers.push(Box::new(Global {
                name: REFERENCE_1,
                getitem,
                chunks,
                _library: Rc::clone(library.library()),
            }));
        }
    }
    Ok(readers)
}

fn compress(codec: &mut dyn ChunkCodec, plain: &[&[u8]]) -> Result<Vec<Vec<u8>>> {
    let mut room = vec![0; plain[0].len() + OVERHEAD];
    let chunk = |plain: &&[u8]| {
        let cbytes = codec.compress(plain, &mut room)?;
        Ok(room[..cbytes].to_vec())
    };
    plain.iter().map(chunk).collect()
}

struct OurReader {
    decoder: Decoder,
    chunks: Vec<Vec<u8>>,
    /// Byte ranges of the current read.
    bytes: Vec<Range<usize>>,
}

impl OurReader {
    fn new(chunks: Vec<Vec<u8>>) -> Self {
        OurReader { decoder: Decoder::new(), chunks, bytes: Vec::new() }
    }
}

impl Reader for OurReader {
    fn name(&self) -> &'static str {
        "ours"
    }

    fn chunks(&self) -> &[Vec<u8>] {
        &self.chunks
    }

    fn items(&mut self, chunk: usize, items: Range<usize>, dst: &mut [u8]) -> Result<()> {
        let chunk = Chunk::parse(&self.chunks[chunk])?;
        let typesize = chunk.header().typesize();
        let bytes = items.start * typesize..items.end * typesize;
        Ok(self.decoder.decode_ranges(&chunk, std::slice::from_ref(&bytes), dst)?)
    }

    fn items_to_vec(&mut self, chunk: usize, items: Range<usize>, _len: usize) -> Result<Vec<u8>> {
        Ok(self.decoder.items(&Chunk::parse(&self.chunks[chunk])?, items)?)
    }

    fn ranges(&mut self, chunk: usize, ranges: &[Range<usize>], dst: &mut [u8]) -> Result<()> {
        let chunk = Chunk::parse(&self.chunks[chunk])?;
        let typesize = chunk.header().typesize();
        self.bytes.clear();
        self.bytes.extend(ranges.iter().map(|range| range.start * typesize..range.end * typesize));
        Ok(self.decoder.decode_ranges(&chunk, &self.bytes, dst)?)
    }

    fn block(&mut self, chunk: usize, index: usize, _items: Range<usize>, dst: &mut [u8]) -> Result<()> {
        self.decoder.decode_block(&Chunk::parse(&self.chunks[chunk])?, index, dst)?;
        Ok(())
    }

    fn masked(&mut self, chunk: usize, skip: &[bool], dst: &mut [u8]) -> Result<Option<usize>> {
        Ok(Some(self.decoder.decompress_masked(&Chunk::parse(&self.chunks[chunk])?, skip, dst)?))
    }
}

type GetItemCtx = unsafe extern "C" fn(*mut c_void, *const c_void, i32, c_int, c_int, *mut c_void, i32) -> c_int;
type SetMaskout = unsafe extern "C" fn(*mut c_void, *const bool, c_int) -> c_int;
type GetItem = unsafe extern "C" fn(*const c_void, c_int, c_int, *mut c_void) -> c_int;

/// C-Blosc2 with a context.
struct InContext {
    contexts: Contexts,
    getitem: GetItemCtx,
    set_maskout: SetMaskout,
    chunks: Vec<Vec<u8>>,
}

impl Reader for InContext {
    fn name(&self) -> &'static str {
        REFERENCE
    }

    fn chunks(&self) -> &[Vec<u8>] {
        &self.chunks
    }

    fn items(&mut self, chunk: usize, items: Range<usize>, dst: &mut [u8]) -> Result<()> {
        let chunk = &self.chunks[chunk];
        let (start, count) = (c_int::try_from(items.start)?, c_int::try_from(items.len())?);
        let (cbytes, room) = (i32::try_from(chunk.len())?, i32::try_from(dst.len())?);
        let (context, src, out) = (self.contexts.decompressor(), chunk.as_ptr().cast(), dst.as_mut_ptr().cast());
        // SAFETY: reads `cbytes` and writes at most `room` bytes, the lengths of the slices.
        let written = unsafe { (self.getitem)(context, src, cbytes, start, count, out, room) };
        ensure!(written == room, "blosc2_getitem_ctx gave {written} instead of {room}");
        Ok(())
    }

    fn masked(&mut self, chunk: usize, skip: &[bool], dst: &mut [u8]) -> Result<Option<usize>> {
        // SAFETY: reads `skip.len()` bytes, and keeps a copy until the next decompression.
        let set =
            unsafe { (self.set_maskout)(self.contexts.decompressor(), skip.as_ptr(), c_int::try_from(skip.len())?) };
        ensure!(set == 0, "blosc2_set_maskout gave {set}");
        self.contexts.decompress(&self.chunks[chunk], dst)?;
        Ok(Some(dst.len()))
    }
}

/// A function without a context.
struct Global {
    name: &'static str,
    getitem: GetItem,
    chunks: Vec<Vec<u8>>,
    _library: Rc<Library>,
}

impl Reader for Global {
    fn name(&self) -> &'static str {
        self.name
    }

    fn chunks(&self) -> &[Vec<u8>] {
        &self.chunks
    }

    fn items(&mut self, chunk: usize, items: Range<usize>, dst: &mut [u8]) -> Result<()> {
        let chunk = &self.chunks[chunk];
        let (start, count) = (c_int::try_from(items.start)?, c_int::try_from(items.len())?);
        // SAFETY: reads the chunk, which a C library wrote and which has the size in its header, and writes `count`
        // items, which have the length of `dst`.
        let written = unsafe { (self.getitem)(chunk.as_ptr().cast(), start, count, dst.as_mut_ptr().cast()) };
        if usize::try_from(written) == Ok(dst.len()) { Ok(()) } else { bail!("getitem gave {written}") }
    }
}
