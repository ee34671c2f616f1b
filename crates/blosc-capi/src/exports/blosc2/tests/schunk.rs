//! Super-chunks: as lists, and in frames in memory and on disk.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::ptr::null_mut;

use testdata::SplitMix64;

use super::*;

const ITEMS: usize = 1000;

/// Returns the items of a chunk.
fn items(seed: i32) -> Vec<i32> {
    (0..ITEMS as i32).map(|index| index * 3 + seed * 1_000_003).collect()
}

fn storage(contiguous: bool, path: *mut c_char, cparams: &mut Cparams) -> Storage {
    *cparams = Cparams { typesize: 4, compcode: 1, ..CPARAMS };
    Storage { contiguous: contiguous.into(), urlpath: path, cparams, dparams: null_mut(), io: null_mut() }
}

/// Calls `work` with a new super-chunk of each storage, the path of its frame and a folder.
fn with_each(work: impl Fn(*mut Schunk, Option<&CString>, &Path)) {
    for (contiguous, is_file) in [(false, false), (true, false), (true, true), (false, true)] {
        let folder = tempfile::tempdir().unwrap();
        let path = CString::new(folder.path().join("frame").to_str().unwrap()).unwrap();
        let path = is_file.then_some(path);
        let mut cparams = CPARAMS;
        let urlpath = path.as_ref().map_or(null_mut(), |path| path.as_ptr().cast_mut());
        // SAFETY: valid parameters, which are copied.
        let schunk = unsafe { blosc2_schunk_new(&mut storage(contiguous, urlpath, &mut cparams)) };
        assert!(!schunk.is_null());
        work(schunk, path.as_ref(), folder.path());
        // SAFETY: created above.
        assert_eq!(unsafe { blosc2_schunk_free(schunk) }, 0);
    }
}

fn append(schunk: *mut Schunk, items: &[i32]) -> i64 {
    // SAFETY: a super-chunk and an input with its length.
    unsafe { blosc2_schunk_append_buffer(schunk, items.as_ptr().cast(), size_of_val(items) as i32) }
}

/// Returns the items of all chunks.
fn all(schunk: *mut Schunk) -> Vec<Vec<i32>> {
    // SAFETY: a super-chunk.
    let count = unsafe { (*schunk).nchunks };
    let chunk = |number| {
        let mut found = vec![0_i32; ITEMS];
        // SAFETY: an output with its length.
        let nbytes = unsafe {
            blosc2_schunk_decompress_chunk(schunk, number, found.as_mut_ptr().cast(), size_of_val(&found[..]) as i32)
        };
        assert!(nbytes >= 0, "{nbytes}");
        found.truncate(nbytes as usize / 4);
        found
    };
    (0..count).map(chunk).collect()
}

/// Checks chunks and the fields that programs read.
fn expect(schunk: *mut Schunk, expected: &[Vec<i32>]) {
    // SAFETY: a super-chunk.
    let public = unsafe { &*schunk };
    let nbytes: usize = expected.iter().map(|items| size_of_val(items.as_slice())).sum();
    assert_eq!((public.nchunks, public.nbytes), (expected.len() as i64, nbytes as i64));
    assert!(all(schunk) == expected);
}

