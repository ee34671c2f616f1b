//! Metalayers of fixed length.

use std::ffi::{CStr, c_char, c_int};

use super::owned::{Owned, owned};
use crate::blosc2::codes::{INVALID_PARAM, MEMORY, NOT_FOUND, refuse_if, trace};
use crate::blosc2::schunk::{Access, Change, Held};
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::value_or_code;
use crate::exports::pointers::{bytes, text};

/// Maximum length of a name.
const MAX_NAME: usize = 31;

/// A super-chunk, and the metalayer that a call is for.
pub(super) struct Named<'a> {
    pub(super) owned: &'a mut Owned,
    pub(super) name: &'a CStr,
    pub(super) content: &'a [u8],
    /// The metalayer with this name, or the code of a missing one.
    pub(super) found: Result<usize, i32>,
    _held: Held,
}

/// Checks the arguments of a function of metalayers, and waits for the lock.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only; `name` is null or a string; `content` has
/// `content_len` readable bytes.
pub(super) unsafe fn named<'a>(
    is_variable: bool,
    access: Access,
    schunk: *mut Schunk,
    name: *const c_char,
    content: *const u8,
    content_len: i32,
) -> Result<Named<'a>, i32> {
    // SAFETY: the caller's promise.
    let (owned, name) = unsafe { (owned(schunk), text(name)) };
    let (Ok(owned), Some(name)) = (owned, name) else { return Err(INVALID_PARAM) };
    let len = usize::try_from(content_len);
    let len = len.map_err(|_| trace(INVALID_PARAM, format_args!("the content has {content_len} bytes")))?;
    // SAFETY: the caller's promise.
    let content = unsafe { bytes(content.cast(), len) }.ok_or(INVALID_PARAM)?;
    let _held = owned.hold(access)?;
    let found = index_of(owned, is_variable, name);
    Ok(Named { owned, name, content, found, _held })
}

/// Returns the index of a metalayer, or a code.
pub(super) fn index_of(owned: &Owned, is_variable: bool, name: &CStr) -> Result<usize, i32> {
    if name.count_bytes() > MAX_NAME {
        return Err(trace(INVALID_PARAM, format_args!("the name of a metalayer has more than {MAX_NAME} bytes")));
    }
    owned.layers(is_variable).position(|(known, _)| known.as_c_str() == name).ok_or(NOT_FOUND)
}

/// Refuses a metalayer that exists, or a name that cannot be one.
pub(super) fn expect_new(found: Result<usize, i32>) -> Result<(), i32> {
    match found {
        Err(NOT_FOUND) => Ok(()),
        Ok(_) => Err(trace(INVALID_PARAM, format_args!("the metalayer exists"))),
        Err(code) => Err(code),
    }
}

/// Adds a metalayer. Returns its index, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `name` is null or a string; `content` has `content_len` readable
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_meta_add(
    schunk: *mut Schunk,
    name: *const c_char,
    content: *mut u8,
    content_len: i32,
) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let named = unsafe { named(false, Access::Write, schunk, name, content, content_len) }?;
        expect_new(named.found)?;
        refuse_if(named.owned.layers(false).count() >= 16, INVALID_PARAM, "there are 16 metalayers")?;
        refuse_if(
            named.owned.public.cbytes > 0 && !named.owned.public.frame.is_null(),
            INVALID_PARAM,
            "a frame with chunks gets no new metalayers",
        )?;
        let content = blosc_core::memory::copy_of(named.content).map_err(|_| MEMORY)?;
        named.owned.change(&Change::AddMetalayer(named.name.to_bytes(), named.content))?;
        named.owned.public.change_tick += 1;
        named.owned.push_layer(false, named.name.to_owned(), content)
    })
}

/// Replaces the content of a metalayer, which keeps its length. Returns its index, or a code.
///
/// # Safety
/// As [`blosc2_meta_add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_meta_update(
    schunk: *mut Schunk,
    name: *const c_char,
    content: *mut u8,
    content_len: i32,
) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let named = unsafe { named(false, Access::Write, schunk, name, content, content_len) }?;
        let index = named.found?;
        let old = named.owned.layers(false).nth(index).map_or(&[][..], |(_, content)| content);
        if named.content.len() > old.len() {
            trace(INVALID_PARAM, format_args!("the content may have at most {} bytes", old.len()));
            // C-Blosc2 returns the index.
            return Ok(index as i32);
        }
        let mut new = blosc_core::memory::copy_of(old).map_err(|_| MEMORY)?;
        new[..named.content.len()].copy_from_slice(named.content);
        named.owned.change(&Change::UpdateMetalayer(named.name.to_bytes(), &new))?;
        named.owned.set_layer(false, index, new);
        named.owned.public.change_tick += 1;
        Ok(index as i32)
    })
}
