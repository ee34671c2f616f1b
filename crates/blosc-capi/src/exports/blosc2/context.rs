//! Contexts: parameters that a program sets once.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use blosc_core::{CParams, Decoder};

use super::abi::{Cparams, Dparams, PostfilterParams, PrefilterParams};
use super::defaults::{CPARAMS, DPARAMS};
use super::tids::Tids;
use super::tuner;
use crate::blosc2::codes::{INVALID_PARAM, MEMORY, NULL_POINTER, trace};
use crate::blosc2::params::Job;
use crate::blosc2::settings;
use crate::engine::{Kept, Key, KeyedEncoder};
use crate::exports::environment::has_variables;
use crate::exports::guard::{guarded, pointer_or_null, zero_or_code};
use crate::exports::owned::Owned;
use crate::exports::pointers::{bytes, store};

/// `blosc2_context`. Callbacks get a pointer to it while a call uses it, so the fields that a call changes are
/// atomic or locked.
pub struct Context {
    pub(super) is_compression: bool,
    pub(super) job: Job,
    /// [`Job::needs_program`] of `job`.
    pub(super) needs_program: bool,
    pub(super) cparams: Cparams,
    pub(super) preparams: Option<Box<PrefilterParams>>,
    pub(super) dparams: Dparams,
    pub(super) postparams: Option<Box<PostfilterParams>>,
    /// The block size of the last chunk that was compressed, or the one asked for.
    pub(super) blocksize: AtomicI32,
    /// The typesize of the last chunk that was decompressed.
    pub(super) typesize: AtomicI32,
    /// Whether there is a mask. Most calls have none, and then do not lock it.
    is_masked: AtomicBool,
    mask: Mutex<Vec<bool>>,
    /// The parameters of `job`, once they were needed.
    params: OnceLock<CParams>,
    /// The key of `params`.
    pub(super) key: Key,
    encoder: Owned<Kept<KeyedEncoder>>,
    decoder: Owned<Kept<Decoder>>,
    pub(super) tids: Tids,
}

impl Context {
    /// Returns a context that decompresses, for a function without one.
    pub(super) fn for_one_call(nthreads: i32) -> Self {
        Context::new(false, Job { nthreads, ..Job::default() })
    }

    fn new(is_compression: bool, job: Job) -> Self {
        Context {
            is_compression,
            needs_program: job.needs_program(),
            job,
            cparams: CPARAMS,
            preparams: None,
            dparams: DPARAMS,
            postparams: None,
            blocksize: AtomicI32::new(job.blocksize),
            typesize: AtomicI32::new(0),
            is_masked: AtomicBool::new(false),
            mask: Mutex::new(Vec::new()),
            params: OnceLock::new(),
            key: if is_compression { Key::unique() } else { Key::NONE },
            encoder: Owned::new(Kept::new(None)),
            decoder: Owned::new(Kept::new(None)),
            tids: Tids::default(),
        }
    }

    /// Returns the parameters of compression, with those that the environment changed.
    pub(super) fn cparams(&self) -> Cparams {
        let Job { clevel, filters, filters_meta, typesize, compcode, split, nthreads, .. } = self.job;
        Cparams {
            compcode: compcode as u8,
            clevel: clevel as u8,
            typesize,
            nthreads: nthreads as i16,
            blocksize: self.blocksize.load(Relaxed),
            splitmode: split,
            filters,
            filters_meta,
            preparams: self.preparams.as_deref().map_or(null_mut(), |params| std::ptr::from_ref(params).cast_mut()),
            ..self.cparams
        }
    }

    /// Returns the parameters of decompression.
    pub(super) fn dparams(&self) -> Dparams {
        Dparams {
            nthreads: self.job.nthreads as i16,
            typesize: self.typesize.load(Relaxed),
            postparams: self.postparams.as_deref().map_or(null_mut(), |params| std::ptr::from_ref(params).cast_mut()),
            ..self.dparams
        }
    }

    /// Returns the parameters of the engine.
    ///
    /// # Errors
    /// The code of a parameter that cannot be used.
    pub(super) fn params(&self) -> Result<&CParams, i32> {
        match self.params.get() {
            Some(params) => Ok(params),
            None => {
                let params = self.job.params()?;
                Ok(self.params.get_or_init(|| params))
            }
        }
    }

    /// Returns the place of the encoder, if no other thread has it.
    #[inline]
    pub(super) fn encoder(&self) -> Option<&Kept<KeyedEncoder>> {
        self.encoder.get()
    }

    /// Returns whether functions of the program take part in a compression.
    #[inline]
    pub(super) fn calls_program(&self) -> bool {
        self.needs_program || self.preparams.is_some()
    }

    /// Returns the place of the decoder, if no other thread has it.
    #[inline]
    pub(super) fn decoder(&self) -> Option<&Kept<Decoder>> {
        self.decoder.get()
    }

