//! Race of the shuffle and bitshuffle kernels into and from memory that is not in a cache, as when a whole array is
//! decompressed or compressed.
//!
//! One side is a block in the L2 cache: the codec's scratch. The other side is the array: it walks through an arena
//! much larger than the caches. The inverse kernels write to the array, the forward kernels read from it.

use super::c::{Libraries, Transpose};
use super::kernels::{KERNELS, OfTable};
use super::{Row, contest};
use crate::race::{Length, Runner};
use crate::report::short;
use anyhow::Result;
use blosc_core::kernels::{Kernels, available};
use std::cell::{Cell, RefCell};
use testdata::{PlainKind, plain};

/// Size of the array's memory.
const ARENA: usize = 512 << 20;

/// Size of a block.
const BLOCK: usize = 128 << 10;

/// Raced typesizes; 1 only by the bitshuffles.
const TYPESIZES: [usize; 6] = [1, 2, 4, 8, 12, 16];

/// The memory of both sides. All entrants walk through the array together, so none finds a block that another one has
/// left in a cache.
struct Memory {
    array: RefCell<Vec<u8>>,
    at: Cell<usize>,
    scratch: RefCell<Vec<u8>>,
}

impl Memory {
    fn new() -> Memory {
        let block = plain(PlainKind::Noise, BLOCK, 8, 1);
        Memory {
            array: RefCell::new(block.repeat(ARENA / BLOCK)),
            at: Cell::new(0),
            scratch: RefCell::new(plain(PlainKind::Noise, BLOCK, 8, 2)),
        }
    }

    /// Returns a runner that calls a kernel with the next block of the array, as the source if `is_forward`.
    fn runner<'a>(&'a self, transpose: Transpose<'a>, typesize: usize, is_forward: bool) -> Runner<'a> {
        Box::new(move || {
            let at = self.at.get() % ARENA;
            self.at.set(at + BLOCK);
            let (mut array, mut scratch) = (self.array.borrow_mut(), self.scratch.borrow_mut());
            let (far, near) = (&mut array[at..][..nbytes(typesize)], &mut scratch[..nbytes(typesize)]);
            if is_forward {
                transpose(typesize, far, near);
            } else {
                transpose(typesize, near, far);
            }
            Ok(())
        })
    }
}

/// Returns the number of bytes in a block's whole groups of 64 elements.
fn nbytes(typesize: usize) -> usize {
    BLOCK / (64 * typesize) * (64 * typesize)
}

pub fn race(libraries: &Libraries, length: Length, rows: &mut Vec<Row>) -> Result<()> {
    let memory = Memory::new();
    for (name, of_table) in KERNELS {
        let is_forward = !name.contains("un");
        for typesize in TYPESIZES.into_iter().filter(|typesize| *typesize > 1 || name.starts_with("bit")) {
            let mut entrants = ours(of_table);
            entrants.extend(libraries.kernel(name)?.map(|theirs| ("C-Blosc2", theirs)));
            entrants.push(("memcpy", Box::new(|_, src: &[u8], dst: &mut [u8]| dst.copy_from_slice(src))));
            let runners =
                entrants.into_iter().map(|(peer, kernel)| (peer, 1.0, memory.runner(kernel, typesize, is_forward)));
            let case = format!("cold {name} {typesize}");
            rows.extend(contest(("kernels", &case, &short(BLOCK)), nbytes(typesize), length, runners.collect())?);
        }
    }
    Ok(())
}

/// Returns our kernel of the best table as the first entrant, then those of the weaker tables except `scalar`.
fn ours(of_table: OfTable) -> Vec<(&'static str, Transpose<'static>)> {
    let tables = available().into_iter().skip(1).rev();
    let name = |(i, table): (usize, &'static Kernels)| if i == 0 { "ours" } else { table.name };
    let entrant = |(i, table)| (name((i, table)), Box::new(of_table(table)) as Transpose<'static>);
    tables.enumerate().map(entrant).collect()
}
