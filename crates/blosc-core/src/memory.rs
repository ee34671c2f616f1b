//! Fallible allocation: buffers whose size comes from input or data.
//!
//! The standard collections abort the process when the system refuses memory. These functions return [`OutOfMemory`]
//! with the size instead, and leave their arguments unchanged. Allocations below [`MIN_CHECKED`] that do not grow with
//! the input stay infallible.
//!
//! [`zeroed`] asks the allocator for zeroed memory (`calloc`), like `vec![0; len]`: pages are touched at their first
//! use only.
//!
//! All of them leave the memory that another crate may be allocating: see `claim`.

mod claim;
mod text;

use core::fmt;

use self::claim::CLAIMS;
pub(crate) use self::claim::Claim;
pub use self::text::{Text, concat, format, lossy, push_str, text_of};
use bytemuck::{Zeroable, allocation};

/// Fixed-size allocations below this many bytes may abort the process when memory runs out.
pub const MIN_CHECKED: usize = 64 << 10;

/// Whether the system may limit the memory of a process. There are no such limits for WebAssembly, whose modules must be
/// small.
const IS_LIMITED: bool = !cfg!(target_family = "wasm");

/// Memory that the system refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutOfMemory {
    /// Bytes of the allocation.
    pub nbytes: usize,
}

impl OutOfMemory {
    /// Creates the error of an allocation of `nbytes` bytes.
    pub const fn new(nbytes: usize) -> Self {
        OutOfMemory { nbytes }
    }

    /// Creates the error of an allocation of `len` items of type `T`.
    const fn of<T>(len: usize) -> Self {
        OutOfMemory { nbytes: len.saturating_mul(size_of::<T>()) }
    }
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "out of memory: {} bytes could not be allocated", self.nbytes)
    }
}

impl std::error::Error for OutOfMemory {}

impl From<OutOfMemory> for std::io::Error {
    fn from(error: OutOfMemory) -> Self {
        std::io::Error::new(std::io::ErrorKind::OutOfMemory, error)
    }
}

/// Returns `len` zeros, from zeroed pages where the allocator has them.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn zeroed<T: Zeroable>(len: usize) -> Result<Vec<T>, OutOfMemory> {
    let error = OutOfMemory::of::<T>(len);
    beside_claims(error.nbytes, || allocation::try_zeroed_vec(len).map_err(|()| error))
}

/// Returns one zeroed value that was never on the stack. Used for large tables.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn zeroed_box<T: Zeroable>() -> Result<Box<T>, OutOfMemory> {
    let error = OutOfMemory::of::<T>(1);
    beside_claims(error.nbytes, || allocation::try_zeroed_box().map_err(|()| error))
}

/// Returns a default value that is not built in the stack frame of the caller. Tables of 40 KiB there make every call
/// touch ten pages of the stack, even one that does not build them.
#[cold]
#[inline(never)]
pub(crate) fn default_of<T: Default>() -> T {
    T::default()
}

/// Returns a copy of `slice`.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn copy_of<T: Clone>(slice: &[T]) -> Result<Vec<T>, OutOfMemory> {
    let mut vec = with_capacity(slice.len())?;
    vec.extend_from_slice(slice);
    Ok(vec)
}

/// Returns an empty vector with room for exactly `len` items.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn with_capacity<T>(len: usize) -> Result<Vec<T>, OutOfMemory> {
    beside_claims(OutOfMemory::of::<T>(len).nbytes, || exactly(len))
}

/// [`with_capacity`] without regard to claims.
fn exactly<T>(len: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| OutOfMemory::of::<T>(len))?;
    Ok(vec)
}

/// Reserves room for `more` items. Capacity at least doubles, unless only `more` items fit into memory.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn reserve<T>(vec: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    if vec.capacity() - vec.len() < more { grow(vec, more) } else { Ok(()) }
}

