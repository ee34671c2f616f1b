//! Metalayers of variable length, which are kept compressed.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use blosc_core::memory;

use super::metalayers::{Named, expect_new, index_of, named};
use super::owned::{Owned, owned};
use super::read::duplicate;
use crate::blosc2::codes::{DATA, INVALID_PARAM, MEMORY, NULL_POINTER, READ_BUFFER, refuse_if, trace};
use crate::blosc2::decompress::output_size;
use crate::blosc2::header::Info;
use crate::blosc2::schunk::{Access, Change};
use crate::blosc2::{OVERHEAD, compress};
use crate::exports::blosc2::abi::Cparams;
use crate::exports::blosc2::context::{blosc2_create_dctx, blosc2_free_ctx, compression};
use crate::exports::blosc2::context_chunks::{blosc2_compress_ctx, blosc2_decompress_ctx};
use crate::exports::blosc2::defaults::CPARAMS;
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::value_or_code;
use crate::exports::pointers::{store, text};

/// Contents up to this size may be stored in any number of bytes, and larger ones up to this ratio.
const MAX_UNSTORED: usize = 64 << 20;
const MAX_RATIO: usize = 1 << 16;

impl Owned {
    /// Writes the metalayers of variable length to the frame.
    ///
    /// # Errors
    /// The code of a frame that cannot be written.
    pub(super) fn flush_vlmetalayers(&mut self) -> Result<(), i32> {
        let copy = |bytes: &[u8]| memory::copy_of(bytes).map_err(|_| MEMORY);
        let layers = self.layers(true).map(|(name, content)| Ok((copy(name.to_bytes())?, copy(content)?)));
        let layers = layers.collect::<Result<Vec<_>, i32>>()?;
        let layers: Vec<_> = layers.iter().map(|(name, content)| (name.as_slice(), content.as_slice())).collect();
        self.change(&Change::Vlmetalayers(&layers))
    }

    /// Adds the metalayers of variable length to another super-chunk.
    ///
    /// # Errors
    /// As [`Owned::flush_vlmetalayers`].
    pub(super) fn copy_vlmetalayers_to(&self, to: &mut Owned) -> Result<(), i32> {
        for (name, content) in self.layers(true) {
            to.push_layer(true, name.clone(), memory::copy_of(content).map_err(|_| MEMORY)?)?;
        }
        to.flush_vlmetalayers()
    }
}

/// Adds the metalayers of variable length of a super-chunk to another one.
///
/// # Safety
/// Both were created, and are used by this call only.
pub(in crate::exports::blosc2) unsafe fn copy_vlmetalayers(from: *mut Schunk, to: *mut Schunk) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let (from, to) = unsafe { (owned(from)?, owned(to)?) };
    from.copy_vlmetalayers_to(to)
}

/// Compresses a content.
///
/// # Safety
/// `cparams` is null or valid.
unsafe fn compressed(content: &[u8], cparams: *const Cparams) -> Result<Vec<u8>, i32> {
    compress::check_sizes(i32::try_from(content.len()).unwrap_or(-1), i32::MAX)?;
    // SAFETY: the caller's promise.
    let cparams = unsafe { cparams.as_ref() }.copied().unwrap_or(CPARAMS);
    // SAFETY: the caller's promise.
    let mut context = unsafe { compression(cparams) }.map_err(|_| NULL_POINTER)?;
    let mut chunk: Vec<u8> = memory::zeroed(content.len() + OVERHEAD).map_err(|_| MEMORY)?;
    let (src, dest) = (content.as_ptr().cast(), chunk.as_mut_ptr().cast());
    // SAFETY: a context, an input and an output with their lengths.
    let cbytes = unsafe { blosc2_compress_ctx(&mut *context, src, content.len() as i32, dest, chunk.len() as i32) };
    match usize::try_from(cbytes) {
        Ok(len) => {
            chunk.truncate(len);
            Ok(chunk)
        }
        Err(_) => Err(cbytes),
    }
}

/// Returns the index of a metalayer of variable length, or a code.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only; `name` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vlmeta_exists(schunk: *mut Schunk, name: *const c_char) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let (Ok(owned), Some(name)) = (unsafe { (owned(schunk), text(name)) }) else { return Err(INVALID_PARAM) };
        owned.refresh()?;
        Ok(index_of(owned, true, name)? as i32)
    })
}

/// Adds a metalayer of variable length. Returns its index, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `name` is null or a string; `content` has `content_len` readable
/// bytes; `cparams` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vlmeta_add(
    schunk: *mut Schunk,
    name: *const c_char,
    content: *mut u8,
    content_len: i32,
    cparams: *mut Cparams,
) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let named = unsafe { named(true, Access::Write, schunk, name, content, content_len) }?;
        expect_new(named.found)?;
        // SAFETY: the caller's promise.
        let chunk = unsafe { compressed(named.content, cparams) }?;
        let index = named.owned.push_layer(true, named.name.to_owned(), chunk)?;
        if let Err(code) = named.owned.flush_vlmetalayers() {
            named.owned.remove_layer(index as usize);
            return Err(code);
        }
        named.owned.public.change_tick += 1;
        Ok(index)
    })
}

