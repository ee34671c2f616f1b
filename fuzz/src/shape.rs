//! Regions of an array selected by numbers, and the items of a region in C order.

use bloscpack_format::frame::Region;

/// Returns a region of an array of this shape. `numbers` are used cyclically, two for each axis.
pub fn region(shape: &[u64], numbers: &[u8]) -> Region {
    let mut numbers = numbers.iter().map(|number| u64::from(*number)).cycle();
    let mut number = |len: u64| numbers.next().unwrap_or(0).wrapping_mul(0x0101_0101) % (len + 1);
    let pairs: Vec<(u64, u64)> = shape.iter().map(|len| (number(*len), number(*len))).collect();
    let (start, stop) = pairs.iter().map(|(a, b)| (a.min(b), a.max(b))).unzip();
    Region { start, stop }
}

/// Returns the item indices of a region in an array of this shape, in C order.
pub fn places(shape: &[u64], region: &Region) -> Vec<usize> {
    let mut places = vec![0];
    for (axis, len) in shape.iter().enumerate() {
        let range = region.start[axis]..region.stop[axis];
        places =
            places.iter().flat_map(|place| range.clone().map(move |at| place * *len as usize + at as usize)).collect();
    }
    places
}
