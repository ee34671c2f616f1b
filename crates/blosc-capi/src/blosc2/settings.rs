//! The settings of the process, and the environment variables that change them at each call.

use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

use super::codes::{CODEC_SUPPORT, FAILURE, INVALID_PARAM, trace};
use super::params::Job;
use super::{MAX_FILTERS, names};
use crate::environment::{number, variable};
use crate::threads;

static INITIALIZED: AtomicBool = AtomicBool::new(false);
static COMPRESSOR: AtomicI32 = AtomicI32::new(0);
static DELTA: AtomicBool = AtomicBool::new(false);
static BLOCKSIZE: AtomicI32 = AtomicI32::new(0);
static NTHREADS: AtomicI32 = AtomicI32::new(1);
static SPLIT_MODE: AtomicI32 = AtomicI32::new(4);

/// Codecs from this code on are registered.
const LAST_CODEC: i32 = 6;

const SHUFFLE: u8 = 1;
const BITSHUFFLE: u8 = 2;
const DELTA_FILTER: u8 = 3;

pub(crate) fn init() {
    INITIALIZED.store(true, Relaxed);
}

pub(crate) fn is_initialized() -> bool {
    INITIALIZED.load(Relaxed)
}

/// Ends the threads of the library. Returns whether it was initialized.
pub(crate) fn destroy() -> bool {
    let was_initialized = INITIALIZED.swap(false, Relaxed);
    if was_initialized {
        threads::release();
    }
    was_initialized
}

/// Ends idle threads. Returns a code if the library is not initialized.
pub(crate) fn free_resources() -> i32 {
    if !is_initialized() {
        return FAILURE;
    }
    threads::release();
    0
}

pub(crate) fn compressor() -> i32 {
    init();
    COMPRESSOR.load(Relaxed)
}

/// Returns -1 for an unknown name. Later calls then fail, as in C-Blosc2.
pub(crate) fn set_compressor(name: &CStr) -> i32 {
    init();
    let code = names::code_of_name(name);
    if code >= LAST_CODEC {
        return trace(CODEC_SUPPORT, format_args!("a registered codec needs a context"));
    }
    COMPRESSOR.store(code, Relaxed);
    code
}

pub(crate) fn set_delta(delta: bool) {
    init();
    DELTA.store(delta, Relaxed);
}

pub(crate) fn blocksize() -> i32 {
    init();
    BLOCKSIZE.load(Relaxed)
}

pub(crate) fn set_blocksize(blocksize: usize) {
    init();
    // C-Blosc2 keeps the low 32 bits.
    BLOCKSIZE.store(blocksize as i32, Relaxed);
}

pub(crate) fn nthreads() -> i16 {
    init();
    NTHREADS.load(Relaxed) as i16
}

/// Returns the previous number, or a code.
pub(crate) fn set_nthreads(nthreads: i16) -> i16 {
    init();
    let old = NTHREADS.load(Relaxed) as i16;
    if nthreads == old {
        return old;
    }
    if nthreads <= 0 {
        return trace(INVALID_PARAM, format_args!("{nthreads} threads asked for, expected at least 1")) as i16;
    }
    NTHREADS.store(nthreads.into(), Relaxed);
    threads::release();
    old
}

pub(crate) fn set_split_mode(mode: i32) {
    init();
    SPLIT_MODE.store(mode, Relaxed);
}

/// The arguments of a compression that the environment may replace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arguments {
    pub(crate) clevel: i32,
    pub(crate) shuffle: i32,
    pub(crate) typesize: i32,
}

/// Returns the job that the settings ask for, and the environment if it has variables of Blosc.
pub(crate) fn job(mut arguments: Arguments, has_variables: bool) -> Job {
    init();
    let (mut is_unlocked, mut is_blosc1) = (false, false);
    if has_variables {
        let changes = Changes::read();
        arguments.clevel = changes.clevel.unwrap_or(arguments.clevel);
        arguments.shuffle = changes.shuffle.unwrap_or(arguments.shuffle);
        arguments.typesize = changes.typesize.unwrap_or(arguments.typesize);
        changes.store();
        is_unlocked = variable("BLOSC_NOLOCK").is_some();
        is_blosc1 = !is_unlocked && variable("BLOSC_BLOSC1_COMPAT").is_some();
    }
    let mut filters = [0; MAX_FILTERS];
    put_filters(&mut filters, arguments.shuffle, DELTA.load(Relaxed), arguments.typesize);
    Job {
        clevel: arguments.clevel,
        filters,
        typesize: arguments.typesize,
        compcode: compressor(),
        blocksize: if is_unlocked { 0 } else { blocksize() },
        split: SPLIT_MODE.load(Relaxed),
        nthreads: nthreads().into(),
        is_blosc1,
        ..Job::default()
    }
}