    /// Returns this context as C programs see it.
    pub(super) fn pointer(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    /// Returns whether the next call leaves out blocks.
    pub(super) fn is_masked(&self) -> bool {
        self.is_masked.load(Relaxed)
    }

    /// Returns the mask for the next call, and forgets it.
    pub(super) fn take_mask(&self) -> Vec<bool> {
        if !self.is_masked() {
            return Vec::new();
        }
        self.is_masked.store(false, Relaxed);
        std::mem::take(&mut self.mask.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns the context at a pointer.
///
/// # Safety
/// `context` is null or comes from a function that creates one, and was not released.
#[inline]
pub(super) unsafe fn context<'a>(context: *const Context) -> Result<&'a Context, i32> {
    // SAFETY: the caller's promise.
    unsafe { context.as_ref() }.ok_or_else(null_context)
}

#[cold]
fn null_context() -> i32 {
    trace(NULL_POINTER, format_args!("the context is a null pointer"))
}

/// Creates a context that compresses; null for parameters that cannot be used.
///
/// # Safety
/// The pointers in `cparams` are null or valid; those for callbacks as long as the context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_create_cctx(cparams: Cparams) -> *mut Context {
    // SAFETY: the caller's promise.
    pointer_or_null(|| unsafe { compression(cparams) }.map(Box::into_raw))
}

/// # Safety
/// As [`blosc2_create_cctx`].
pub(super) unsafe fn compression(cparams: Cparams) -> Result<Box<Context>, i32> {
    for id in cparams.filters {
        if matches!(id, 5..=31 | 37..=159) {
            return Err(trace(INVALID_PARAM, format_args!("filter {id} is not defined")));
        }
    }
    let mut job = Job {
        clevel: cparams.clevel.into(),
        filters: cparams.filters,
        filters_meta: cparams.filters_meta,
        typesize: cparams.typesize,
        compcode: cparams.compcode.into(),
        compcode_meta: cparams.compcode_meta,
        blocksize: cparams.blocksize,
        split: cparams.splitmode,
        nthreads: cparams.nthreads.into(),
        use_dict: cparams.use_dict != 0,
        is_instrumented: cparams.instr_codec != 0,
        is_blosc1: false,
    };
    if has_variables() {
        settings::apply_to_context(&mut job)?;
    }
    let mut context = Box::new(Context::new(true, job));
    context.cparams = Cparams { tuner_id: cparams.tuner_id.max(0), ..cparams };
    if cparams.prefilter.is_some() {
        // SAFETY: the caller's promise.
        let params = unsafe { cparams.preparams.as_ref() }.ok_or(NULL_POINTER)?;
        context.preparams = Some(Box::new(*params));
    }
    tuner::init(&context.cparams, context.pointer())?;
    Ok(context)
}

/// Creates a context that decompresses.
///
/// # Safety
/// As [`blosc2_create_cctx`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_create_dctx(dparams: Dparams) -> *mut Context {
    pointer_or_null(|| {
        let nthreads = if has_variables() { settings::nthreads_of_context() } else { None };
        let job = Job { nthreads: nthreads.unwrap_or(dparams.nthreads).into(), ..Job::default() };
        let mut context = Box::new(Context::new(false, job));
        context.dparams = dparams;
        if dparams.postfilter.is_some() {
            // SAFETY: the caller's promise.
            let params = unsafe { dparams.postparams.as_ref() }.ok_or(NULL_POINTER)?;
            context.postparams = Some(Box::new(*params));
        }
        Ok(Box::into_raw(context))
    })
}

/// Releases a context.
///
/// # Safety
/// `context` is null or comes from a function that creates one, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_free_ctx(context: *mut Context) {
    if !context.is_null() {
        // SAFETY: the caller's promise.
        guarded((), || drop(unsafe { Box::from_raw(context) }));
    }
}

/// Stores the parameters of compression. Returns 0, or a code.
///
/// # Safety
/// `ctx` as for [`blosc2_free_ctx`]; `cparams` is null or can hold the parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_ctx_get_cparams(ctx: *mut Context, cparams: *mut Cparams) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe { stored(ctx, cparams, Context::cparams) })
}

/// Stores the parameters of decompression. Returns 0, or a code.
///
/// # Safety
/// As [`blosc2_ctx_get_cparams`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_ctx_get_dparams(ctx: *mut Context, dparams: *mut Dparams) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe { stored(ctx, dparams, Context::dparams) })
}

/// Stores parameters of a context.
///
/// # Safety
/// `ctx` as for [`blosc2_free_ctx`]; `to` is null or can hold the parameters.
unsafe fn stored<T>(ctx: *mut Context, to: *mut T, params: impl FnOnce(&Context) -> T) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    unsafe { store(to, params(context(ctx)?)) };
    Ok(())
}

/// Sets blocks that the next call leaves out. Returns 0, or a code.
///
/// # Safety
/// `ctx` as for [`blosc2_free_ctx`]; `maskout` has `nblocks` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_set_maskout(ctx: *mut Context, maskout: *const u8, nblocks: c_int) -> c_int {
    guarded(MEMORY, || {
        let len = usize::try_from(nblocks).unwrap_or(0);
        // SAFETY: the caller's promise.
        let (context, mask) = match unsafe { (context(ctx), bytes(maskout.cast(), len)) } {
            (Ok(context), Some(mask)) => (context, mask),
            (Err(code), _) => return code,
            (_, None) => return INVALID_PARAM,
        };
        let Ok(mask) = blosc_core::memory::collect(mask.iter().map(|skip| *skip != 0)) else { return MEMORY };
        *context.mask.lock().unwrap_or_else(PoisonError::into_inner) = mask;
        context.is_masked.store(true, Relaxed);
        0
    })
}
