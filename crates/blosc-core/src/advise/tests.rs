//! Choices for data of known kinds, and parameters out of range.

use super::goal::ln;
use super::{Advisor, Auto, Goal};
use crate::cancel::Cancel;
use crate::codec::Codec;
use crate::error::EncodeError;
use crate::filter::{Filter, FilterPipeline};
use crate::format::ChunkFormat;
use crate::params::CParams;
use crate::{compress, decompress};
use testdata::{PlainKind, SplitMix64};

/// A search ends at its next trial. The parameters in force and later searches are not affected.
#[test]
fn searches_are_cancelled() {
    let (plain, other) = (walk(4, 300, 50_000), testdata::text(300_000, 3));
    let expected = [&plain, &other].map(|buffer| Auto::new(Goal::Small).params(buffer).unwrap());
    let cancel = Cancel::new();
    let mut advisor = Advisor::new(Auto::new(Goal::Small)).cancel(cancel.clone());
    cancel.cancel();
    assert_eq!(advisor.advise(&plain), Err(EncodeError::Cancelled));
    advisor.set_cancel(Cancel::new());
    assert_eq!(advisor.advise(&plain).unwrap().params, expected[0]);
    advisor.set_cancel(cancel);
    assert!(!advisor.advise(&plain).unwrap().is_searched);
    assert_eq!(advisor.advise(&other), Err(EncodeError::Cancelled));
    assert_eq!(advisor.cancel(Cancel::new()).advise(&other).unwrap().params, expected[1]);
}

const GOALS: [Goal; 5] = [Goal::Fast, Goal::Balanced, Goal::Small, Goal::Speed(800), Goal::Ratio(3.0)];

/// Records of a counter, a small number, and a byte that is mostly the same.
#[cfg(feature = "zstd")]
fn records(len: usize, count: u32) -> Vec<u8> {
    let mut rng = SplitMix64::new(5);
    let record = |number: u32| {
        let mut record = vec![0x20; len];
        record[..4].copy_from_slice(&number.to_le_bytes());
        record[4..6].copy_from_slice(&(rng.below(900) as u16).to_le_bytes());
        record
    };
    (0..count).flat_map(record).collect()
}

/// A walk in steps of up to `step`, as little-endian integers of `size` bytes.
fn walk(size: usize, step: u64, count: usize) -> Vec<u8> {
    let (mut rng, mut at) = (SplitMix64::new(7), 1 << 40);
    let values = std::iter::repeat_with(|| {
        at += rng.below(step as usize) as u64;
        at
    });
    values.take(count).flat_map(|value| value.to_le_bytes()[..size].to_vec()).collect()
}

fn chosen(auto: Auto, plain: &[u8]) -> CParams {
    let params = auto.params(plain).unwrap();
    assert_eq!(decompress(&compress(plain, &params).unwrap()).unwrap(), plain);
    params
}

#[cfg(feature = "zstd")]
#[test]
fn the_size_of_an_element_is_detected() {
    let half = |at: u32| ((12_000 + at % 1900 + at / 3 % 7) as u16).to_le_bytes();
    let halves: Vec<u8> = (0..90_000).flat_map(half).collect();
    let doubles = testdata::linspace_f64(0.0, 100.0, 40_000);
    let numbers = [(2, halves), (4, walk(4, 300, 50_000)), (8, walk(8, 2000, 50_000)), (8, doubles)];
    let rows = [12, 16, 22, 24, 100, 255].map(|len| (len, records(len, 3000)));
    let digits = (5, (0..60_000).flat_map(|id| format!("{id:05}").into_bytes()).collect());
    let lines = (6, (0..60_000).flat_map(|id| format!("{id:05}\n").into_bytes()).collect());
    for (typesize, plain) in numbers.into_iter().chain(rows).chain([digits, lines]) {
        assert_eq!(chosen(Auto::new(Goal::Balanced), &plain).get_typesize(), typesize);
    }
    assert_eq!(chosen(Auto::new(Goal::Balanced), &testdata::text(300_000, 3)).get_typesize(), 1);
}

#[cfg(feature = "zstd")]
#[test]
fn small_tries_other_filters_and_splitting_with_the_optimal_parser() {
    let plain = walk(4, 300, 100_000);
    let tried = |goal, zstd_level| {
        let mut advisor = Advisor::new(Auto::new(goal).typesize(4));
        advisor.advise(&plain).unwrap();
        let of_level = advisor.tried().iter().filter(|tried| tried.params.zstd_level == Some(zstd_level));
        let filtered = of_level.filter(|tried| !tried.params.filters.as_slice().is_empty());
        filtered.map(|tried| (tried.params.filters, tried.params.split)).collect::<Vec<_>>()
    };
    let small = tried(Goal::Small, 19);
    let (filters, split) = small[0];
    assert!(small.iter().any(|other| other.0 != filters), "{small:?}");
    assert!(small.iter().any(|other| other.0 == filters && other.1 != split), "{small:?}");
    assert_eq!(tried(Goal::Balanced, 3).len(), 1, "slow levels are for the best arrangement");
}