/// Puts the filters of a shuffle and delta in the last two slots.
fn put_filters(filters: &mut [u8; MAX_FILTERS], shuffle: i32, delta: bool, typesize: i32) {
    match shuffle {
        0 => filters[MAX_FILTERS - 1] = 0,
        1 if typesize > 1 => filters[MAX_FILTERS - 1] = SHUFFLE,
        2 => filters[MAX_FILTERS - 1] = BITSHUFFLE,
        _ => {}
    }
    if delta {
        filters[MAX_FILTERS - 2] = DELTA_FILTER;
    }
}

/// Applies the environment variables to the parameters of a context.
///
/// # Errors
/// The code of a codec that needs to be registered.
pub(crate) fn apply_to_context(job: &mut Job) -> Result<(), i32> {
    let changes = Changes::read();
    job.typesize = changes.typesize.unwrap_or(job.typesize);
    put_filters(&mut job.filters, changes.shuffle.unwrap_or(-1), changes.delta == Some(true), job.typesize);
    job.clevel = changes.clevel.unwrap_or(job.clevel);
    if let Some(name) = &changes.compressor {
        job.compcode = names::code_of_name(name);
        if job.compcode >= LAST_CODEC {
            return Err(trace(CODEC_SUPPORT, format_args!("BLOSC_COMPRESSOR names a registered codec")));
        }
    }
    job.blocksize = changes.blocksize.unwrap_or(job.blocksize);
    job.nthreads = changes.nthreads.map_or(job.nthreads, Into::into);
    job.split = changes.split.unwrap_or(job.split);
    Ok(())
}

/// Returns whether the environment asks for locks of frames in files.
pub(crate) fn locking() -> bool {
    variable("BLOSC_LOCKING").is_some_and(|value| !matches!(&*value, b"" | b"0"))
}

/// Returns the number of threads that the environment asks a context for.
pub(crate) fn nthreads_of_context() -> Option<i16> {
    Changes::read().nthreads
}

/// Applies `BLOSC_NTHREADS`, if the environment has variables of Blosc, and returns the number of threads.
///
/// # Errors
/// The code of a number that is out of range.
pub(crate) fn nthreads_of_decompression(has_variables: bool) -> Result<i32, i32> {
    init();
    if has_variables && let Some(count) = number("BLOSC_NTHREADS") {
        let count = i16::try_from(count).ok().filter(|count| *count > 0);
        let count = count.ok_or_else(|| trace(INVALID_PARAM, format_args!("BLOSC_NTHREADS is out of range")))?;
        set_nthreads(count);
    }
    Ok(nthreads().into())
}

/// Changes that the environment asks for.
struct Changes {
    clevel: Option<i32>,
    shuffle: Option<i32>,
    delta: Option<bool>,
    typesize: Option<i32>,
    compressor: Option<CString>,
    blocksize: Option<i32>,
    nthreads: Option<i16>,
    split: Option<i32>,
}

impl Changes {
    fn read() -> Self {
        let above = |name: &str, least: i64| number(name).filter(|found| *found >= least);
        let one_of = |name: &str, values: &[(&str, i32)]| {
            let found = variable(name)?;
            let (_, value) = values.iter().find(|(text, _)| found == text.as_bytes())?;
            Some(*value)
        };
        Changes {
            clevel: above("BLOSC_CLEVEL", 0).map(|found| found as i32),
            shuffle: one_of("BLOSC_SHUFFLE", &[("NOSHUFFLE", 0), ("SHUFFLE", 1), ("BITSHUFFLE", 2)]),
            delta: one_of("BLOSC_DELTA", &[("0", 0), ("1", 1)]).map(|found| found == 1),
            typesize: above("BLOSC_TYPESIZE", 1).map(|found| found as i32),
            compressor: variable("BLOSC_COMPRESSOR").map(|name| CString::new(name).unwrap_or_default()),
            blocksize: above("BLOSC_BLOCKSIZE", 1).map(|found| found as i32),
            nthreads: above("BLOSC_NTHREADS", 1).map(|found| found as i16),
            split: one_of("BLOSC_SPLITMODE", &[("ALWAYS", 1), ("NEVER", 2), ("AUTO", 3), ("FORWARD_COMPAT", 4)]),
        }
    }

    /// Changes the settings of the process. Values that no function accepts change nothing.
    fn store(&self) {
        if let Some(delta) = self.delta {
            set_delta(delta);
        }
        if let Some(name) = &self.compressor {
            set_compressor(name);
        }
        if let Some(blocksize) = self.blocksize {
            set_blocksize(blocksize as usize);
        }
        if let Some(nthreads) = self.nthreads {
            set_nthreads(nthreads);
        }
        if let Some(split) = self.split {
            set_split_mode(split);
        }
    }
}
