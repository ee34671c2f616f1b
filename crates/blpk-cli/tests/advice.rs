//! Do errors say what a foreign file is, and what would help?
#![allow(clippy::unwrap_used)]

mod common;

use common::{Sandbox, noise};

#[test]
fn foreign_files_are_told_by_their_content() {
    let sandbox = Sandbox::with_f();
    for (name, start, advice) in [
        ("gz", b"\x1f\x8b\x08\x00".as_slice(), "this is gzip data: 'gzip -d' reads it"),
        ("zst", b"\x28\xb5\x2f\xfd", "this is a zstd file, not Blosc with zstd in it: 'zstd -d' reads it"),
        ("h5", b"\x89HDF\r\n\x1a\n", "this is an HDF5 file: "),
        ("npz", b"PK\x03\x04", "this is a zip file, as .npz files are: "),
        ("xz", b"\xfd7zXZ\x00", "this is an xz file: "),
    ] {
        let file = format!("x.{name}.blp");
        sandbox.write(&file, &[start, &noise(100)].concat());
        for command in ["d", "info", "verify", "list", "cat --bytes ..", "a"] {
            let other = if command == "a" { "f" } else { "" };
            let error = sandbox.run(&format!("{command} {file} {other}")).failed();
            assert!(error.contains(advice), "{command} {file}: {error}");
        }
        let error = sandbox.pipe("d - out", &sandbox.read(&file)).failed();
        assert!(error.contains(advice), "{file}: {error}");
        std::fs::rename(sandbox.path(&file), sandbox.path("y")).unwrap();
        let error = sandbox.run("d y").failed();
        assert!(error.starts_with("input file 'y' does not end with '.blp'; ") && error.contains(advice), "{error}");
    }
    assert!(!sandbox.path("out").exists());
}

#[test]
fn a_chunk_that_is_cut_off_or_followed_by_something() {
    let sandbox = Sandbox::with_f();
    sandbox.run("chunk encode f chunk").ok();
    let chunk = sandbox.read("chunk");
    let advice = format!("this starts like a Blosc chunk of {} bytes, which have to be all of the file", chunk.len());
    for bytes in [&chunk[..chunk.len() - 1], &[&chunk[..], b"\n"].concat()] {
        sandbox.write("torn", bytes);
        assert_eq!(sandbox.run("d torn").failed(), format!("input file 'torn' does not end with '.blp'; {advice}"));
        assert!(sandbox.run("info torn").failed().ends_with(&advice));
    }
}

#[test]
fn what_cannot_be_appended_to() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    sandbox.run("convert f.blp x.b2frame").ok();
    sandbox.run("convert f.blp x.npy").ok();
    sandbox.run("chunk encode f chunk").ok();
    for (file, what) in [("x.b2frame", "a Blosc2 frame"), ("x.npy", "a NumPy .npy file"), ("chunk", "a bare chunk")] {
        let message = format!(
            "original file '{file}' is {what}, and data is appended to bloscpack files only; 'blpk convert' makes it one"
        );
        assert_eq!(sandbox.run(&format!("a {file} f")).failed(), message);
        // It does.
        sandbox.run(&format!("-f convert {file} new.blp")).ok();
        sandbox.run("a new.blp f").ok();
    }
}

#[test]
fn directories_of_other_formats() {
    let sandbox = Sandbox::with_f();
    for (file, what) in [(".zarray", "is a Zarr directory"), ("zarr.json", "is a Zarr directory")] {
        std::fs::create_dir(sandbox.path("dir")).unwrap();
        sandbox.write(&format!("dir/{file}"), b"{}");
        for command in ["c dir", "d dir out", "info dir", "verify dir", "list dir", "cat --bytes .. dir"] {
            let error = sandbox.run(command).failed();
            assert!(error.contains("'dir'") && error.contains(what), "{command}: {error}");
        }
        std::fs::remove_dir_all(sandbox.path("dir")).unwrap();
    }
}
