//! Fuzzes automatic choice: any buffers, one after another, get parameters with which they round-trip. The parameters
//! depend on nothing but the buffers.
#![no_main]

use blosc_core::{Advisor, Auto, ChunkFormat, Codec, Encoder, FilterPipeline, Goal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&[goal, fixed, typesize, number, size, times], plain)) = input.split_first_chunk() else { return };
    let goals = [
        Goal::Fast,
        Goal::Balanced,
        Goal::Small,
        Goal::Speed(u32::from(number) * 20),
        Goal::Ratio(f64::from(number) / 16.0),
    ];
    let filters = [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()];
    let set = |bit: u8| fixed >> bit & 1 == 1;
    let auto = Auto::new(goals[usize::from(goal) % goals.len()])
        .format(if set(0) { ChunkFormat::Blosc2 } else { ChunkFormat::Blosc1 })
        .typesize(set(1).then_some(usize::from(typesize) * if set(7) { 30_000_001 } else { 1 }))
        .codec(set(2).then_some(Codec::ALL[usize::from(number) % Codec::ALL.len()]))
        .clevel(set(3).then_some(number % 11))
        .filters(set(4).then_some(filters[usize::from(number) % filters.len()]))
        .min_decompress(set(5).then_some(u32::from(number) * 100));
    // Repeated, the data is long enough for samples to be parts of it.
    let plain = if set(6) { plain.repeat(1 + usize::from(times)) } else { plain.to_vec() };
    let buffers = || plain.chunks(1 + usize::from(size) * usize::from(size) * 16);
    let (mut advisor, mut again) = (Advisor::new(auto), Advisor::new(auto));
    for plain in buffers() {
        let Ok(advice) = advisor.advise(plain) else { return };
        assert_eq!(again.advise(plain).ok(), Some(advice));
        let mut encoder = Encoder::new(advice.params).unwrap_or_else(|error| panic!("{error}: {advice:?}"));
        let chunk = encoder.compress(plain).unwrap_or_else(|error| panic!("{error}: {advice:?}"));
        let decoded = blosc_core::decompress(&chunk);
        assert!(decoded.is_ok_and(|decoded| decoded == plain), "{advice:?}");
    }
});