/// C-Blosc 1 takes shorter streams for a block that is not split. The parameters stay for shorter chunks that follow.
#[test]
fn streams_of_blosc1_chunks_are_long_enough_for_c_blosc() {
    let plain: Vec<u8> = (0..8_000_u64).flat_map(|n| (1_700_000_000 + n * n * 1_003).to_le_bytes()).collect();
    let mut split = 0;
    for len in (200..2_400).step_by(40).chain([plain.len()]) {
        for goal in GOALS {
            let params = Auto::new(goal).params(&plain[..len]).unwrap();
            for part in [&plain[..len], &plain[..len / 3], &plain[..len / 9]] {
                let chunk = compress(part, &params).unwrap();
                let header = crate::Header::parse(&chunk).unwrap();
                let stream = header.blocksize() / header.typesize();
                assert!(!header.is_split() || stream >= 128, "{goal}, {} of {len} bytes: {stream}", part.len());
                split += u32::from(header.is_split());
            }
        }
    }
    assert!(split > 0);
}

/// Blocks of Blosc1 chunks that are no whole groups of eight elements are not bitshuffled, so there must be no long ones.
#[test]
#[cfg(feature = "zstd")]
fn bitshuffle_reaches_nearly_all_of_a_blosc1_chunk() {
    for (size, count) in [(4, 2_500), (4, 7_501), (4, 123_457), (7, 150_001), (9, 110_000), (10, 100_001), (3, 700_003)]
    {
        let mut rng = SplitMix64::new(3);
        let number = |_| (rng.below(200) as u64).wrapping_sub(100).to_le_bytes();
        let plain: Vec<u8> =
            (0..count).map(number).flat_map(|bytes| bytes[..size.min(8)].repeat(2)[..size].to_vec()).collect();
        for goal in [Goal::Fast, Goal::Balanced] {
            let auto = Auto::new(goal).typesize(size).filters(FilterPipeline::bitshuffle());
            let cbytes = |auto: Auto| compress(&plain, &chosen(auto, &plain)).unwrap().len();
            let (blosc1, blosc2) = (cbytes(auto), cbytes(auto.format(ChunkFormat::Blosc2)));
            assert!(blosc1 * 10 < blosc2 * 11 + 1000, "{goal:?} {size} * {count}: {blosc1}, in Blosc2 {blosc2}");
        }
    }
}

#[cfg(feature = "zstd")]
#[test]
fn text_is_not_filtered_and_numbers_are() {
    for goal in [Goal::Fast, Goal::Balanced, Goal::Small] {
        for format in [ChunkFormat::Blosc1, ChunkFormat::Blosc2] {
            let auto = Auto::new(goal).format(format);
            assert_eq!(chosen(auto, &testdata::text(300_000, 3)).get_filters(), FilterPipeline::none(), "{goal}");
            assert_ne!(chosen(auto, &walk(8, 2000, 50_000)).get_filters(), FilterPipeline::none(), "{goal}");
        }
    }
}

/// Results are not larger than with Zstandard's level 3 or LZ4 alone.
#[cfg(feature = "zstd")]
#[test]
fn results_are_as_small_as_without_a_filter() {
    let text = testdata::text(1 << 20, 3);
    let kinds = [
        text.clone(),
        walk(4, 3000, 200_000),
        testdata::noise(300_000, 3),
        [&text[..600_000], &walk(8, 9, 60_000)].concat(),
    ];
    for plain in kinds {
        for (goal, codec, level) in [(Goal::Fast, Codec::Lz4, None), (Goal::Balanced, Codec::Zstd, Some(3))] {
            let alone = CParams::new().codec(codec).clevel(9).zstd_level(level).filters(FilterPipeline::none());
            let (alone, found) = (
                compress(&plain, &alone).unwrap().len(),
                compress(&plain, &chosen(Auto::new(goal), &plain)).unwrap().len(),
            );
            assert!(found <= alone + alone / 50, "{goal}: {found} instead of {alone}");
        }
    }
}