#[test]
fn chunks_change_in_each_storage() {
    with_each(|schunk, path, _| {
        let mut expected: Vec<_> = (0..5).map(items).collect();
        for (index, items) in expected.iter().enumerate() {
            assert_eq!(append(schunk, items), index as i64 + 1);
        }
        expect(schunk, &expected);
        let new = items(77);
        let bytes: Vec<u8> = new.iter().flat_map(|item| item.to_le_bytes()).collect();
        let mut chunk = chunk(Cparams { typesize: 4, ..CPARAMS }, &bytes);
        // SAFETY: a chunk that is copied.
        unsafe {
            assert_eq!(blosc2_schunk_insert_chunk(schunk, 1, chunk.as_mut_ptr(), 1), 6);
            assert_eq!(blosc2_schunk_update_chunk(schunk, 4, chunk.as_mut_ptr(), 1), 6);
            assert_eq!(blosc2_schunk_delete_chunk(schunk, 0), 5);
            assert_eq!(blosc2_schunk_delete_chunk(schunk, 5), -12);
            assert_eq!(blosc2_schunk_insert_chunk(schunk, -1, chunk.as_mut_ptr(), 1), -12);
        }
        expected.insert(1, new.clone());
        expected[4] = new;
        expected.remove(0);
        expect(schunk, &expected);
        let order = [4_i64, 3, 2, 0, 1];
        // SAFETY: a number for each chunk.
        unsafe {
            assert_eq!(blosc2_schunk_reorder_offsets(schunk, order.as_ptr().cast_mut()), 0);
            assert_eq!(blosc2_schunk_reorder_offsets(schunk, [0_i64, 1, 2, 3, 3].as_ptr().cast_mut()), -3);
        }
        expected = order.iter().map(|number| expected[*number as usize].clone()).collect();
        expect(schunk, &expected);
        if let Some(path) = path {
            // SAFETY: a path.
            unsafe {
                let again = blosc2_schunk_open(path.as_ptr());
                expect(again, &expected);
                blosc2_schunk_free(again);
            }
        }
        // Another handle of the frame reads the bytes.
        let (mut frame, mut needs_free) = (null_mut(), 0);
        // SAFETY: pointers to variables; the bytes stay valid.
        unsafe {
            let len = blosc2_schunk_to_buffer(schunk, &mut frame, &mut needs_free);
            for copy in [0, 1] {
                let again = blosc2_schunk_from_buffer(frame, len, copy);
                expect(again, &expected);
                blosc2_schunk_free(again);
            }
            assert!(blosc2_schunk_from_buffer(frame, len - 1, 1).is_null());
            if needs_free != 0 {
                libc::free(frame.cast());
            }
        }
    });
}

/// python-blosc2 sets the field after the super-chunk was created.
#[test]
fn the_size_of_chunks_is_the_one_that_the_program_sets() {
    with_each(|schunk, path, _| {
        let size = 4 * ITEMS as i32;
        // SAFETY: a super-chunk, a name and a path.
        unsafe {
            (*schunk).chunksize = size;
            assert_eq!(blosc2_vlmeta_add(schunk, c"name".as_ptr(), b"x".as_ptr().cast_mut(), 1, null_mut()), 0);
            assert_eq!((*schunk).chunksize, size);
            if let Some(path) = path {
                let other = blosc2_schunk_open(path.as_ptr());
                assert_eq!((*other).chunksize, size);
                blosc2_schunk_free(other);
            }
            assert_eq!(append(schunk, &items(1)[..10]), 1);
            assert_eq!((*schunk).chunksize, size);
            let again = match path {
                Some(path) => blosc2_schunk_open(path.as_ptr()),
                None => blosc2_schunk_copy(schunk, null_mut()),
            };
            assert_eq!((*again).chunksize, size);
            expect(again, &[items(1)[..10].to_vec()]);
            blosc2_schunk_free(again);
        }
    });
}

/// python-blosc2 truncates the file and then writes the metalayers of the open super-chunk into it.
#[test]
fn metalayers_outlive_their_file() {
    with_each(|schunk, path, _| {
        let Some(path) = path.filter(|path| Path::new(path.to_str().unwrap()).is_file()) else { return };
        // SAFETY: a super-chunk, names, paths and pointers to variables.
        unsafe {
            assert_eq!(blosc2_vlmeta_add(schunk, c"name".as_ptr(), b"x".as_ptr().cast_mut(), 1, null_mut()), 0);
            std::fs::write(path.to_str().unwrap(), b"").unwrap();
            assert_eq!(blosc2_vlmeta_exists(schunk, c"name".as_ptr()), 0);
            let (mut frame, mut needs_free) = (null_mut(), 0);
            let len = blosc2_schunk_to_buffer(schunk, &mut frame, &mut needs_free);
            assert!(len > 0 && needs_free == 1, "{len}");
            let again = blosc2_schunk_from_buffer(frame, len, 1);
            assert_eq!(blosc2_vlmeta_exists(again, c"name".as_ptr()), 0);
            blosc2_schunk_free(again);
            libc::free(frame.cast());
            // A change needs the file.
            assert!(append(schunk, &items(0)) < 0);
        }
    });
}

