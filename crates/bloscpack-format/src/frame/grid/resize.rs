//! What becomes of the chunks when an array gets another shape.

use super::super::regions::{Axes, advance};
use super::{ChunkPart, Grid};
use crate::frame::Slot;
use blosc_core::Special;

impl Grid {
    /// For each chunk of the array in its `new` shape the one that it has been, or zeros. Chunks that are
    /// [`changed`](Self::changed) are to be written anew besides.
    pub fn resized<'a>(&'a self, new: &'a Self) -> impl Iterator<Item = Slot> + 'a {
        new.grid_places().map(|at| match self.number(&at) {
            Some(chunk) if at.len() == self.ndim() => Slot::Keep(chunk),
            _ => Slot::Special(Special::Zeros),
        })
    }

    /// The chunks that the array has no more in its `new` shape.
    pub fn dropped<'a>(&'a self, new: &'a Self) -> impl Iterator<Item = u64> + 'a {
        self.grid_places().filter(|at| new.number(at).is_none()).filter_map(|at| self.number(&at))
    }

    /// The chunks that stay, but lose or get items, and what stays of them; the numbers are those in the `new` shape. What is
    /// left of lost items shows if the array ever grows again, and so does the padding, which nobody has to keep at zero:
    /// [`read`](Self::read) what stays and [`write`](Self::write) it to a chunk of zeros.
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

    /// The number of the chunk at a place of the grid.
    fn number(&self, at: &[u64]) -> Option<u64> {
        let mut axes = at.iter().zip(&self.chunks);
        axes.try_fold(0, |number, (at, chunks)| (at < chunks).then_some(number * chunks + at))
    }
}
