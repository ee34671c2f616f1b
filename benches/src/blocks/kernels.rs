//! Race of the shuffle and bitshuffle kernels, by typesize. Each must give the same bytes as C-Blosc2's.

use super::c::Libraries;
use super::{Row, contest};
use crate::race::{Length, Runner};
use crate::report::short;
use anyhow::{Result, ensure};
use blosc_core::kernels::{Kernel, Kernels, active};
use std::cell::RefCell;
use testdata::{PlainKind, plain};

/// A size that fits the L1 cache together with its destination, and one that fits only the L2 cache.
const SIZES: [usize; 2] = [16 << 10, 128 << 10];

/// Selects a kernel of a table.
pub type OfTable = fn(&Kernels) -> Kernel;

/// The kernels by name.
pub const KERNELS: [(&str, OfTable); 4] = [
    ("shuffle", |table| table.shuffle),
    ("unshuffle", |table| table.unshuffle),
    ("bitshuffle", |table| table.bitshuffle),
    ("bitunshuffle", |table| table.bitunshuffle),
];

pub fn race(libraries: &Libraries, length: Length, is_quick: bool, rows: &mut Vec<Row>) -> Result<()> {
    let typesizes: &[usize] =
        if is_quick { &[1, 2, 3, 4, 6, 8, 12, 16, 24] } else { &[1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32] };
    for (name, of_table) in KERNELS {
        let kernel = of_table(active());
        let theirs = libraries.kernel(name)?;
        for typesize in typesizes.iter().copied().filter(|typesize| *typesize > 1 || name.starts_with("bit")) {
            for size in SIZES {
                // Whole groups of 64 elements: C-Blosc2's kernels treat the rest by rules of their own.
                let nbytes = size / (64 * typesize) * (64 * typesize);
                let src = plain(PlainKind::Noise, nbytes, typesize, 1);
                let room = RefCell::new(vec![0; nbytes]);
                let mut expected = vec![0; nbytes];
                kernel(typesize, &src, &mut expected);
                let ours = || {
                    kernel(typesize, &src, &mut room.borrow_mut());
                    Ok(())
                };
                let mut runners: Vec<(&'static str, f64, Runner<'_>)> = vec![("ours", 1.0, Box::new(ours))];
                if let Some(theirs) = &theirs {
                    theirs(typesize, &src, &mut room.borrow_mut());
                    ensure!(*room.borrow() == expected, "{name} {typesize} is not C-Blosc2's");
                    let theirs = || {
                        theirs(typesize, &src, &mut room.borrow_mut());
                        Ok(())
                    };
                    runners.push(("C-Blosc2", 1.0, Box::new(theirs)));
                }
                let copy = || {
                    room.borrow_mut().copy_from_slice(&src);
                    Ok(())
                };
                runners.push(("memcpy", 1.0, Box::new(copy)));
                rows.extend(contest(
                    ("kernels", &format!("{name} {typesize}"), &short(size)),
                    nbytes,
                    length,
                    runners,
                )?);
            }
        }
    }
    Ok(())
}
