//! Views: super-chunks with metalayers of their own, and the chunks of another one.
//!
//! A view has a pointer to the other super-chunk, which the program must not release before the view.

use std::borrow::Cow;

use blosc_core::memory;

use super::owned::{Owned, owned};
use crate::blosc2::codes::{INVALID_PARAM, MEMORY, trace};
use crate::blosc2::schunk::{Change, Chunks};
use crate::exports::blosc2::schunk_abi::Schunk;

impl Owned {
    /// Returns a compressed chunk, whose number is below that of the chunks.
    ///
    /// # Errors
    /// The code of damage.
    pub(super) fn stored(&self, nchunk: i64) -> Result<Cow<'_, [u8]>, i32> {
        let from = self.source();
        from.chunks.chunk(nchunk, from.params())
    }

    /// Returns the super-chunk that has the chunks.
    fn source(&self) -> &Owned {
        // SAFETY: null, or valid as long as the view.
        unsafe { self.base.as_ref() }.unwrap_or(self)
    }

    /// Returns the chunks, which a view has from another super-chunk.
    pub(super) fn source_chunks(&self) -> &Chunks {
        &self.source().chunks
    }

    /// Calls `work` for the super-chunk with the chunks of a view, and shows its fields. Returns whether this is a view.
    ///
    /// # Errors
    /// The errors of `work`.
    pub(super) fn follow(&mut self, work: impl FnOnce(&mut Owned) -> Result<(), i32>) -> Result<bool, i32> {
        // SAFETY: null, or valid as long as the view. No other call uses it.
        let Some(base) = (unsafe { self.base.as_mut() }) else { return Ok(false) };
        work(base)?;
        self.set_sizes(base.sizes());
        (self.public.data, self.public.data_len) = (base.public.data, base.public.data_len);
        self.public.frame = base.public.frame;
        Ok(true)
    }

    /// Applies a change to a view. Returns whether this is one.
    ///
    /// # Errors
    /// The code of a change of the number of chunks, which would not fit the other super-chunk.
    pub(super) fn change_of_view(&mut self, change: &Change<'_>) -> Result<bool, i32> {
        match change {
            _ if self.base.is_null() => Ok(false),
            Change::Update(..) => self.follow(|base| base.change(change)),
            Change::AddMetalayer(..) | Change::UpdateMetalayer(..) | Change::Vlmetalayers(_) => Ok(true),
            _ => Err(trace(INVALID_PARAM, format_args!("a view keeps the number of its chunks"))),
        }
    }
}

/// Makes a super-chunk without chunks a view of another one.
///
/// # Safety
/// Both were created, and are used by this call only. `base` is not released before `view`.
pub(in crate::exports::blosc2) unsafe fn make_view(view: *mut Schunk, base: *mut Schunk) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let (to, from) = unsafe { (owned(view)?, owned(base)?) };
    for (name, content) in from.layers(true) {
        to.push_layer(true, name.clone(), memory::copy_of(content).map_err(|_| MEMORY)?)?;
    }
    to.base = if from.base.is_null() { base.cast() } else { from.base };
    to.public.view = 1;
    to.follow(|_| Ok(())).map(|_| ())
}
