//! The prefilter and the postfilter of a context as those of the engine.

use std::cell::Cell;
use std::ffi::{c_int, c_void};

use blosc_core::{BlockInfo, PluginError, memory};

use super::abi::{PostfilterParams, PrefilterParams};
use super::context::Context;
use super::schunk_abi::Schunk;
use super::user::{User, len32};
use crate::blosc2::compress::{Block, Prefilter};
use crate::blosc2::decompress::Postfilter;
use crate::blosc2::nthreads;

/// Returns the program's prefilter.
pub(super) fn prefilter(user: &User) -> Box<Prefilter> {
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
        let called = with_resources(context, src.len(), block.typesize, |tid, ttmp| {
            let mut params = PrefilterParams {
                input: src.as_ptr(),
                output: dst.as_mut_ptr(),
                output_size: output_size as i32,
                output_typesize,
                output_offset: block.offset as i32,
                nchunk: nchunk(context.cparams.schunk),
                nblock: block.index as i32,
                tid,
                ttmp: ttmp.as_mut_ptr(),
                ttmp_nbytes: ttmp.len(),
                ctx: context.pointer(),
                ..*params
            };
            // SAFETY: an input, an output and memory with their lengths; the program promises the rest.
            unsafe { function(&mut params) }
        });
        if is_disposable {
            dst.fill(0);
            return Ok(());
        }
        called
    })
}

/// Returns the program's postfilter.
pub(super) fn postfilter(user: &User) -> Box<Postfilter> {
    let user = user.clone();
    Box::new(move |block: BlockInfo, data: &mut [u8]| {
        let context = user.context();
        let (Some(function), Some(params)) = (context.dparams.postfilter, context.postparams.as_deref()) else {
            return Ok(());
        };
        let Ok(input) = memory::copy_of(data) else { return Err(PluginError::new("out of memory")) };
        with_resources(context, input.len(), block.typesize, |tid, ttmp| {
            let mut params = PostfilterParams {
                input: input.as_ptr(),
                output: data.as_mut_ptr(),
                size: len32(&input),
                typesize: block.typesize as i32,
                offset: block.offset as i32,
                nchunk: nchunk(context.dparams.schunk),
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
    })
}

/// Calls a function of the program with the number of its thread and memory for four blocks.
///
/// # Errors
/// A code other than 0 of the function, and missing memory.
fn with_resources(
    context: &Context,
    block: usize,
    typesize: usize,
    function: impl FnOnce(i32, &mut [u8]) -> c_int,
) -> Result<(), PluginError> {
    let code = context
        .tids
        .with(nthreads(context.job.nthreads), |tid| with_scratch(block, typesize, |ttmp| function(tid, ttmp)));
    if code == Some(0) { Ok(()) } else { Err(PluginError::new("it returned an error")) }
}

/// Returns the number of the chunk of a super-chunk that is used, -1 without a super-chunk.
fn nchunk(schunk: *mut c_void) -> i64 {
    // SAFETY: the program promises that a super-chunk lives as long as the contexts that it is a parameter of.
    unsafe { schunk.cast::<Schunk>().as_ref() }.map_or(-1, |schunk| schunk.current_nchunk)
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