#[cfg(feature = "zstd")]
#[test]
fn bounds_are_kept() {
    let plain = walk(8, 2000, 100_000);
    let tried = |auto: Auto| {
        let mut advisor = Advisor::new(auto);
        let params = advisor.advise(&plain).unwrap().params;
        *advisor.tried().iter().find(|candidate| candidate.params == params).unwrap()
    };
    let fast = tried(Auto::new(Goal::Speed(2500)));
    let slow = tried(Auto::new(Goal::Speed(20)));
    assert!(fast.compress >= 2500.0 && slow.compress >= 20.0 && slow.ratio > fast.ratio);
    let wanted = (fast.ratio + slow.ratio) / 2.0;
    let enough = tried(Auto::new(Goal::Ratio(wanted)));
    assert!(enough.ratio >= wanted && enough.compress >= slow.compress);
    let quick = tried(Auto::new(Goal::Small).min_decompress(6000));
    assert!(quick.decompress >= 6000.0);
    // Nothing reaches this.
    let quickest = tried(Auto::new(Goal::Small).min_decompress(1_000_000));
    assert!(quickest.decompress >= quick.decompress);
}

#[test]
fn fixed_parameters_are_kept() {
    let plain = walk(8, 2000, 20_000);
    let delta = FilterPipeline::from([Filter::Delta, Filter::Shuffle]);
    for codec in Codec::ALL.into_iter().filter(|codec| codec.is_available() && *codec != Codec::Snappy) {
        let auto =
            Auto::new(Goal::Balanced).format(ChunkFormat::Blosc2).codec(codec).clevel(4).filters(delta).typesize(8);
        let params = chosen(auto, &plain);
        let found = (params.get_codec(), params.get_clevel(), params.get_filters(), params.get_typesize());
        assert_eq!(found, (codec, 4, delta, 8));
        assert_eq!(params.get_zstd_level(), None);
    }
}

#[test]
fn parameters_out_of_range_are_errors() {
    let refuses = |auto: Auto| auto.params(&[1; 1000]).unwrap_err();
    let auto = Auto::new(Goal::Fast);
    assert_eq!(refuses(auto.clevel(10)), EncodeError::Clevel { found: 10 });
    assert_eq!(refuses(auto.typesize(0)), EncodeError::Typesize);
    assert!(matches!(refuses(auto.codec(Codec::Plugin { id: 200, meta: 0 })), EncodeError::Codec { .. }));
    assert!(matches!(refuses(auto.filters(FilterPipeline::from([Filter::Delta]))), EncodeError::Filter { .. }));
    assert!(matches!(refuses(auto.codec(Codec::Snappy).format(ChunkFormat::Blosc2)), _));
    #[cfg(not(feature = "zlib"))]
    assert!(matches!(refuses(auto.codec(Codec::Zlib)), EncodeError::CodecUnavailable { .. }));
}

#[test]
fn any_size_is_accepted() {
    for goal in GOALS {
        for format in [ChunkFormat::Blosc1, ChunkFormat::Blosc2] {
            for typesize in [None, Some(1), Some(7), Some(255), Some(256), Some(usize::MAX / 16)] {
                for len in (0..40).chain([127, 128, 129, 255, 256, 257, 1000, 2047, 2048, 5000]) {
                    let auto = Auto::new(goal).format(format).typesize(typesize);
                    chosen(auto, &testdata::plain(PlainKind::Steps, len, 4, len as u64));
                }
            }
        }
    }
}

#[test]
fn the_choice_depends_on_the_buffers_alone() {
    let buffers = [testdata::text(300_000, 3), walk(8, 2000, 40_000), testdata::noise(300_000, 1), walk(4, 9, 80_000)];
    let run = || {
        let mut advisor = Advisor::new(Auto::new(Goal::Balanced));
        buffers.iter().cycle().take(40).map(|plain| advisor.advise(plain).unwrap()).collect::<Vec<_>>()
    };
    let first = run();
    assert_eq!(first, run());
    // Where the data changes all the time, known parameters are used again.
    for (number, advice) in first.iter().enumerate().skip(8) {
        assert_eq!(advice.params, first[number - 4].params, "buffer {number}");
    }
}

#[test]
fn like_data_is_searched_once() {
    let plain = walk(8, 2000, 1 << 20);
    let mut advisor = Advisor::new(Auto::new(Goal::Balanced));
    let searched = plain.chunks(1 << 17).filter(|plain| advisor.advise(plain).unwrap().is_searched);
    assert_eq!(searched.count(), 1);
}

/// Where credit is missing, the best of earlier searches serves until there is credit.
#[test]
fn a_choice_without_credit_is_made_again() {
    let kinds = [testdata::text(2 << 20, 3), walk(4, 300, 1 << 19), testdata::noise(2 << 20, 1)];
    let last = walk(8, 2000, 1 << 18);
    let mut advisor = Advisor::new(Auto::new(Goal::Fast));
    for plain in &kinds {
        advisor.advise(plain).unwrap();
    }
    let typesizes: Vec<usize> = (0..4).map(|_| advisor.advise(&last).unwrap().params.get_typesize()).collect();
    assert!(typesizes[0] != 8 && typesizes[3] == 8, "{typesizes:?}");
}

