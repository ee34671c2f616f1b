//! Positions of items in the chunks and blocks.

use super::shapes::Geometry;

/// The place of an index along an axis: the chunk, and the items before it in the chunk with its blocks one after
/// another. The places of an item along all axes add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) chunk: i64,
    pub(crate) within: i64,
}

/// The places of items along each axis.
pub(crate) struct Places<'a> {
    geometry: &'a Geometry,
    /// Chunks from one to the next along each axis.
    steps: Vec<i64>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(geometry: &'a Geometry) -> Self {
        let mut steps = geometry.chunks();
        let mut step = 1_i64;
        for len in steps.iter_mut().rev() {
            step = std::mem::replace(len, step).wrapping_mul(step);
        }
        Places { geometry, steps }
    }

    /// Returns the place of an index along an axis, if the array has it.
    pub(crate) fn of(&self, axis: usize, index: i64) -> Option<Place> {
        let Geometry { shapes, strides, counts, .. } = self.geometry;
        let len = *shapes.shape().get(axis)?;
        if !(0..len).contains(&index) {
            return None;
        }
        let (chunk, block) = (i64::from(shapes.chunkshape[axis]), i64::from(shapes.blockshape[axis]));
        let (nchunk, item) = (index.checked_div(chunk)?, index.checked_rem(chunk)?);
        let (nblock, item) = (item.checked_div(block)?, item.checked_rem(block)?);
        let blocks = nblock.checked_mul(strides.block_chunk_strides[axis])?.checked_mul(counts.blocknitems.into())?;
        let within = blocks.checked_add(item.checked_mul(strides.item_block_strides[axis])?)?;
        Some(Place { chunk: nchunk.checked_mul(*self.steps.get(axis)?)?, within })
    }

    /// Returns the place of the item with a number in C order, if the array has it.
    pub(crate) fn of_item(&self, number: i64) -> Option<Place> {
        let mut rest = number;
        let mut place = Place { chunk: 0, within: 0 };
        for (axis, len) in self.geometry.shapes.shape().iter().enumerate().rev() {
            let on_axis = self.of(axis, rest.checked_rem(*len)?)?;
            rest = rest.checked_div(*len)?;
            place.chunk = place.chunk.checked_add(on_axis.chunk)?;
            place.within = place.within.checked_add(on_axis.within)?;
        }
        (rest == 0).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blosc2::nd::Shapes;

    #[test]
    fn items_are_where_a_grid_has_them() {
        let shapes = Shapes::new(&[7, 5, 3], &[4, 3, 2], &[2, 2, 1]).unwrap();
        let (geometry, grid) = (shapes.geometry().unwrap(), shapes.grid(2).unwrap());
        let places = Places::new(&geometry);
        let all = grid.all();
        for part in grid.parts(&all).unwrap() {
            let items = (0..grid.chunk_nbytes() as u16 / 2).flat_map(u16::to_le_bytes);
            let mut found = vec![255; 7 * 5 * 3 * 2];
            grid.read(&part, &items.collect::<Vec<_>>(), &all, &mut found).unwrap();
            for (number, item) in found.chunks_exact(2).enumerate().filter(|(_, item)| *item != [255, 255]) {
                let within = u16::from_le_bytes([item[0], item[1]]).into();
                let expected = Place { chunk: part.nchunk as i64, within };
                assert_eq!(places.of_item(number as i64), Some(expected), "{number}");
            }
        }
        assert_eq!((places.of_item(105), places.of_item(-1), places.of(0, 7)), (None, None, None));
    }
}
