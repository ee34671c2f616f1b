//! The metalayers of a super-chunk, as programs see them.

use std::ffi::{CStr, CString};
use std::ptr::null_mut;

use super::owned::{Owned, owned};
use crate::blosc2::codes::{INVALID_PARAM, MEMORY, trace};
use crate::blosc2::schunk::Layers;
use crate::exports::blosc2::schunk_abi::{MAX_METALAYERS, MAX_VLMETALAYERS, Metalayer, Schunk};

/// A metalayer. Programs have a pointer to the first field.
#[repr(C)]
struct Layer {
    public: Metalayer,
    name: CString,
    content: Vec<u8>,
}

impl Owned {
    /// Replaces all metalayers that programs see.
    ///
    /// # Errors
    /// The code of missing memory.
    pub(super) fn set_layers(&mut self, metalayers: Layers, vlmetalayers: Layers) -> Result<(), i32> {
        self.clear_layers();
        for (is_variable, layers) in [(false, metalayers), (true, vlmetalayers)] {
            for (name, content) in layers {
                // A name ends at its first zero byte, as for C programs.
                let name = name.split(|byte| *byte == 0).next().and_then(|name| CString::new(name).ok());
                self.push_layer(is_variable, name.unwrap_or_default(), content)?;
            }
        }
        Ok(())
    }

    /// Returns the metalayers, of variable length or not.
    fn slots(&self, is_variable: bool) -> &[*mut Metalayer] {
        let public = &self.public;
        let (slots, count): (&[_], usize) = if is_variable {
            (&public.vlmetalayers, usize::try_from(public.nvlmetalayers).unwrap_or(0))
        } else {
            (&public.metalayers, public.nmetalayers.into())
        };
        slots.get(..count).unwrap_or(slots)
    }

    /// Returns names and contents of metalayers.
    pub(super) fn layers(&self, is_variable: bool) -> impl Iterator<Item = (&CString, &[u8])> {
        self.slots(is_variable).iter().filter_map(|layer| {
            // SAFETY: pointers below the count come from `push_layer`, and only this type releases them.
            let layer = unsafe { layer.cast::<Layer>().as_ref() }?;
            Some((&layer.name, layer.content.as_slice()))
        })
    }

    /// Adds a metalayer to those that programs see. Returns its index.
    pub(super) fn push_layer(&mut self, is_variable: bool, name: CString, content: Vec<u8>) -> Result<i32, i32> {
        let index = self.slots(is_variable).len();
        if index >= if is_variable { MAX_VLMETALAYERS } else { MAX_METALAYERS } {
            return Err(trace(INVALID_PARAM, format_args!("there are {index} metalayers")));
        }
        let pointer = layer(name, content)?;
        let public = &mut self.public;
        if is_variable {
            public.vlmetalayers[index] = pointer;
            public.nvlmetalayers += 1;
        } else {
            public.metalayers[index] = pointer;
            public.nmetalayers += 1;
        }
        Ok(index as i32)
    }

    /// Replaces the content of a metalayer. It keeps the bytes that are not replaced if it may not change its length.
    pub(super) fn set_layer(&mut self, is_variable: bool, index: usize, new: Vec<u8>) {
        let Some(pointer) = self.slots(is_variable).get(index).copied() else { return };
        // SAFETY: as for `layers`; the super-chunk is borrowed mutably.
        let Some(layer) = (unsafe { pointer.cast::<Layer>().as_mut() }) else { return };
        layer.content = new;
        layer.public.content = layer.content.as_mut_ptr();
        layer.public.content_len = layer.content.len() as i32;
    }

    /// Removes a metalayer of variable length.
    pub(super) fn remove_layer(&mut self, index: usize) {
        let count = self.slots(true).len();
        if index >= count {
            return;
        }
        let slots = &mut self.public.vlmetalayers;
        let removed = std::mem::replace(&mut slots[index], null_mut());
        slots[index..count].rotate_left(1);
        self.public.nvlmetalayers -= 1;
        release(removed);
    }

    /// Removes all metalayers from those that programs see.
    pub(super) fn clear_layers(&mut self) {
        let all: Vec<_> = [false, true].into_iter().flat_map(|kind| self.slots(kind).to_vec()).collect();
        (self.public.nmetalayers, self.public.nvlmetalayers) = (0, 0);
        self.public.metalayers.fill(null_mut());
        self.public.vlmetalayers.fill(null_mut());
        all.into_iter().for_each(release);
    }
}

fn layer(name: CString, content: Vec<u8>) -> Result<*mut Metalayer, i32> {
    let content_len = i32::try_from(content.len()).map_err(|_| INVALID_PARAM)?;
    let public = Metalayer { name: null_mut(), content: null_mut(), content_len };
    let mut layer = Box::new(Layer { public, name, content });
    layer.public.name = layer.name.as_ptr().cast_mut();
    layer.public.content = layer.content.as_mut_ptr();
    Ok(Box::into_raw(layer).cast())
}

fn release(layer: *mut Metalayer) {
    if !layer.is_null() {
        // SAFETY: from `layer`, and removed from the super-chunk.
        drop(unsafe { Box::from_raw(layer.cast::<Layer>()) });
    }
}

/// Returns a copy of the content of a metalayer of fixed length; `None` if there is none.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only.
pub(in crate::exports::blosc2) unsafe fn metalayer(schunk: *mut Schunk, name: &CStr) -> Result<Option<Vec<u8>>, i32> {
    // SAFETY: the caller's promise.
    let owned = unsafe { owned(schunk) }?;
    let found = owned.layers(false).find(|(known, _)| known.as_c_str() == name);
    found.map(|(_, content)| blosc_core::memory::copy_of(content).map_err(|_| MEMORY)).transpose()
}