#[cold]
fn grow<T>(vec: &mut Vec<T>, more: usize) -> Result<(), OutOfMemory> {
    let needed = vec.len().saturating_add(more);
    let doubled = needed.max(vec.capacity().saturating_mul(2)).max(4);
    grow_to(vec, doubled).or_else(|_| grow_to(vec, needed))
}

/// Grows the capacity to `len` items.
fn grow_to<T>(vec: &mut Vec<T>, len: usize) -> Result<(), OutOfMemory> {
    let (error, capacity) = (OutOfMemory::of::<T>(len), vec.capacity());
    let more = len - vec.len();
    let grown = beside_claims(error.nbytes, || vec.try_reserve_exact(more).map_err(|_| error));
    if grown.is_err() {
        vec.shrink_to(capacity); // it may have grown and left too little
    }
    grown
}

/// Appends a value.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn push<T>(vec: &mut Vec<T>, value: T) -> Result<(), OutOfMemory> {
    reserve(vec, 1)?;
    vec.push(value);
    Ok(())
}

/// Appends a copy of `slice`.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn extend<T: Clone>(vec: &mut Vec<T>, slice: &[T]) -> Result<(), OutOfMemory> {
    reserve(vec, slice.len())?;
    vec.extend_from_slice(slice);
    Ok(())
}

/// Resizes `vec` to `len` items: appends copies of `value` or drops items from the end.
///
/// # Errors
/// [`OutOfMemory`].
#[inline]
pub fn resize<T: Clone>(vec: &mut Vec<T>, len: usize, value: T) -> Result<(), OutOfMemory> {
    reserve(vec, len.saturating_sub(vec.len()))?;
    vec.resize(len, value);
    Ok(())
}

/// Sets the length of a buffer whose old content does not matter. New bytes are zeros.
///
/// # Errors
/// [`OutOfMemory`]; the buffer is then empty.
#[inline]
pub fn reuse(buffer: &mut Vec<u8>, len: usize) -> Result<(), OutOfMemory> {
    if buffer.capacity() < len {
        // Frees the old allocation first, because both may not fit into memory at once.
        *buffer = Vec::new();
        *buffer = zeroed(len)?;
    } else {
        buffer.resize(len, 0);
    }
    Ok(())
}

/// Returns the first `len` bytes of a buffer, which grows if needed and never shrinks. Growing drops its content.
pub(crate) fn at_least(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8], OutOfMemory> {
    if buffer.len() < len {
        reuse(buffer, len)?;
    }
    Ok(&mut buffer[..len])
}

/// Collects all items of an iterator.
///
/// # Errors
/// [`OutOfMemory`].
pub fn collect<T>(items: impl IntoIterator<Item = T>) -> Result<Vec<T>, OutOfMemory> {
    let mut items = items.into_iter();
    let known = items.size_hint().0;
    let mut vec = with_capacity(known)?;
    vec.extend(items.by_ref().take(known));
    for item in items {
        push(&mut vec, item)?;
    }
    Ok(vec)
}

/// Collects the items of an iterator up to its first error.
///
/// # Errors
/// The error of the iterator, or [`OutOfMemory`] converted to it.
pub fn try_collect<T, E: From<OutOfMemory>>(items: impl IntoIterator<Item = Result<T, E>>) -> Result<Vec<T>, E> {
    let items = items.into_iter();
    // Adapters of fallible iterators report a lower bound of 0.
    let mut vec = with_capacity(items.size_hint().0)?;
    for item in items {
        push(&mut vec, item?)?;
    }
    Ok(vec)
}

/// Checks that `nbytes` bytes can be allocated now, by allocating and releasing them.
///
/// For code that allocates by itself and cannot report a failure, such as the codecs of other crates. Best effort:
/// another thread may take the memory in between.
///
/// # Errors
/// [`OutOfMemory`].
pub fn check_free(nbytes: usize) -> Result<(), OutOfMemory> {
    claim(nbytes).map(drop)
}

