//! What a match saves, guessed before there are any codes.

/// Bytes whose literals are given one price.
const SPAN: u32 = 4096;

/// What literals cost about where the search stands: the entropy of the bytes there.
pub(super) struct Prices<'a> {
    src: &'a [u8],
    /// In 1/16 bits.
    literal: i32,
    /// Up to where.
    end: u32,
}

impl<'a> Prices<'a> {
    pub(super) fn new(src: &'a [u8]) -> Self {
        Prices { src, literal: 0, end: 0 }
    }

    #[inline(always)]
    pub(super) fn move_to(&mut self, at: u32) {
        if at >= self.end {
            self.measure(at);
        }
    }

    #[inline(never)]
    fn measure(&mut self, at: u32) {
        self.end = (at / SPAN + 1) * SPAN;
        let start = (self.end - SPAN) as usize;
        let Some(bytes) = self.src.get(start..(self.end as usize).min(self.src.len())) else { return };
        let mut lanes = [[0u32; 256]; 2];
        for pair in bytes.as_chunks::<2>().0 {
            lanes[0][usize::from(pair[0])] += 1;
            lanes[1][usize::from(pair[1])] += 1;
        }
        let mut counts = lanes[0];
        for (to, from) in counts.iter_mut().zip(&lanes[1]) {
            *to += from;
        }
        let bits = super::blocks::entropy_of(&counts);
        self.literal = (16 * bits / bytes.len().max(1) as u64).clamp(FLOOR, 128) as i32;
    }

    /// What a match saves, in 1/16 bits.
    #[inline(always)]
    pub(super) fn gain(&self, length: u32, offset: u32) -> i32 {
        // A length symbol and an offset symbol of about 5 bits each, and the offset's extra bits.
        (length.min(1024) as i32) * self.literal - (BASE + 16 * offset.ilog2() as i32)
    }
}

/// No literal is thought cheaper.
const FLOOR: u64 = 40;
const BASE: i32 = 144;
