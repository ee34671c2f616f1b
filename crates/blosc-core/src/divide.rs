//! Divisions by typesizes, which mostly are powers of two.
//!
//! A division takes 5 ns, and a chunk of 1 KiB takes 200 to 400 ns. A test and a shift take less than one.

/// Returns `len / by`.
#[inline]
pub(crate) fn quotient(len: usize, by: usize) -> usize {
    if by.is_power_of_two() { len >> by.trailing_zeros() } else { len / by }
}

/// Returns `len % by`.
#[inline]
pub(crate) fn remainder(len: usize, by: usize) -> usize {
    if by.is_power_of_two() { len & (by - 1) } else { len % by }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_divisions() {
        for by in 1..300 {
            for len in (0..1000).chain([usize::MAX - 1, usize::MAX]) {
                assert_eq!((quotient(len, by), remainder(len, by)), (len / by, len % by));
            }
        }
    }
}