/// python-blosc2 reads the chunks of a list by the pointers.
#[test]
fn copies_of_frames_have_their_chunks_in_memory() {
    with_each(|schunk, _, _| {
        let (mut frame, mut needs_free) = (null_mut(), 0);
        // SAFETY: a super-chunk, pointers to variables, and chunks with their headers.
        unsafe {
            assert_eq!(blosc2_schunk_fill_special(schunk, 3000, 1, 4 * ITEMS as i32), 3);
            append(schunk, &items(1));
            let len = blosc2_schunk_to_buffer(schunk, &mut frame, &mut needs_free);
            let copy = blosc2_schunk_from_buffer(frame, len, 1);
            assert!((*copy).frame.is_null() && !(*copy).data.is_null());
            let (mut nbytes, mut cbytes, mut total) = (0, 0, 0);
            for at in 0..4 {
                let chunk = (*(*copy).data.add(at)).cast();
                assert_eq!(blosc2_cbuffer_sizes(chunk, &mut nbytes, &mut cbytes, null_mut()), 0);
                assert_eq!((nbytes, cbytes == 32), (4000, at < 3), "{at}");
                total += i64::from(cbytes);
            }
            assert_eq!((*copy).cbytes, total);
            assert_eq!(append(copy, &items(2)), 5);
            assert_eq!(all(copy)[3..], [items(1), items(2)]);
            blosc2_schunk_free(copy);
            if needs_free != 0 {
                libc::free(frame.cast());
            }
        }
    });
}

/// C-Blosc2 opens such frames, and fails when the chunk is decoded. It refuses a wrong `nbytes` in a copy.
#[test]
fn frames_with_a_damaged_chunk_have_the_others() {
    with_each(|schunk, _, _| {
        append(schunk, &items(1));
        append(schunk, &items(2));
        // SAFETY: a super-chunk, frames with their lengths, and outputs of the size of a chunk.
        unsafe {
            let (mut frame, mut needs_free) = (null_mut(), 0);
            let len = blosc2_schunk_to_buffer(schunk, &mut frame, &mut needs_free);
            let (mut chunk, mut of_chunk) = (null_mut(), 0);
            let cbytes = blosc2_schunk_get_chunk(schunk, 0, &mut chunk, &mut of_chunk);
            let frame_bytes = std::slice::from_raw_parts(frame, len as usize);
            let first = std::slice::from_raw_parts(chunk, cbytes as usize);
            let at = frame_bytes.windows(first.len()).position(|bytes| bytes == first).unwrap();
            // Both bytes of flags, and then nbytes.
            for (byte, value, copies) in [(2, 0xFF, true), (31, 0xFF, true), (4, 1, false)] {
                let mut damaged = frame_bytes.to_vec();
                damaged[at + byte] = value;
                for copy in [0, 1] {
                    let again = blosc2_schunk_from_buffer(damaged.as_mut_ptr(), len, copy);
                    assert_eq!(again.is_null(), copy == 1 && !copies, "byte {byte}, copy {copy}");
                    if again.is_null() {
                        continue;
                    }
                    let mut out = vec![0_i32; ITEMS];
                    let nbytes = 4 * ITEMS as i32;
                    assert!(blosc2_schunk_decompress_chunk(again, 0, out.as_mut_ptr().cast(), nbytes) < 0, "{byte}");
                    assert_eq!(blosc2_schunk_decompress_chunk(again, 1, out.as_mut_ptr().cast(), nbytes), nbytes);
                    assert_eq!(out, items(2));
                    blosc2_schunk_free(again);
                }
            }
            for (pointer, needs_free) in [(frame, needs_free), (chunk, of_chunk)] {
                if needs_free != 0 {
                    libc::free(pointer.cast());
                }
            }
        }
    });
}

