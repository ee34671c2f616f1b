//! The settings of the process, and the environment variables that change them at each call.
//!
//! C-Blosc has a lock around the calls that use these settings, because they share one context. Here each call has a
//! context of its own, so calls from several threads run at once, and `BLOSC_NOLOCK` changes nothing.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

use blosc_core::SplitMode;

use super::names;
use crate::environment::{number, variable};
use crate::threads;
use crate::warning::warn;

static INITIALIZED: AtomicBool = AtomicBool::new(false);
static COMPRESSOR: AtomicI32 = AtomicI32::new(0);
static BLOCKSIZE: AtomicI32 = AtomicI32::new(0);
static NTHREADS: AtomicI32 = AtomicI32::new(1);
static SPLIT_MODE: AtomicI32 = AtomicI32::new(FORWARD_COMPAT);

const ALWAYS: i32 = 1;
const NEVER: i32 = 2;
const AUTO: i32 = 3;
const FORWARD_COMPAT: i32 = 4;

pub(crate) fn init() {
    INITIALIZED.store(true, Relaxed);
}

pub(crate) fn destroy() {
    if INITIALIZED.swap(false, Relaxed) {
        threads::release();
    }
}

/// Ends idle threads. Returns -1 if the library is not initialized.
pub(crate) fn free_resources() -> i32 {
    if !INITIALIZED.load(Relaxed) {
        return -1;
    }
    threads::release();
    0
}

pub(crate) fn compressor() -> i32 {
    COMPRESSOR.load(Relaxed)
}

/// Returns -1 for an unknown name. Later calls then fail, as in C-Blosc.
pub(crate) fn set_compressor(name: &std::ffi::CStr) -> i32 {
    init();
    let code = names::code_of_name(name);
    COMPRESSOR.store(code, Relaxed);
    code
}

pub(crate) fn blocksize() -> i32 {
    BLOCKSIZE.load(Relaxed)
}

pub(crate) fn set_blocksize(blocksize: usize) {
    // C-Blosc keeps the low 32 bits.
    BLOCKSIZE.store(blocksize as i32, Relaxed);
}

pub(crate) fn nthreads() -> i32 {
    NTHREADS.load(Relaxed)
}

/// Returns the previous number.
pub(crate) fn set_nthreads(nthreads: i32) -> i32 {
    init();
    let old = NTHREADS.swap(nthreads, Relaxed);
    if old != nthreads {
        threads::release();
    }
    old
}

pub(crate) fn split_mode() -> SplitMode {
    match SPLIT_MODE.load(Relaxed) {
        ALWAYS => SplitMode::Always,
        NEVER => SplitMode::Never,
        AUTO => SplitMode::Auto,
        _ => SplitMode::ForwardCompat,
    }
}

pub(crate) fn set_split_mode(mode: i32) {
    SPLIT_MODE.store(mode, Relaxed);
}

/// The arguments of a compression that the environment may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) clevel: i32,
    pub(crate) shuffle: i32,
    pub(crate) typesize: usize,
}

/// Applies the environment variables of a compression.
///
/// # Errors
/// The code that `blosc_compress` returns for a codec or a split mode that does not exist.
#[cold]
pub(crate) fn apply_environment(mut arguments: Arguments) -> Result<Arguments, i32> {
    init();
    if let Some(clevel) = number("BLOSC_CLEVEL").filter(|clevel| *clevel >= 0) {
        arguments.clevel = clevel as i32;
    }
    match variable("BLOSC_SHUFFLE").as_deref() {
        Some(b"NOSHUFFLE") => arguments.shuffle = 0,
        Some(b"SHUFFLE") => arguments.shuffle = 1,
        Some(b"BITSHUFFLE") => arguments.shuffle = 2,
        _ => {}
    }
    if let Some(typesize) = number("BLOSC_TYPESIZE").filter(|typesize| *typesize > 0) {
        arguments.typesize = typesize as i32 as usize;
    }
    if let Some(name) = variable("BLOSC_COMPRESSOR") {
        let code = CString::new(name).map_or(-1, |name| set_compressor(&name));
        if code < 0 {
            return Err(code);
        }
    }
    if let Some(blocksize) = number("BLOSC_BLOCKSIZE").filter(|blocksize| *blocksize > 0) {
        set_blocksize(blocksize as usize);
    }
    apply_nthreads();
    match variable("BLOSC_SPLITMODE").as_deref() {
        None => {}
        Some(b"FORWARD_COMPAT") => set_split_mode(FORWARD_COMPAT),
        Some(b"AUTO") => set_split_mode(AUTO),
        Some(b"ALWAYS") => set_split_mode(ALWAYS),
        Some(b"NEVER") => set_split_mode(NEVER),
        Some(other) => {
            warn(format_args!("BLOSC_SPLITMODE is {:?}, which is no split mode", other.escape_ascii().to_string()));
            return Err(-1);
        }
    }
    Ok(arguments)
}

/// Applies `BLOSC_NTHREADS`.
pub(crate) fn apply_nthreads() {
    init();
    if let Some(nthreads) = number("BLOSC_NTHREADS").filter(|nthreads| *nthreads > 0) {
        set_nthreads(nthreads as i32);
    }
}

/// Returns how many warnings `BLOSC_WARN` asks for.
pub(crate) fn warning_level() -> i64 {
    number("BLOSC_WARN").unwrap_or(0)
}