/// Replaces the content of a metalayer of variable length, as [`blosc2_vlmeta_add`].
///
/// # Safety
/// As [`blosc2_vlmeta_add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vlmeta_update(
    schunk: *mut Schunk,
    name: *const c_char,
    content: *mut u8,
    content_len: i32,
    cparams: *mut Cparams,
) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let named = unsafe { named(true, Access::Write, schunk, name, content, content_len) }?;
        let Named { owned, content, found, .. } = named;
        let index = found?;
        // SAFETY: the caller's promise.
        let chunk = unsafe { compressed(content, cparams) }?;
        let old = owned.layers(true).nth(index).map_or(&[][..], |(_, content)| content);
        let old = memory::copy_of(old).map_err(|_| MEMORY)?;
        owned.set_layer(true, index, chunk);
        if let Err(code) = owned.flush_vlmetalayers() {
            owned.set_layer(true, index, old);
            return Err(code);
        }
        owned.public.change_tick += 1;
        Ok(index as i32)
    })
}

/// Stores the content of a metalayer of variable length, which the caller frees. Returns its index, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `name` is null or a string; `content` and `content_len` are null
/// or can hold their values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vlmeta_get(
    schunk: *mut Schunk,
    name: *const c_char,
    content: *mut *mut u8,
    content_len: *mut i32,
) -> c_int {
    value_or_code(|| {
        refuse_if(content.is_null() || content_len.is_null(), INVALID_PARAM, "a pointer is null")?;
        // SAFETY: the caller's promise.
        let named = unsafe { named(true, Access::Read, schunk, name, std::ptr::null(), 0) }?;
        let index = named.found?;
        let chunk = named.owned.layers(true).nth(index).map_or(&[][..], |(_, content)| content);
        // SAFETY: parameters of the super-chunk.
        let plain = unsafe { plain(chunk, named.owned) }?;
        let pointer = if plain.is_empty() { null_mut() } else { duplicate(&plain) };
        if pointer.is_null() && !plain.is_empty() {
            return Err(MEMORY);
        }
        // SAFETY: the caller's promise.
        unsafe {
            store(content, pointer.cast());
            store(content_len, plain.len() as i32);
        }
        Ok(index as i32)
    })
}

/// Decompresses a content.
///
/// # Safety
/// The parameters of the super-chunk are valid.
unsafe fn plain(chunk: &[u8], owned: &Owned) -> Result<Vec<u8>, i32> {
    let info = Info::of(chunk)?;
    if usize::try_from(info.cbytes()) != Ok(chunk.len()) {
        return Err(trace(DATA, format_args!("the metalayer has {} bytes, its chunk {}", chunk.len(), info.cbytes())));
    }
    let nbytes = output_size(info, i32::MAX).map_err(|_| DATA)?;
    if nbytes > MAX_UNSTORED && nbytes / MAX_RATIO > chunk.len() {
        return Err(trace(DATA, format_args!("the metalayer has {} bytes for {nbytes}", chunk.len())));
    }
    let mut plain: Vec<u8> = memory::zeroed(nbytes).map_err(|_| MEMORY)?;
    // SAFETY: the caller's promise. A context, an input and an output with their lengths.
    let nbytes = unsafe {
        let dctx = blosc2_create_dctx(*owned.storage.dparams_of());
        let (dest, len) = (plain.as_mut_ptr().cast(), plain.len() as i32);
        let nbytes = blosc2_decompress_ctx(dctx, chunk.as_ptr().cast(), chunk.len() as i32, dest, len);
        blosc2_free_ctx(dctx);
        nbytes
    };
    if usize::try_from(nbytes) == Ok(plain.len()) { Ok(plain) } else { Err(READ_BUFFER) }
}

/// Removes a metalayer of variable length. Returns the number of the others, or a code.
///
/// # Safety
/// As [`blosc2_vlmeta_exists`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vlmeta_delete(schunk: *mut Schunk, name: *const c_char) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let named = unsafe { named(true, Access::Write, schunk, name, std::ptr::null(), 0) }?;
        named.owned.remove_layer(named.found?);
        named.owned.flush_vlmetalayers()?;
        named.owned.public.change_tick += 1;
        Ok(named.owned.public.nvlmetalayers.into())
    })
}

/// Stores the names of the metalayers of variable length, which belong to the super-chunk. Returns their number.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only; `names` has room for all pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vlmeta_get_names(schunk: *mut Schunk, names: *mut *mut c_char) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        for (index, (name, _)) in owned.layers(true).enumerate() {
            // SAFETY: the caller's promise.
            unsafe { store(names.wrapping_add(index), name.as_ptr().cast_mut()) };
        }
        Ok(owned.public.nvlmetalayers.into())
    })
}
