//! Sizes of n-dimensional arrays.

/// Returns `unit` times the lengths of all axes, `None` if it overflows; 0 if one of them is 0, however large the others.
pub(crate) fn product(axes: &[u64], unit: u64) -> Option<u64> {
    if axes.contains(&0) {
        return Some(0);
    }
    axes.iter().try_fold(unit, |product, axis| product.checked_mul(*axis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_do_not_overflow() {
        assert_eq!(product(&[u64::MAX, u64::MAX, 0], 8), Some(0));
        assert_eq!(product(&[1 << 32, 1 << 32], 1), None);
        assert_eq!(product(&[], 8), Some(8));
    }
}
