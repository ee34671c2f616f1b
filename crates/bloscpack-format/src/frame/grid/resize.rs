//! Changes of an array's chunks when its shape changes.

use super::super::regions::{Axes, advance};
use super::{ChunkPart, Grid};
use crate::frame::NewOrder;
use blosc_core::Special;

impl Grid {
    /// Returns the source of each chunk of the array in its `new` shape: an old chunk, or zeros. The contents of
    /// [`changed`](Self::changed) chunks must also be rewritten.
    pub fn resized<'a>(&'a self, new: &'a Self) -> impl Iterator<Item = NewOrder> + 'a {
        new.grid_places().map(|at| match self.number(&at) {
            Some(chunk) if at.len() == self.ndim() => NewOrder::Keep(chunk),
            _ => NewOrder::Special(Special::Zeros),
        })
    }

    /// Returns the chunks that the array no longer has in its `new` shape.
    pub fn dropped<'a>(&'a self, new: &'a Self) -> impl Iterator<Item = u64> + 'a {
        self.grid_places().filter(|at| new.number(at).is_none()).filter_map(|at| self.number(&at))
    }

    /// Returns the chunks that remain but lose or gain items, with the items that remain. Chunk numbers are those in
    /// the `new` shape.
    ///
    /// Rewrite these chunks: [`read`](Self::read) the remaining items and [`write`](Self::write) them to a chunk of
    /// zeros. Otherwise lost items would reappear if the array grows again. So would the padding, which need not be
    /// zero.
    pub fn changed<'a>(&'a self, new: &'a Self) -> impl Iterator<Item = ChunkPart> + 'a {
        let stays = |at: &Axes| self.number(at).is_some();
        new.grid_places().filter(stays).filter_map(move |at| {
            let old = self.part(at.clone(), &self.all()).region;
            let mut part = new.part(at, &new.all());
            let differs = old.stop != part.region.stop;
            part.region = part.region.intersect(&old);
            differs.then_some(part)
        })
    }

    fn grid_places(&self) -> impl Iterator<Item = Axes> + '_ {
        let origin = vec![0; self.ndim()];
        let mut next = (self.nchunks > 0).then(|| origin.clone());
        std::iter::from_fn(move || {
            let at = next.take()?;
            let mut following = at.clone();
            if advance(&mut following, &origin, &self.chunks) {
                next = Some(following);
            }
            Some(at)
        })
    }

    /// Returns the number of the chunk at a position of the grid.
    fn number(&self, at: &[u64]) -> Option<u64> {
        let mut axes = at.iter().zip(&self.chunks);
        axes.try_fold(0, |number, (at, chunks)| (at < chunks).then_some(number * chunks + at))
    }
}
