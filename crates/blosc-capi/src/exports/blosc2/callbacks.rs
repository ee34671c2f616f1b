//! Functions of the program as those of the engine: codecs, filters, prefilters, postfilters.
//!
//! The program promises with their registration that they can be called from all threads of a context.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use blosc_core::{BlockCodec, BlockFilter, BlockInfo, Encoder, PluginContext, PluginError, Registry, memory};

use super::abi::{Cparams, Dparams, PostfilterParams, PrefilterParams};
use super::context::Context;
use super::functions::{CODECS, FILTERS, UserCodec, UserFilter};
use crate::blosc2::codes::{CODEC_SUPPORT, DATA, WRITE_BUFFER, of_encode, trace};
use crate::blosc2::compress::{self, Block, Prefilter};
use crate::blosc2::decompress::{self, Postfilter};
use crate::blosc2::header::Info;
use crate::blosc2::{FIRST_USER_ID, nthreads};

/// Codecs from this id on are not built in.
const FIRST_CODEC: i32 = 32;

/// Returns the functions of the program that take part in a compression of `src`. `nbytes` is the size of the chunk, or
/// of the largest block of variable length.
pub(super) fn of_compression(context: &Context, src: &[u8], nbytes: usize) -> Result<Option<compress::Callbacks>, i32> {
    let job = &context.job;
    let is_user = |id: &u8| i32::from(*id) >= FIRST_USER_ID;
    if job.compcode < FIRST_CODEC && !job.filters.iter().any(is_user) && context.preparams.is_none() {
        return Ok(None);
    }
    let encoder = Encoder::new(job.params()?).map_err(|error| of_encode(&error))?;
    context.blocksize.store(encoder.blocksize_of(nbytes) as i32, Relaxed);
    let user = User::new(context, src);
    let mut registry = Registry::new();
    if job.compcode >= FIRST_CODEC {
        let found = CODECS.get(job.compcode).filter(|entry| entry.value.encoder.is_some());
        let found = found.ok_or_else(|| {
            trace(CODEC_SUPPORT, format_args!("codec {} is not registered, or has no encoder", job.compcode))
        })?;
        registry = with_codec(registry, found.id, found.value, &user);
    }
    for id in job.filters.iter().filter(|id| is_user(id)) {
        if let Some(found) = FILTERS.get((*id).into()) {
            registry = with_filter(registry, *id, found.value, &user);
        }
    }
    let prefilter = context.preparams.is_some().then(|| prefilter(&user));
    Ok(Some(compress::Callbacks { registry, prefilter, failed: user.failed }))
}

/// Returns the functions of the program that take part in a decompression.
pub(super) fn of_decompression(context: &Context, info: Info, chunk: &[u8]) -> Option<decompress::Callbacks> {
    if !info.has_user_ids() && context.postparams.is_none() {
        return None;
    }
    let user = User::new(context, chunk);
    let mut registry = Registry::new();
    for id in FIRST_USER_ID..=255 {
        if let Some(found) = CODECS.get(id) {
            registry = with_codec(registry, id, found.value, &user);
        }
        if let Some(found) = FILTERS.get(id) {
            registry = with_filter(registry, id as u8, found.value, &user);
        }
    }
    let postfilter = context.postparams.is_some().then(|| postfilter(&user));
    Some(decompress::Callbacks { registry, postfilter, failed: user.failed })
}

/// The parameters that callbacks of one call get.
#[derive(Clone)]
struct User {
    context: *const Context,
    cparams: Cparams,
    dparams: Dparams,
    /// The data to compress, or the chunk.
    chunk: *const c_void,
    failed: Arc<AtomicI32>,
}

// SAFETY: the pointers are only passed to callbacks, which the program allows to be called from all threads. They are
// valid until the call ends, and the engine drops its functions before.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

