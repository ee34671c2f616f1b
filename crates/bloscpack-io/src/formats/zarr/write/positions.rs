//! The positions of chunks on the grid.

/// The positions of the chunks on the grid, in C order.
pub(super) struct Positions {
    counts: Vec<u64>,
    next: Option<Vec<u64>>,
}

impl Positions {
    /// Starts at chunk number `first`.
    pub(super) fn new(shape: &[u64], chunkshape: &[u64], first: u64) -> Positions {
        let axes = shape.iter().zip(chunkshape);
        let counts: Vec<u64> = axes.map(|(len, chunk)| len.div_ceil((*chunk).max(1))).collect();
        let (mut position, mut rest) = (Vec::with_capacity(counts.len()), first);
        for count in counts.iter().rev() {
            position.push(rest.checked_rem(*count).unwrap_or(0));
            rest = rest.checked_div(*count).unwrap_or(u64::MAX);
        }
        position.reverse();
        // A rest means that there are no more chunks.
        Positions { next: (rest == 0 && !counts.contains(&0)).then_some(position), counts }
    }
}

impl Iterator for Positions {
    type Item = Vec<u64>;

    fn next(&mut self) -> Option<Vec<u64>> {
        let current = self.next.take()?;
        let mut after = current.clone();
        for (index, count) in after.iter_mut().zip(&self.counts).rev() {
            *index += 1;
            if *index < *count {
                self.next = Some(after);
                break;
            }
            *index = 0;
        }
        Some(current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_in_c_order() {
        let all = |shape: &[u64], chunks: &[u64], first| Positions::new(shape, chunks, first).collect::<Vec<_>>();
        assert_eq!(all(&[3, 4], &[2, 2], 0), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(all(&[3, 4], &[2, 2], 3), [[1, 1]]);
        assert_eq!(all(&[3, 4], &[2, 2], 4), [[0; 2]; 0]);
        assert_eq!(all(&[5], &[2], 1), [[1], [2]]);
        assert_eq!(all(&[], &[], 0), [[0_u64; 0]]);
        assert_eq!(all(&[], &[], 1), [[0_u64; 0]; 0]);
        assert_eq!(all(&[0, 4], &[1, 2], 0), [[0; 2]; 0]);
    }
}