#[test]
fn metalayers_are_in_the_frame() {
    with_each(|schunk, path, _| {
        let mut content = *b"first";
        let (name, other) = (c"name".as_ptr(), c"other".as_ptr());
        let long: Vec<u8> = (0..5000_u32).map(|index| (index % 7) as u8).collect();
        // SAFETY: names and contents with their lengths.
        unsafe {
            assert_eq!(blosc2_meta_add(schunk, name, content.as_mut_ptr(), 5), 0);
            assert_eq!(blosc2_meta_add(schunk, name, content.as_mut_ptr(), 5), -12);
            assert_eq!(blosc2_meta_update(schunk, name, b"FI".as_ptr().cast_mut(), 2), 0);
            assert_eq!(blosc2_vlmeta_add(schunk, name, content.as_mut_ptr(), 5, null_mut()), 0);
            assert_eq!(blosc2_vlmeta_add(schunk, other, content.as_mut_ptr(), 5, null_mut()), 1);
            append(schunk, &items(1));
            assert_eq!(blosc2_vlmeta_update(schunk, other, long.as_ptr().cast_mut(), 5000, null_mut()), 1);
            assert_eq!(blosc2_vlmeta_delete(schunk, name), 1);
            assert_eq!(blosc2_vlmeta_delete(schunk, name), -16);
        }
        let check = |schunk: *mut Schunk| {
            let (mut found, mut len) = (null_mut(), 0);
            // SAFETY: a super-chunk; pointers to variables.
            unsafe {
                let layer = &*(*schunk).metalayers[0];
                let fixed = std::slice::from_raw_parts(layer.content, layer.content_len as usize);
                assert_eq!(((*schunk).nmetalayers, fixed), (1, b"FIrst".as_slice()));
                assert_eq!(blosc2_vlmeta_get(schunk, other, &mut found, &mut len), 0);
                assert!(std::slice::from_raw_parts(found, len as usize) == long);
                libc::free(found.cast());
                assert_eq!((*schunk).nvlmetalayers, 1);
            }
        };
        check(schunk);
        // SAFETY: a super-chunk and a path.
        unsafe {
            let again = match path {
                Some(path) => blosc2_schunk_open(path.as_ptr()),
                None => blosc2_schunk_copy(schunk, null_mut()),
            };
            check(again);
            expect(again, &[items(1)]);
            blosc2_schunk_free(again);
        }
    });
}

#[test]
fn slices_cross_chunks() {
    with_each(|schunk, _, _| {
        let mut expected: Vec<i32> = (0..4).flat_map(items).collect();
        expected.truncate(3 * ITEMS + 100);
        expected.chunks(ITEMS).for_each(|items| assert!(append(schunk, items) > 0));
        let new: Vec<i32> = (0..2200).collect();
        let mut found = vec![0_i32; 2500];
        // SAFETY: buffers with the items.
        unsafe {
            assert_eq!(blosc2_schunk_set_slice_buffer(schunk, 900, 3100, new.as_ptr().cast_mut().cast()), 0);
            assert_eq!(blosc2_schunk_get_slice_buffer(schunk, 600, 3100, found.as_mut_ptr().cast()), 0);
            assert_eq!(blosc2_schunk_get_slice_buffer(schunk, 600, 3101, found.as_mut_ptr().cast()), -12);
        }
        expected[900..3100].copy_from_slice(&new);
        assert!(found == expected[600..3100]);
        let coords = [3099_i64, 0, 1500, 1500, 999];
        // SAFETY: numbers and room for their items.
        let code = unsafe { blosc2_schunk_get_sparse_buffer(schunk, 5, coords.as_ptr(), found.as_mut_ptr().cast()) };
        assert_eq!(code, 0);
        assert!(coords.iter().zip(&found).all(|(number, item)| expected[*number as usize] == *item));
    });
}

