//! Functions of the program as those of the engine: codecs and filters.
//!
//! The program promises with their registration that they can be called from all threads of a context.

use std::sync::atomic::Ordering::Relaxed;

use blosc_core::{BlockCodec, BlockFilter, Encoder, PluginContext, PluginError, Registry};

use super::block_functions::{postfilter, prefilter};
use super::context::Context;
use super::functions::{CODECS, FILTERS, UserCodec, UserFilter};
use super::schunk_abi::of_schunk;
use super::user::{User, len32};
use crate::blosc2::codes::{CODEC_SUPPORT, DATA, WRITE_BUFFER, of_encode, trace};
use crate::blosc2::header::Info;
use crate::blosc2::{FIRST_USER_ID, compress, decompress};

/// Returns the functions of the program that take part in a compression of `src`. `nbytes` is the size of the chunk, or
/// of the largest block of variable length.
#[inline]
pub(super) fn of_compression(context: &Context, src: &[u8], nbytes: usize) -> Result<Option<compress::Callbacks>, i32> {
    if !context.calls_program() {
        return Ok(None);
    }
    some_of_compression(context, src, nbytes).map(Some)
}

#[inline(never)]
fn some_of_compression(context: &Context, src: &[u8], nbytes: usize) -> Result<compress::Callbacks, i32> {
    let job = &context.job;
    let encoder = Encoder::new(job.params()?).map_err(|error| of_encode(&error))?;
    context.blocksize.store(encoder.blocksize_of(nbytes) as i32, Relaxed);
    let user = User::new(context, src);
    let mut registry = Registry::new();
    if job.has_user_codec() {
        let found = CODECS.get(job.compcode).filter(|entry| entry.value.encoder.is_some());
        let found = found.ok_or_else(|| {
            trace(CODEC_SUPPORT, format_args!("codec {} is not registered, or has no encoder", job.compcode))
        })?;
        registry = with_codec(registry, found.id, found.value, &user);
    }
    for id in job.user_filters() {
        if let Some(found) = FILTERS.get((*id).into()) {
            registry = with_filter(registry, *id, found.value, &user);
        }
    }
    let prefilter = context.preparams.is_some().then(|| prefilter(&user));
    let super_chunk = if job.needs_super_chunk() { of_schunk(context.cparams.schunk) } else { None };
    let super_chunk = super_chunk.unwrap_or_default();
    Ok(compress::Callbacks { registry, prefilter, super_chunk, failed: user.failed })
}

/// Returns the functions of the program that take part in a decompression.
pub(super) fn of_decompression(context: &Context, info: Info, chunk: &[u8]) -> Option<decompress::Callbacks> {
    let super_chunk = if info.needs_super_chunk() { of_schunk(context.dparams.schunk) } else { None };
    if !info.has_user_ids() && context.postparams.is_none() && super_chunk.is_none() {
        return None;
    }
    let super_chunk = super_chunk.unwrap_or_default();
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
    Some(decompress::Callbacks { registry, postfilter, super_chunk, failed: user.failed })
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
            // C-Blosc2 takes only negative codes for errors here.
            0.. => Ok(()),
            code => Err(self.user.fail(code)),
        }
    }
}