impl User {
    fn new(context: &Context, chunk: &[u8]) -> Self {
        let mut cparams = context.cparams();
        // As the engine does, and C-Blosc2.
        cparams.typesize = if cparams.typesize > 255 { 1 } else { cparams.typesize };
        let dparams = context.dparams();
        User { context, cparams, dparams, chunk: chunk.as_ptr().cast(), failed: Arc::default() }
    }

    /// Notes the first code of a failure.
    fn fail(&self, code: i32) -> PluginError {
        let _ = self.failed.compare_exchange(0, code, Relaxed, Relaxed);
        trace(code, format_args!("a function of the program returned an error"));
        PluginError::new("a function of the program returned an error")
    }

    fn context(&self) -> &Context {
        // SAFETY: the context is borrowed by the call that made this.
        unsafe { &*self.context }
    }
}

fn with_codec(registry: Registry, id: i32, codec: UserCodec, user: &User) -> Registry {
    let unchanged = registry.clone();
    u8::try_from(id)
        .ok()
        .and_then(|id| registry.codec(id, Codec { codec, user: user.clone() }).ok())
        .unwrap_or(unchanged)
}

fn with_filter(registry: Registry, id: u8, filter: UserFilter, user: &User) -> Registry {
    let unchanged = registry.clone();
    registry.filter(id, Filter { id, filter, user: user.clone() }).unwrap_or(unchanged)
}

fn len32(bytes: &[u8]) -> i32 {
    // Blocks are smaller than chunks.
    i32::try_from(bytes.len()).unwrap_or(i32::MAX)
}

struct Codec {
    codec: UserCodec,
    user: User,
}

impl BlockCodec for Codec {
    fn compress(&self, src: &[u8], dst: &mut [u8], stream: PluginContext) -> Option<usize> {
        let (encoder, mut cparams) = (self.codec.encoder?, self.user.cparams);
        let (room, to) = (len32(dst), dst.as_mut_ptr());
        // SAFETY: an input and an output with their lengths; the program promises the rest.
        let code = unsafe { encoder(src.as_ptr(), len32(src), to, room, stream.meta, &mut cparams, self.user.chunk) };
        match code {
            ..0 => {
                self.user.fail(DATA);
                None
            }
            _ if code > room => {
                self.user.fail(WRITE_BUFFER);
                None
            }
            // A stream as long as its data is stored.
            0 => None,
            _ => Some(code as usize).filter(|len| *len < src.len()),
        }
    }

    fn decompress(&self, src: &[u8], dst: &mut [u8], stream: PluginContext) -> Result<(), PluginError> {
        let Some(decoder) = self.codec.decoder else { return Err(self.user.fail(CODEC_SUPPORT)) };
        let mut dparams = self.user.dparams;
        let (len, to) = (len32(dst), dst.as_mut_ptr());
        // SAFETY: an input and an output with their lengths; the program promises the rest.
        let code = unsafe { decoder(src.as_ptr(), len32(src), to, len, stream.meta, &mut dparams, self.user.chunk) };
        if code == len { Ok(()) } else { Err(self.user.fail(DATA)) }
    }
}

struct Filter {
    id: u8,
    filter: UserFilter,
    user: User,
}

impl BlockFilter for Filter {
    fn forward(&self, src: &[u8], dst: &mut [u8], block: PluginContext) -> Result<(), PluginError> {
        let Some(forward) = self.filter.forward else { return Err(PluginError::new("it has no forward function")) };
        let mut cparams = self.user.cparams;
        // SAFETY: an input and an output of the same length; the program promises the rest.
        match unsafe { forward(src.as_ptr(), dst.as_mut_ptr(), len32(src), block.meta, &mut cparams, self.id) } {
            0 => Ok(()),
            _ => Err(PluginError::new("it returned an error")),
        }
    }