#[test]
fn special_values_fill_each_storage() {
    with_each(|schunk, path, _| {
        let is_frame = path.is_some();
        // SAFETY: a super-chunk.
        unsafe {
            assert_eq!(blosc2_schunk_fill_special(schunk, 2500, 1, 4000), 3);
            assert_eq!(blosc2_schunk_fill_special(schunk, 2500, 1, 4000), -28);
            assert_eq!(((*schunk).nbytes, (*schunk).chunksize), (10_000, 4000));
            assert!(!is_frame || (*schunk).cbytes == 0);
        }
        expect(schunk, &[vec![0; 1000], vec![0; 1000], vec![0; 500]]);
    });
}

/// Frames with changed bytes are refused, or their chunks are decoded or refused.
#[test]
fn damaged_frames_are_errors() {
    let mut cparams = CPARAMS;
    let mut rng = SplitMix64::new(31);
    // SAFETY: valid parameters; a super-chunk and the bytes of its frame.
    let frame = unsafe {
        let schunk = blosc2_schunk_new(&mut storage(true, null_mut(), &mut cparams));
        assert_eq!(blosc2_vlmeta_add(schunk, c"name".as_ptr(), b"text".as_ptr().cast_mut(), 4, null_mut()), 0);
        (0..3).for_each(|seed| assert!(append(schunk, &items(seed)) > 0));
        let (mut frame, mut needs_free) = (null_mut(), 0);
        let len = blosc2_schunk_to_buffer(schunk, &mut frame, &mut needs_free);
        let copy = std::slice::from_raw_parts(frame, len as usize).to_vec();
        blosc2_schunk_free(schunk);
        copy
    };
    let (mut refused, mut opened) = (0, 0);
    for at in 0..frame.len() {
        let mut changed = frame.clone();
        changed[at] ^= 1 << rng.below(8);
        let mut dst = vec![0_i32; 2 * ITEMS];
        // SAFETY: a buffer with its length, which is copied; an output with its length.
        unsafe {
            let schunk = blosc2_schunk_from_buffer(changed.as_mut_ptr(), changed.len() as i64, 1);
            if schunk.is_null() {
                refused += 1;
                continue;
            }
            opened += 1;
            for number in 0..(*schunk).nchunks.min(4) {
                blosc2_schunk_decompress_chunk(schunk, number, dst.as_mut_ptr().cast(), 8 * ITEMS as i32);
            }
            let (mut found, mut len) = (null_mut(), 0);
            if blosc2_vlmeta_get(schunk, c"name".as_ptr(), &mut found, &mut len) >= 0 {
                libc::free(found.cast());
            }
            blosc2_schunk_free(schunk);
        }
    }
    assert!(refused > 50 && opened > 50, "{refused} refused, {opened} opened");
}

#[test]
fn handles_of_a_frame_see_each_others_changes() {
    with_each(|schunk, path, _| {
        let Some(path) = path else { return };
        // SAFETY: a path and super-chunks.
        unsafe {
            let other = blosc2_schunk_open(path.as_ptr());
            assert_eq!(append(schunk, &items(0)), 1);
            assert_eq!(append(other, &items(1)), 2);
            assert_eq!(append(schunk, &items(2)), 3);
            expect(schunk, &[items(0), items(1), items(2)]);
            assert_eq!(blosc2_vlmeta_add(schunk, c"name".as_ptr(), b"a".as_ptr().cast_mut(), 1, null_mut()), 0);
            assert_eq!(blosc2_schunk_refresh(other), 1);
            assert_eq!(((*other).nchunks, (*other).nvlmetalayers), (3, 1));
            expect(other, &[items(0), items(1), items(2)]);
            blosc2_schunk_free(other);
        }
    });
}

