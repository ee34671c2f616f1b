//! Tests that errors about foreign files name the format and give advice.

use crate::common::{Sandbox, noise};

#[test]
fn foreign_files_are_told_by_their_content() {
    let sandbox = Sandbox::with_f();
    for (name, start, advice) in [
        ("gz", b"\x1f\x8b\x08\x00".as_slice(), "this is gzip data: 'gzip -d' reads it"),
        ("zst", b"\x28\xb5\x2f\xfd", "this is a zstd file, not a Blosc file that uses zstd: 'zstd -d' reads it"),
        ("h5", b"\x89HDF\r\n\x1a\n", "this is an HDF5 file: "),
        (
            "npz",
            &[b"PK\x03\x04".as_slice(), &noise(100), b"PK\x05\x06", &[0; 18]].concat(),
            "this is a zip file, as .npz files are: ",
        ),
        ("xz", b"\xfd7zXZ\x00", "this is an xz file: "),
    ] {
        let file = format!("x.{name}.blp");
        // The end of the directory must be the end of a zip file.
        let rest = if name == "npz" { Vec::new() } else { noise(100) };
        sandbox.write(&file, &[start, &rest].concat());
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
fn texts_are_no_archives() {
    let sandbox = Sandbox::with_f();
    sandbox.write("notes.txt", b"some notes about data\n");
    let advice = "this is text, not compressed data: 'blpk compress' compresses it";
    assert_eq!(
        sandbox.run("d notes.txt").failed(),
        format!("input file 'notes.txt' does not end with '.blp'; {advice}")
    );
    assert_eq!(
        sandbox.run("recover notes.txt out").failed(),
        format!(
            "input file 'notes.txt' is no bloscpack file, Blosc2 frame or bcolz directory: it starts with b'some notes', not with a magic of theirs; {advice}"
        )
    );
    sandbox.write("noise", &noise(100));
    let error = sandbox.run("recover noise out").failed();
    assert!(
        error.contains("is no bloscpack file, Blosc2 frame or bcolz directory")
            && error.ends_with("; name a torn or damaged one")
    );
    assert_eq!(sandbox.names(), ["f", "noise", "notes.txt"]);
}

#[test]
fn a_chunk_that_is_cut_off_or_followed_by_something() {
    let sandbox = Sandbox::with_f();
    sandbox.run("chunk encode f chunk").ok();
    let chunk = sandbox.read("chunk");
    let advice = format!("this starts like a Blosc chunk of {} bytes, but the file has a different size", chunk.len());
    for bytes in [&chunk[..chunk.len() - 1], &[&chunk[..], b"\n"].concat()] {
        sandbox.write("torn", bytes);
        assert_eq!(sandbox.run("d torn").failed(), format!("input file 'torn' does not end with '.blp'; {advice}"));
        assert!(sandbox.run("info torn").failed().ends_with(&advice));
    }
}

#[test]
fn a_bloscpack_file_of_another_name() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f noext").ok();
    let expected = "input file 'noext' does not end with '.blp', but is a bloscpack file: rename it, or use -e and name \
                    the <out_file>";
    for line in ["d noext", "d noext out"] {
        assert_eq!(sandbox.run(line).failed(), expected, "{line}");
    }
    let expected = "original file 'noext' does not end with '.blp', but is a bloscpack file: rename it, or use -e";
    assert_eq!(sandbox.run("a noext f").failed(), expected);
    // Follows the advice.
    sandbox.run("d -e noext out").ok();
    assert!(sandbox.read("out") == sandbox.read("f"));
    sandbox.run("a -e noext f").ok();
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
            "original file '{file}' is {what}, and data can be appended only to bloscpack files; 'blpk convert' converts it to one"
        );
        assert_eq!(sandbox.run(&format!("a {file} f")).failed(), message);
        // Follows the advice.
        sandbox.run(&format!("-f convert {file} new.blp")).ok();
        sandbox.run("a new.blp f").ok();
    }
}

#[test]
fn directories_of_other_formats() {
    let sandbox = Sandbox::with_f();
    for file in [".zarray", "zarr.json"] {
        std::fs::create_dir(sandbox.path("dir")).unwrap();
        sandbox.write(&format!("dir/{file}"), b"{}");
        for command in ["c dir", "d dir out", "info dir", "verify dir", "list dir", "cat --bytes .. dir"] {
            let error = sandbox.run(command).failed();
            let expected = match command {
                "c dir" => "'dir' is a directory, not a file".to_owned(),
                _ => format!("dir: dir/{file}: \"zarr_format\" is missing"),
            };
            assert_eq!(error, expected, "{command}");
        }
        std::fs::remove_dir_all(sandbox.path("dir")).unwrap();
    }
}
