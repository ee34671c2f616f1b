//! The Pareto front of ratio and both speeds: the settings that no other one beats.

use super::setting::Figures;

/// Marks the settings on the front.
pub(super) fn mark(figures: &mut [Figures]) {
    let all = figures.to_vec();
    for one in figures {
        one.on_front = !all.iter().any(|other| beats(other, one));
    }
}

/// Whether `a` is at least as good as `b` in everything and better in something.
fn beats(a: &Figures, b: &Figures) -> bool {
    let pairs = [(a.ratio, b.ratio), (a.compress, b.compress), (a.decompress, b.decompress)];
    pairs.iter().all(|(a, b)| a >= b) && pairs.iter().any(|(a, b)| a > b)
}

#[cfg(test)]
mod tests {
    use super::super::setting::Setting;
    use super::*;
    use blosc_core::Codec;

    #[test]
    fn what_is_beaten_is_not_on_the_front() {
        let setting = Setting { goal: None, codec: Codec::Lz4, clevel: 5, filter: None, typesize: 1, chunk_size: 1 };
        let figures = |ratio, compress, decompress| Figures { setting, ratio, compress, decompress, on_front: false };
        let mut all = [
            figures(1.0, 9.0, 9.0),
            figures(2.0, 5.0, 5.0),
            figures(2.0, 5.0, 5.0), // equal to another
            figures(1.5, 5.0, 5.0), // worse than it
            figures(4.0, 1.0, 6.0),
            figures(3.0, 1.0, 1.0),
        ];
        mark(&mut all);
        assert_eq!(all.map(|one| one.on_front), [true, true, true, false, true, false]);
    }
}
