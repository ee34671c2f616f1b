//! Race of the checksums of bloscpack files.

use super::c::Libraries;
use super::{Row, contest};
use crate::race::{Length, Runner};
use crate::report::short;
use anyhow::{Result, ensure};
use bloscpack_format::checksum::Checksum;
use std::hint::black_box;
use testdata::{PlainKind, plain};

/// A chunk that fits the L2 cache, and one that does not.
const SIZES: [usize; 2] = [64 << 10, 4 << 20];

pub fn race(libraries: &Libraries, length: Length, rows: &mut Vec<Row>) -> Result<()> {
    for checksum in Checksum::ALL.into_iter().filter(|checksum| *checksum != Checksum::None) {
        let theirs = libraries.checksum(checksum.name());
        for size in SIZES {
            let src = plain(PlainKind::Noise, size, 1, 1);
            let ours = || {
                black_box(checksum.digest(&src));
                Ok(())
            };
            let mut runners: Vec<(&'static str, f64, Runner<'_>)> = vec![("ours", 1.0, Box::new(ours))];
            if let Some((name, theirs)) = &theirs {
                let digest = checksum.digest(&src);
                ensure!(theirs(&src).starts_with(digest.as_ref()), "{} is not {name}'s", checksum.name());
                let theirs = || {
                    black_box(theirs(&src));
                    Ok(())
                };
                runners.push((name, 1.0, Box::new(theirs)));
            }
            rows.extend(contest(("checksums", checksum.name(), &short(size)), size, length, runners)?);
        }
    }
    Ok(())
}
