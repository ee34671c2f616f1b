//! What data is raced on? Six generated sets, from a fixed seed, each a kind that people keep in Blosc chunks.

use testdata::{PlainKind, SplitMix64, linspace_f64, plain};

/// Plain bytes with the type size they are compressed with.
pub struct Set {
    pub name: &'static str,
    pub typesize: usize,
    pub bytes: Vec<u8>,
}

/// The sets, each `size` bytes.
pub fn sets(size: usize) -> Vec<Set> {
    let mut rng = SplitMix64::new(20_261_121);
    let mut time = 1_700_000_000_000_000u64;
    let stamps = (0..size / 8).flat_map(|_| {
        time += 900 + rng.below(200) as u64;
        time.to_le_bytes()
    });
    let stamps = stamps.collect();

    let mut cents = 10_000i64;
    let prices = (0..size / 8).flat_map(|_| {
        cents += rng.below(5) as i64 - 2;
        (cents as f64 / 100.0).to_le_bytes()
    });
    let prices = prices.collect();

    // A smooth signal with noise in its low bits, as a camera or a microphone gives it.
    let samples = (0..size / 2).flat_map(|i| {
        let smooth = 1000.0 + 800.0 * (i as f64 / 400.0).sin() * (i as f64 / 31_000.0).cos();
        (smooth as u16 + rng.below(24) as u16).to_le_bytes()
    });
    let samples = samples.collect();

    vec![
        Set { name: "linspace", typesize: 8, bytes: linspace_f64(0.0, 100.0, size / 8) },
        Set { name: "stamps", typesize: 8, bytes: stamps },
        Set { name: "prices", typesize: 8, bytes: prices },
        Set { name: "samples", typesize: 2, bytes: samples },
        Set { name: "text", typesize: 1, bytes: plain(PlainKind::Text, size, 1, 3) },
        Set { name: "noise", typesize: 8, bytes: plain(PlainKind::Noise, size, 8, 4) },
    ]
}
