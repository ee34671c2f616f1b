//! Codecs, filters, prefilters, postfilters and threads of the program.

use std::ffi::c_int;
use std::ptr::{copy_nonoverlapping, null_mut};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use testdata::PlainKind;

use super::*;

/// Stores each second byte of a stream of equal pairs; else nothing fits.
unsafe extern "C" fn encode(
    input: *const u8,
    len: i32,
    output: *mut u8,
    room: i32,
    meta: u8,
    cparams: *mut Cparams,
    _chunk: *const c_void,
) -> c_int {
    // SAFETY: the library passes buffers with their lengths.
    unsafe {
        let input = std::slice::from_raw_parts(input, len as usize);
        assert_eq!(((*cparams).compcode, (*cparams).blocksize > 0, meta), (201, true, 9));
        match (*cparams).codec_params.is_null() {
            false => -1,
            true if room >= len / 2 && input.chunks(2).all(|pair| pair.len() == 2 && pair[0] == pair[1]) => {
                (0..input.len() / 2).for_each(|at| *output.add(at) = input[2 * at] ^ meta);
                len / 2
            }
            true => 0,
        }
    }
}

unsafe extern "C" fn decode(
    input: *const u8,
    len: i32,
    output: *mut u8,
    room: i32,
    meta: u8,
    _dparams: *mut Dparams,
    _chunk: *const c_void,
) -> c_int {
    // SAFETY: the library passes buffers with their lengths.
    unsafe {
        assert_eq!(2 * len, room);
        (0..room as usize).for_each(|at| *output.add(at) = *input.add(at / 2) ^ meta);
    }
    room
}

/// XORs with the meta byte.
unsafe extern "C" fn forward(from: *const u8, to: *mut u8, len: i32, meta: u8, _: *mut Cparams, id: u8) -> c_int {
    assert_eq!(id, 202);
    for at in 0..len as usize {
        // SAFETY: the library passes buffers with their lengths.
        unsafe { *to.add(at) = *from.add(at) ^ meta };
    }
    0
}

unsafe extern "C" fn backward(from: *const u8, to: *mut u8, len: i32, meta: u8, _: *mut Dparams, id: u8) -> c_int {
    // SAFETY: as above.
    unsafe { if meta == 13 { -42 } else { forward(from, to, len, meta, null_mut(), id) } }
}

#[test]
fn registered_codecs_and_filters_are_called() {
    let codec = CodecRecord {
        compcode: 201,
        compname: c"equal".as_ptr().cast_mut(),
        complib: 201,
        version: 1,
        encoder: Some(encode),
        decoder: Some(decode),
    };
    let name = c"invert".as_ptr().cast_mut();
    let filter = FilterRecord { id: 202, name, version: 1, forward: Some(forward), backward: Some(backward) };
    // SAFETY: valid records with names.
    unsafe {
        assert_eq!(blosc2_register_codec(&CodecRecord { compcode: 159, ..codec }), -8);
        assert_eq!(blosc2_register_codec(&codec), 0);
        assert_eq!(blosc2_register_codec(&CodecRecord { compname: name, ..codec }), -8);
        assert_eq!(blosc2_register_filter(&FilterRecord { id: 100, ..filter }), -1);
        assert_eq!(blosc2_register_filter(&filter), 0);
        assert_eq!(blosc2_compname_to_compcode(c"equal".as_ptr()), 201);
    }
    let plain: Vec<u8> =
        (0..100_000_u64).flat_map(|item| (item / 2).wrapping_mul(0x0101_0101_0101_0101).to_le_bytes()).collect();
    let filters_meta = [77, 0, 0, 0, 0, 0];
    let params = Cparams {
        compcode: 201,
        compcode_meta: 9,
        splitmode: 1,
        filters: [202, 0, 0, 0, 0, 1],
        filters_meta,
        nthreads: 3,
        ..CPARAMS
    };
    let made = chunk(params, &plain);
    assert!(made.len() < plain.len() * 6 / 10, "{}", made.len());
    assert_eq!(decompress(Dparams { nthreads: 3, ..DPARAMS }, &made, plain.len()), (plain.len() as i32, plain.clone()));
    // The codes of functions that fail.
    assert_eq!(compress(Cparams { codec_params: pointer(&0), ..params }, &plain, plain.len() + 32).0, -3);
    let damaged = chunk(Cparams { filters_meta: [13, 0, 0, 0, 0, 0], ..params }, &plain);
    assert_eq!(decompress(DPARAMS, &damaged, plain.len()).0, -42);
}

/// Calls of the prefilter and the postfilter.
#[derive(Default)]
struct Seen {
    blocks: AtomicI32,
    largest_tid: AtomicI32,
    code: c_int,
}

impl Seen {
    fn note(&self, tid: i32) {
        self.blocks.fetch_add(1, Relaxed);
        self.largest_tid.fetch_max(tid, Relaxed);
    }
}

unsafe extern "C" fn prefilter(params: *mut PrefilterParams) -> c_int {
    // SAFETY: the library passes valid parameters.
    unsafe {
        let params = &*params;
        let seen = &*params.user_data.cast::<Seen>();
        seen.note(params.tid);
        assert_eq!((params.nchunk, params.output_typesize), (-1, 4));
        let mut cparams = CPARAMS;
        assert_eq!(blosc2_ctx_get_cparams(params.ctx.cast(), &mut cparams), 0);
        assert_eq!(params.output_offset, params.nblock * cparams.blocksize);
        params.ttmp.write_bytes(1, params.ttmp_nbytes);
        for at in 0..params.output_size as usize {
            *params.output.add(at) = (*params.input.add(at)).wrapping_add(1);
        }
        seen.code
    }
}