/// Claims memory that another crate is about to allocate: unlike after [`check_free`], neither another claim nor an
/// allocation of at least [`MIN_CHECKED`] by this module takes it.
pub(crate) fn claim(nbytes: usize) -> Result<Claim, OutOfMemory> {
    let claim = CLAIMS.claim(nbytes).ok_or(OutOfMemory::new(nbytes))?;
    let room = exactly::<u8>(nbytes)?;
    // Keeps the compiler from removing the unused allocation.
    core::hint::black_box(room.as_ptr());
    if claim.leaves_slack() { Ok(claim) } else { Err(OutOfMemory::new(nbytes)) }
}

/// Sets the function that returns the bytes that the process may still allocate, or `None` if it has no limit. A program
/// with several threads calls this once, at its start; later calls have no effect.
///
/// The crates that this one uses abort the process if they are refused memory. With this function, no thread gets the
/// memory that such a crate is about to allocate on another thread, and an allocation of at least [`MIN_CHECKED`] that
/// leaves less than 1 MiB to the small allocations of the standard library is refused. It must not allocate.
pub fn set_left(left: fn() -> Option<usize>) {
    CLAIMS.set_left(left);
}

/// Runs `allocate`, which allocates `nbytes` bytes, unless too little memory would be left for the claims.
#[inline]
fn beside_claims<T>(nbytes: usize, allocate: impl FnOnce() -> Result<T, OutOfMemory>) -> Result<T, OutOfMemory> {
    let claim = match IS_LIMITED && nbytes >= MIN_CHECKED {
        true => Some(CLAIMS.claim(nbytes).ok_or(OutOfMemory::new(nbytes))?),
        false => None,
    };
    let memory = allocate()?;
    match claim {
        Some(claim) if !claim.leaves_slack() => Err(OutOfMemory::new(nbytes)),
        _ => Ok(memory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOO_MUCH: usize = isize::MAX as usize - 100;

    #[test]
    fn refused_memory_is_an_error_with_its_size() {
        let says = format!("out of memory: {TOO_MUCH} bytes could not be allocated");
        assert_eq!(zeroed::<u8>(TOO_MUCH).unwrap_err().to_string(), says);
        assert_eq!(with_capacity::<u8>(TOO_MUCH).unwrap_err().to_string(), says);
        assert_eq!(check_free(TOO_MUCH), Err(OutOfMemory::new(TOO_MUCH)));
        assert_eq!(zeroed::<u64>(TOO_MUCH), Err(OutOfMemory::new(usize::MAX)));
        let mut bytes = vec![1, 2];
        assert_eq!(resize(&mut bytes, TOO_MUCH, 0), Err(OutOfMemory::new(TOO_MUCH)));
        assert_eq!(reserve(&mut bytes, TOO_MUCH), Err(OutOfMemory::new(TOO_MUCH + 2)));
        assert_eq!(bytes, [1, 2]);
        assert_eq!(reuse(&mut bytes, TOO_MUCH), Err(OutOfMemory::new(TOO_MUCH)));
        assert_eq!(collect((0..u64::MAX).map(|_| 0u8)).unwrap_err().nbytes, usize::MAX);
    }

    #[test]
    fn what_fits_is_as_from_the_standard_collections() {
        assert_eq!(zeroed::<u16>(3).unwrap(), [0; 3]);
        assert_eq!(copy_of(&[1, 2]).unwrap(), [1, 2]);
        assert_eq!(collect([1, 2, 3].into_iter().filter(|n| n % 2 == 1)).unwrap(), [1, 3]);
        let items = ["1", "2"].map(|text| text.parse::<u8>().map_err(|_| OutOfMemory::new(0)));
        assert_eq!(try_collect(items).unwrap(), [1, 2]);
        let mut bytes = Vec::new();
        push(&mut bytes, 7).unwrap();
        extend(&mut bytes, &[8, 9]).unwrap();
        resize(&mut bytes, 5, 1).unwrap();
        assert_eq!(bytes, [7, 8, 9, 1, 1]);
        reuse(&mut bytes, 2).unwrap();
        assert_eq!(bytes.len(), 2);
        check_free(1 << 20).unwrap();
    }
}