    fn backward(&self, src: &[u8], dst: &mut [u8], block: PluginContext) -> Result<(), PluginError> {
        let Some(backward) = self.filter.backward else { return Err(PluginError::new("it has no backward function")) };
        let mut dparams = self.user.dparams;
        // SAFETY: an input and an output of the same length; the program promises the rest.
        match unsafe { backward(src.as_ptr(), dst.as_mut_ptr(), len32(src), block.meta, &mut dparams, self.id) } {
            0 => Ok(()),
            code => Err(self.user.fail(code)),
        }
    }
}

/// Returns the program's prefilter.
fn prefilter(user: &User) -> Box<Prefilter> {
    let user = user.clone();
    Box::new(move |block: Block, src: &[u8], dst: &mut [u8]| {
        let context = user.context();
        let (Some(function), Some(params)) = (context.cparams.prefilter, context.preparams.as_deref()) else {
            return Ok(());
        };
        let typesize = block.typesize as i32;
        let output_typesize = if params.output_typesize > 0 { params.output_typesize } else { typesize };
        let output_size = i64::from(len32(src) / typesize) * i64::from(output_typesize);
        if output_size > i64::from(len32(dst)) {
            return Err(PluginError::new("its output is longer than the block"));
        }
        let is_disposable = params.output_is_disposable != 0;
        let code = context.tids.with(nthreads(context.job.nthreads), |tid| {
            with_scratch(src.len(), block.typesize, |ttmp| {
                let mut params = PrefilterParams {
                    input: src.as_ptr(),
                    output: dst.as_mut_ptr(),
                    output_size: output_size as i32,
                    output_typesize,
                    output_offset: block.offset as i32,
                    nchunk: -1,
                    nblock: block.index as i32,
                    tid,
                    ttmp: ttmp.as_mut_ptr(),
                    ttmp_nbytes: ttmp.len(),
                    ctx: context.pointer(),
                    ..*params
                };
                // SAFETY: an input, an output and memory with their lengths; the program promises the rest.
                unsafe { function(&mut params) }
            })
        });
        if is_disposable {
            dst.fill(0);
            return Ok(());
        }
        if code == Some(0) { Ok(()) } else { Err(PluginError::new("it returned an error")) }
    })
}

/// Returns the program's postfilter.
fn postfilter(user: &User) -> Box<Postfilter> {
    let user = user.clone();
    Box::new(move |block: BlockInfo, data: &mut [u8]| {
        let context = user.context();
        let (Some(function), Some(params)) = (context.dparams.postfilter, context.postparams.as_deref()) else {
            return Ok(());
        };
        let Ok(input) = memory::copy_of(data) else { return Err(PluginError::new("out of memory")) };
        let code = context.tids.with(nthreads(context.job.nthreads), |tid| {
            with_scratch(input.len(), block.typesize, |ttmp| {
                let mut params = PostfilterParams {
                    input: input.as_ptr(),
                    output: data.as_mut_ptr(),
                    size: len32(&input),
                    typesize: block.typesize as i32,
                    offset: block.offset as i32,
                    nchunk: -1,
                    nblock: block.index as i32,
                    tid,
                    ttmp: ttmp.as_mut_ptr(),
                    ttmp_nbytes: ttmp.len(),
                    ctx: context.pointer(),
                    ..*params
                };
                // SAFETY: as for the prefilter.
                unsafe { function(&mut params) }
            })
        });
        if code == Some(0) { Ok(()) } else { Err(PluginError::new("it returned an error")) }
    })
}

/// Calls `work` with memory for four blocks, which each thread keeps. `None` if there is none.
fn with_scratch<R>(block: usize, typesize: usize, work: impl FnOnce(&mut [u8]) -> R) -> Option<R> {
    thread_local!(static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) });
    let wanted = 4 * (block + 4 * typesize);
    let mut scratch = SCRATCH.try_with(Cell::take).unwrap_or_default();
    if scratch.len() < wanted {
        memory::resize(&mut scratch, wanted, 0).ok()?;
    }
    let done = work(&mut scratch[..wanted]);
    let _ = SCRATCH.try_with(|kept| kept.set(scratch));
    Some(done)
}