/// Frames that functions of the program read and write are those of the file system.
#[test]
fn functions_of_the_program_store_frames() {
    blosc2_init();
    // SAFETY: the record of the file system, which has no parameters.
    let record = unsafe { *blosc2_get_io_cb(0) };
    // SAFETY: a valid record.
    assert_eq!(unsafe { blosc2_register_io_cb(&IoCallbacks { id: 171, name: null_mut(), ..record }) }, 0);
    let mut io = Io { id: 171, name: std::ptr::null(), params: null_mut() };
    for contiguous in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let path = CString::new(folder.path().join("frame").to_str().unwrap()).unwrap();
        let mut cparams = CPARAMS;
        let storage = Storage { io: &mut io, ..storage(contiguous, path.as_ptr().cast_mut(), &mut cparams) };
        // SAFETY: valid parameters, which are copied; super-chunks.
        unsafe {
            let schunk = blosc2_schunk_new(&mut { storage });
            (0..4).for_each(|seed| assert!(append(schunk, &items(seed)) > 0));
            assert_eq!(blosc2_schunk_delete_chunk(schunk, 1), 3);
            let expected = [items(0), items(2), items(3)];
            expect(schunk, &expected);
            let again = blosc2_schunk_open_udio(path.as_ptr(), &io);
            assert_eq!(append(again, &items(9)), 4);
            assert_eq!(blosc2_schunk_refresh(schunk), 1);
            assert_eq!(append(schunk, &items(8)), 5);
            blosc2_schunk_free(again);
            let local = blosc2_schunk_open(path.as_ptr());
            expect(local, &[items(0), items(2), items(3), items(9), items(8)]);
            blosc2_schunk_free(local);
            assert_eq!(blosc2_schunk_free(schunk), 0);
            assert!(blosc2_schunk_open_udio(path.as_ptr(), &Io { id: 172, ..io }).is_null());
        }
    }
}

/// Changes of a private mapping are not in the file.
#[test]
fn mapped_files_are_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = CString::new(folder.path().join("frame").to_str().unwrap()).unwrap();
    let open = |mode: &'static std::ffi::CStr, params: &mut StdioMmap| {
        *params =
            StdioMmap { mode: mode.as_ptr(), initial_mapping_size: 100, ..blosc2_get_blosc2_stdio_mmap_defaults() };
        Io { id: 1, name: c"filesystem_mmap".as_ptr(), params: std::ptr::from_mut(params).cast() }
    };
    let mut params = blosc2_get_blosc2_stdio_mmap_defaults();
    let mut cparams = CPARAMS;
    // SAFETY: valid parameters, which live until the super-chunks are released.
    unsafe {
        let mut io = open(c"w+", &mut params);
        let storage = Storage { io: &mut io, ..storage(true, path.as_ptr().cast_mut(), &mut cparams) };
        let schunk = blosc2_schunk_new(&mut { storage });
        (0..3).for_each(|seed| assert!(append(schunk, &items(seed)) > 0));
        expect(schunk, &[items(0), items(1), items(2)]);
        assert_eq!(blosc2_schunk_free(schunk), 0);
        for (mode, is_refused) in [(c"c", false), (c"r", true), (c"r+", false), (c"r", true)] {
            let io = open(mode, &mut params);
            let schunk = blosc2_schunk_open_udio(path.as_ptr(), &io);
            assert!(!schunk.is_null(), "{mode:?}");
            assert_eq!(append(schunk, &items(3)) < 0, is_refused, "{mode:?}");
            assert_eq!(blosc2_schunk_free(schunk), 0);
        }
        let schunk = blosc2_schunk_open(path.as_ptr());
        expect(schunk, &[items(0), items(1), items(2), items(3)]);
        blosc2_schunk_free(schunk);
        assert!(blosc2_schunk_open_udio(c"missing".as_ptr(), &open(c"r", &mut params)).is_null());
    }
}

/// Programs read the size of a mapping from the message.
#[test]
fn mapped_files_are_announced() {
    let test = "exports::blosc2::tests::schunk::mapped_files_are_frames";
    for (variable, expected) in [("BLOSC_INFO", 5), ("OTHER", 0)] {
        let mut program = std::process::Command::new(std::env::current_exe().unwrap());
        let done = program.args(["--exact", test]).env_remove("BLOSC_INFO").env(variable, "1").output().unwrap();
        assert!(done.status.success());
        let printed = String::from_utf8(done.stderr).unwrap();
        let found = printed.lines().filter(|line| line.starts_with("[INFO] - Opened memory-mapped file"));
        assert_eq!(found.count(), expected, "{printed}");
        assert_eq!(printed.contains("in mode w+ with an mapping size of 100 bytes."), expected > 0, "{printed}");
    }
}