/// Bytes that are not shown pay for searches, and count for the next look.
#[test]
fn skipped_bytes_are_counted() {
    let (first, second) = (walk(4, 300, 1 << 14), walk(8, 2000, 1 << 13));
    for (skipped, typesize) in [(0, 4), (1 << 20, 8)] {
        let mut advisor = Advisor::new(Auto::new(Goal::Balanced));
        advisor.advise(&first).unwrap();
        advisor.skip(skipped);
        assert_eq!(advisor.advise(&second).unwrap().params.get_typesize(), typesize);
    }
}

/// A fixed filter may need elements of some size, or the shape of a block, which a sample does not have.
#[test]
fn filters_that_not_all_elements_can_have_are_tried_where_they_can() {
    let floats = testdata::linspace_f64(0.0, 1e6, 50_000);
    let plain: Vec<u8> =
        floats.as_chunks().0.iter().flat_map(|number| (f64::from_le_bytes(*number) as f32).to_le_bytes()).collect();
    let auto = |filters| Auto::new(Goal::Balanced).format(ChunkFormat::Blosc2).filters(filters);
    let truncated = FilterPipeline::from([Filter::TruncPrec(10), Filter::Shuffle]);
    let params = auto(truncated).params(&plain).unwrap();
    assert_eq!((params.get_filters(), params.get_typesize()), (truncated, 4));
    assert!(matches!(auto(truncated).typesize(3).params(&plain), Err(EncodeError::Filter { .. })));
    let cells = FilterPipeline::from(Filter::NdCell(4));
    assert_eq!(auto(cells).typesize(4).params(&plain).unwrap().get_filters(), cells);
}

/// Only the goal for the smallest size tries the slow levels of a fixed codec.
#[cfg(feature = "zstd")]
#[test]
fn a_fixed_codec_is_tried_at_the_levels_of_the_goal() {
    let plain = walk(4, 300, 60_000);
    let slowest = |goal| {
        let mut advisor = Advisor::new(Auto::new(goal).codec(Codec::Zstd));
        advisor.advise(&plain).unwrap();
        assert!(advisor.tried().iter().all(|candidate| candidate.params.get_codec() == Codec::Zstd));
        advisor.tried().iter().filter_map(|candidate| candidate.params.get_zstd_level()).max()
    };
    assert_eq!([Goal::Fast, Goal::Balanced].map(slowest), [Some(9); 2]);
    assert!(slowest(Goal::Small) > Some(9));
    // Codecs that no goal tries by itself have all their levels.
    let mut advisor = Advisor::new(Auto::new(Goal::Balanced).codec(Codec::Lz4Hc));
    advisor.advise(&plain).unwrap();
    let levels = advisor.tried().iter().map(|candidate| candidate.params.get_clevel());
    assert_eq!(levels.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>(), [1, 5, 9]);
}

/// Elements of more than 255 bytes count as bytes, which shuffle does not change.
#[test]
fn wide_elements_are_not_shuffled() {
    let plain: Vec<u8> = (0..1000_u32).flat_map(|row| [&row.to_le_bytes()[..], &[b'x'; 296]].concat()).collect();
    for goal in GOALS {
        assert_ne!(chosen(Auto::new(goal).typesize(300), &plain).get_filters(), FilterPipeline::shuffle());
    }
}

/// Parameters are reported as they were compared, whatever the length of the buffer.
#[test]
fn the_choice_is_one_of_the_candidates() {
    let plain = walk(8, 2000, 200_001);
    let auto = Auto::new(Goal::Balanced).filters(FilterPipeline::bitshuffle()).typesize(8);
    let mut advisor = Advisor::new(auto);
    let advice = [&plain[..], &plain[..1_000_000]].map(|plain| advisor.advise(plain).unwrap());
    assert!(advisor.tried().iter().any(|candidate| candidate.params == advice[0].chosen));
    assert!(advice[0].params != advice[1].params && advice[0].chosen == advice[1].chosen, "{advice:?}");
}

#[test]
fn logarithms_are_close_to_those_of_the_platform() {
    for number in [1e-300, 1e-6, 0.1, 0.999, 1.0, 1.5, 2.0, 3.999, 4.0, 12_345.0, 1e300] {
        assert!((ln(number) - f64::ln(number)).abs() < 1e-5, "{number}");
    }
}

#[test]
fn goals_have_names() {
    for goal in Goal::NAMED {
        assert_eq!(goal.to_string().parse(), Ok(goal));
    }
    assert!("best".parse::<Goal>().is_err());
}