unsafe extern "C" fn postfilter(params: *mut PostfilterParams) -> c_int {
    // SAFETY: the library passes valid parameters.
    unsafe {
        let params = &*params;
        let seen = &*params.user_data.cast::<Seen>();
        seen.note(params.tid);
        params.ttmp.write_bytes(2, params.ttmp_nbytes);
        copy_nonoverlapping(params.input, params.output, params.size as usize);
        for at in 0..params.size as usize {
            *params.output.add(at) = (*params.output.add(at)).wrapping_sub(1);
        }
        seen.code
    }
}

#[test]
fn prefilter_and_postfilter_see_every_block() {
    let plain = testdata::plain(PlainKind::Ramp, 1_000_000, 4, 3);
    let (before, after) = (Seen::default(), Seen::default());
    // SAFETY: null pointers and numbers.
    let mut preparams: PrefilterParams = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let mut postparams: PostfilterParams = unsafe { std::mem::zeroed() };
    (preparams.user_data, postparams.user_data) = (pointer(&before), pointer(&after));
    let cparams = Cparams {
        typesize: 4,
        blocksize: 64_000,
        nthreads: 3,
        prefilter: Some(prefilter),
        preparams: &raw mut preparams,
        ..CPARAMS
    };
    let made = chunk(cparams, &plain);
    let blocks = 16;
    assert_eq!(before.blocks.load(Relaxed), blocks);
    assert!(before.largest_tid.load(Relaxed) < 3);
    assert!(
        blosc_core::decompress(&made).unwrap().iter().zip(&plain).all(|(found, byte)| *found == byte.wrapping_add(1))
    );
    let dparams = Dparams { nthreads: 3, postfilter: Some(postfilter), postparams: &raw mut postparams, ..DPARAMS };
    assert!(decompress(dparams, &made, plain.len()) == (plain.len() as i32, plain.clone()));
    assert_eq!(after.blocks.load(Relaxed), blocks);
    assert!(after.largest_tid.load(Relaxed) < 3);
    let failing = Seen { code: 1, ..Seen::default() };
    (preparams.user_data, postparams.user_data) = (pointer(&failing), pointer(&failing));
    assert_eq!(compress(Cparams { preparams: &raw mut preparams, ..cparams }, &plain, plain.len()).0, -18);
    assert_eq!(decompress(Dparams { postparams: &raw mut postparams, ..dparams }, &made, plain.len()).0, -27);
    preparams.output_is_disposable = 1;
    let zeros = chunk(Cparams { preparams: &raw mut preparams, ..cparams }, &plain);
    assert_eq!(zeros.len(), 32);
    // SAFETY: no parameters for the prefilter.
    assert!(unsafe { blosc2_create_cctx(Cparams { preparams: null_mut(), ..cparams }) }.is_null());
}

unsafe extern "C" fn init(config: *mut c_void, context: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: the test passes a number.
    let config = unsafe { &*config.cast::<AtomicI32>() };
    config.fetch_add(1, Relaxed);
    if context.is_null() || config.load(Relaxed) > 1 { -1 } else { 0 }
}

unsafe extern "C" fn next_blocksize(context: *mut c_void) -> c_int {
    let mut cparams = CPARAMS;
    // SAFETY: the library passes a context.
    unsafe { blosc2_ctx_get_cparams(context.cast(), &mut cparams) };
    // SAFETY: the test passes a number.
    unsafe { &*cparams.tuner_params.cast::<AtomicI32>() }.fetch_add(10, Relaxed);
    0
}

#[test]
fn a_tuner_is_called() {
    let tuner = TunerRecord {
        init: Some(init),
        next_blocksize: Some(next_blocksize),
        next_cparams: None,
        update: None,
        free: None,
        id: 203,
        name: c"counter".as_ptr().cast_mut(),
    };
    let calls = AtomicI32::new(0);
    // SAFETY: valid records with names.
    unsafe {
        assert_eq!(blosc2_register_tuner(&TunerRecord { id: 3, ..tuner }), -1);
        assert_eq!(blosc2_register_tuner(&tuner), 0);
    }
    let params = Cparams { tuner_id: 203, tuner_params: pointer(&calls), ..CPARAMS };
    chunk(params, &[7; 1000]);
    assert_eq!(calls.load(Relaxed), 11);
    // SAFETY: parameters with a number.
    assert!(unsafe { blosc2_create_cctx(params) }.is_null());
}

/// Runs every job but the first on this thread, and counts.
unsafe extern "C" fn run_jobs(
    data: *mut c_void,
    dojob: unsafe extern "C" fn(*mut c_void),
    count: c_int,
    size: usize,
    jobs: *mut c_void,
) {
    for job in 1..count as usize {
        // SAFETY: the library passes `count` jobs of this size.
        unsafe { dojob(jobs.cast::<u8>().add(job * size).cast()) };
    }
    // SAFETY: the test passes a number.
    unsafe { &*data.cast::<AtomicI32>() }.fetch_add(count, Relaxed);
}

#[test]
fn threads_of_the_program_run_jobs() {
    let plain = testdata::plain(PlainKind::Ramp, 1_000_000, 4, 3);
    static JOBS: AtomicI32 = AtomicI32::new(0);
    // SAFETY: the callback lasts as long as the process.
    unsafe { blosc2_set_threads_callback(Some(run_jobs), pointer(&JOBS)) };
    let made = chunk(Cparams { typesize: 4, nthreads: 4, ..CPARAMS }, &plain);
    assert!(decompress(Dparams { nthreads: 4, ..DPARAMS }, &made, plain.len()).1 == plain);
    // SAFETY: as above.
    unsafe { blosc2_set_threads_callback(None, null_mut()) };
    assert!(JOBS.load(Relaxed) >= 8);
}
