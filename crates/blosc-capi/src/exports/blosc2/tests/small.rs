//! Small chunks, for which calls take shorter paths.

use super::super::context::Context;
use super::super::context_chunks::{Destination, decompressed};
use super::*;
use testdata::PlainKind;

/// Decodes without the path for small chunks.
fn decompress_as_any(chunk: &[u8], destsize: usize) -> (i32, Vec<u8>) {
    let mut dst = vec![0xA5; destsize];
    let destination = Destination { dest: dst.as_mut_ptr().cast(), destsize: destsize as i32 };
    let context = Context::for_one_call(1);
    // SAFETY: two buffers with their lengths.
    let decoded = unsafe { decompressed(&context, chunk.as_ptr().cast(), chunk.len() as i32, destination, &[]) };
    (decoded.unwrap_or_else(|code| code), dst)
}

/// Every value of every byte of a header: the same code and the same output.
#[test]
fn both_paths_of_decompression_agree() {
    let plain = testdata::plain(PlainKind::Ramp, 300, 4, 3);
    let written = [
        chunk(Cparams { typesize: 4, ..CPARAMS }, &plain),
        chunk(Cparams { typesize: 4, clevel: 0, ..CPARAMS }, &plain),
        chunk(Cparams { typesize: 4, blocksize: 128, splitmode: 2, ..CPARAMS }, &plain),
        chunk(Cparams { typesize: 4, ..CPARAMS }, &vec![0; 300]),
    ];
    let blosc1 = blosc_core::compress(&plain, &blosc_core::CParams::new().typesize(4)).unwrap();
    let mut decoded = 0;
    for chunk in written.iter().chain([&blosc1]) {
        for (at, value) in (0..32).flat_map(|at| (0..=255).map(move |value| (at, value))) {
            let mut changed = chunk.clone();
            changed[at] = value;
            let expected = decompress_as_any(&changed, 400);
            assert_eq!(decompress(DPARAMS, &changed, 400), expected, "byte {at} is {value}");
            decoded += usize::from(expected.0 > 0);
        }
    }
    assert!(decoded > 1000, "{decoded} chunks decoded");
}

/// A thread keeps an encoder for the next call: contexts that are used in turn have their own parameters.
#[test]
fn contexts_do_not_mix_their_parameters() {
    let plain = testdata::plain(PlainKind::Ramp, 1000, 4, 3);
    let settings =
        [(1, 4), (1, 2), (4, 4), (1, 4)].map(|(compcode, typesize)| Cparams { compcode, typesize, ..CPARAMS });
    let expected = settings.map(|cparams| chunk(cparams, &plain));
    assert!(expected[0] != expected[1] && expected[0] != expected[2] && expected[0] == expected[3]);
    // SAFETY: structures of the header.
    let contexts = settings.map(|cparams| unsafe { blosc2_create_cctx(cparams) });
    for round in 0..8 {
        let of = round % contexts.len();
        let mut dst = vec![0; 1032];
        // SAFETY: two buffers with their lengths.
        let code = unsafe {
            let to = dst.as_mut_ptr().cast();
            blosc2_compress_ctx(contexts[of], plain.as_ptr().cast(), plain.len() as i32, to, dst.len() as i32)
        };
        assert_eq!(dst[..code as usize], expected[of], "context {of}");
    }
    // SAFETY: contexts that are not used any more.
    contexts.into_iter().for_each(|context| unsafe { blosc2_free_ctx(context) });
}

/// C-Blosc2 allows one call at a time. Here one thread has what the context keeps, and the other what the thread keeps.
#[test]
fn threads_may_share_contexts() {
    struct Shared(*mut Context, *mut Context);
    // SAFETY: contexts have no reference to a thread.
    unsafe impl Sync for Shared {}
    let plain = testdata::plain(PlainKind::Ramp, 1000, 4, 3);
    let expected = chunk(Cparams { typesize: 4, ..CPARAMS }, &plain);
    // SAFETY: structures of the header.
    let shared = unsafe { Shared(blosc2_create_cctx(Cparams { typesize: 4, ..CPARAMS }), blosc2_create_dctx(DPARAMS)) };
    let rounds = |Shared(cctx, dctx): &Shared| {
        let (mut chunk, mut decoded) = (vec![0_u8; 1032], vec![0_u8; 1000]);
        for _ in 0..2000 {
            // SAFETY: buffers with their lengths, and contexts that exist.
            let (cbytes, nbytes) = unsafe {
                let cbytes = blosc2_compress_ctx(*cctx, plain.as_ptr().cast(), 1000, chunk.as_mut_ptr().cast(), 1032);
                (cbytes, blosc2_decompress_ctx(*dctx, chunk.as_ptr().cast(), cbytes, decoded.as_mut_ptr().cast(), 1000))
            };
            assert_eq!(chunk[..cbytes as usize], expected);
            assert_eq!((nbytes, &decoded), (1000, &plain));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| rounds(&shared));
        scope.spawn(|| rounds(&shared));
    });
    // SAFETY: contexts that are not used any more.
    unsafe {
        blosc2_free_ctx(shared.0);
        blosc2_free_ctx(shared.1);
    }
}
