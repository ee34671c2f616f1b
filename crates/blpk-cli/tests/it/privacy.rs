//! Tests that outputs are no more accessible than their inputs, and have the same modification time.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use crate::common::Sandbox;

fn mode(sandbox: &Sandbox, name: &str) -> u32 {
    fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o777
}

fn set_mode(sandbox: &Sandbox, name: &str, mode: u32) {
    fs::set_permissions(sandbox.path(name), Permissions::from_mode(mode)).unwrap();
}

#[test]
fn outputs_are_no_more_open_than_their_inputs() {
    let sandbox = Sandbox::with_f();
    for (input, expected, directory) in
        [(0o600, 0o600, 0o700), (0o640, 0o640, 0o750), (0o444, 0o644, 0o755), (0o666, 0o644, 0o755)]
    {
        set_mode(&sandbox, "f", input);
        let umask = "umask 022; rm -rf out g.blp g.b2frame x.bcolz";
        sandbox.shell(&format!("{umask}; blpk c f g.blp && blpk c f g.b2frame && blpk c --output-dir out/deep f")).ok();
        for name in ["g.blp", "g.b2frame", "out/deep/f.blp"] {
            assert_eq!(mode(&sandbox, name), expected, "{input:o} {name}");
        }
        assert_eq!((mode(&sandbox, "out"), mode(&sandbox, "out/deep")), (directory, directory), "{input:o}");
        sandbox.shell("umask 022; rm -f h; blpk d g.blp h && rm -f i.npy && blpk convert g.blp i.npy").ok();
        assert_eq!((mode(&sandbox, "h"), mode(&sandbox, "i.npy")), (expected, expected), "{input:o}");
        sandbox.shell("umask 022; blpk convert g.blp x.bcolz").ok();
        assert_eq!(
            (mode(&sandbox, "x.bcolz"), mode(&sandbox, "x.bcolz/meta/sizes")),
            (directory, expected),
            "{input:o}"
        );
    }
    // The permissions of one input do not affect the next output, in either direction.
    for (name, mode) in [("a", 0o600), ("b", 0o644), ("c", 0o600)] {
        sandbox.write(name, b"plain");
        set_mode(&sandbox, name, mode);
    }
    sandbox.shell("umask 022; blpk c a b c").ok();
    assert_eq!(["a.blp", "b.blp", "c.blp"].map(|name| mode(&sandbox, name)), [0o600, 0o644, 0o600]);
    // A replaced file keeps its permissions.
    set_mode(&sandbox, "b.blp", 0o664);
    sandbox.shell("umask 077; blpk -f c a b.blp").ok();
    assert_eq!(mode(&sandbox, "b.blp"), 0o664);
}

#[test]
fn second_outputs_chunks_and_references_are_no_more_open_than_their_inputs() {
    let sandbox = Sandbox::with_f();
    sandbox.shell("echo '[1]' > m; blpk c -m m f && blpk convert --dtype i8 f x.npy").ok();
    sandbox.shell("blpk convert x.npy x.b2nd && blpk convert x.npy y.b2nd").ok();
    for (input, expected) in [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644)] {
        for name in ["f", "f.blp", "y.b2nd"] {
            set_mode(&sandbox, name, input);
        }
        for (line, name) in [
            ("blpk chunk encode f chunk", "chunk"),
            ("chmod --reference f chunk; blpk chunk decode chunk plain", "plain"),
            ("blpk reference -o refs.json x.b2nd y.b2nd", "refs.json"),
            ("blpk d --metadata-out meta.json f.blp out", "meta.json"),
            ("blpk bench --seconds 0 -c lz4 -l 1 --filter none --plot b.svg f > table", "b.svg"),
        ] {
            assert_eq!(sandbox.shell(&format!("umask 022; rm -f {name} out; {line}")).code, Some(0), "{line}");
            assert_eq!(mode(&sandbox, name), expected, "{input:o} {line}");
        }
        std::fs::remove_file(sandbox.path("chunk")).unwrap();
    }
}

#[test]
fn made_directories_are_no_more_open_than_those_they_mirror() {
    let sandbox = Sandbox::new();
    sandbox.shell("umask 022; mkdir -p in/private/deep in/open; echo 1 | tee in/f in/private/deep/f in/open/f").text();
    for (input, expected) in [(0o700, 0o700), (0o750, 0o750), (0o711, 0o711), (0o744, 0o700), (0o777, 0o755)] {
        set_mode(&sandbox, "in/private", input);
        sandbox.shell("umask 022; rm -rf out; blpk c -r --output-dir out in").ok();
        let modes = ["out", "out/in", "out/in/private", "out/in/private/deep", "out/in/open"];
        let modes = modes.map(|name| mode(&sandbox, name));
        assert_eq!(modes, [0o755, 0o755, expected, 0o755, 0o755], "{input:o}: {modes:?}");
        assert_eq!(mode(&sandbox, "out/in/private/deep/f.blp"), 0o644);
        sandbox.shell("umask 022; rm -rf out; blpk c -r --output-dir out in/private/").ok();
        assert_eq!((mode(&sandbox, "out"), mode(&sandbox, "out/private")), (0o755, expected), "{input:o}");
        // `.` has no name: its files are directly in the output directory.
        sandbox.shell("umask 022; rm -rf out; cd in/private && blpk c -r --output-dir ../../out .").ok();
        assert_eq!((mode(&sandbox, "out"), mode(&sandbox, "out/deep")), (expected, 0o755), "{input:o}");
    }
}

#[test]
fn a_directory_is_as_private_as_the_files_in_it() {
    let sandbox = Sandbox::with_f();
    sandbox.shell("blpk convert --dtype u1 f x.zarr && blpk convert x.zarr x.bcolz").ok();
    let convert = |input: &str| sandbox.shell(&format!("umask 022; rm -f x.npy; blpk convert {input} x.npy")).ok();
    for (input, private) in [("x.zarr", "zarr.json"), ("x.zarr", "c/0"), ("x.bcolz", "meta/sizes")] {
        let private = format!("{input}/{private}");
        for (file, expected) in [(0o600, 0o600), (0o640, 0o640), (0o444, 0o644)] {
            set_mode(&sandbox, &private, file);
            convert(input);
            assert_eq!(mode(&sandbox, "x.npy"), expected, "{private} {file:o}");
        }
    }
    for (directory, expected) in [(0o700, 0o600), (0o750, 0o640), (0o744, 0o600), (0o711, 0o600), (0o755, 0o644)] {
        set_mode(&sandbox, "x.zarr/c", directory);
        convert("x.zarr");
        assert_eq!(mode(&sandbox, "x.npy"), expected, "{directory:o}");
    }
    set_mode(&sandbox, "x.zarr/zarr.json", 0o640);
    sandbox.shell("umask 022; rm -f x.npy; ln -s x.zarr link; blpk d link x.npy && blpk convert x.zarr y.bcolz").ok();
    assert_eq!(
        (mode(&sandbox, "x.npy"), mode(&sandbox, "y.bcolz"), mode(&sandbox, "y.bcolz/meta/sizes")),
        (0o640, 0o750, 0o640)
    );
}

/// A user without the permission to list a directory may still read files in it, whose names are known.
#[test]
fn outputs_of_directories_that_cannot_be_listed_are_private() {
    let sandbox = Sandbox::with_f();
    sandbox.shell("blpk convert --dtype u1 f x.zarr").ok();
    set_mode(&sandbox, "x.zarr", 0o311);
    if sandbox.shell("ls x.zarr").code == Some(0) {
        eprintln!("skipped: root may list any directory");
    } else {
        sandbox.shell("umask 022; blpk convert x.zarr x.npy").ok();
        assert_eq!(mode(&sandbox, "x.npy"), 0o600);
    }
    set_mode(&sandbox, "x.zarr", 0o755);
}

/// Permissions of a group are only those of another group.
#[test]
fn outputs_with_another_group_are_not_open_to_it() {
    let sandbox = Sandbox::with_f();
    if sandbox.shell("mkdir own other && chgrp 54321 f other && chmod g+s other").code != Some(0) {
        eprintln!("skipped: only root may give files to any group");
        return;
    }
    for (input, own, other) in
        [(0o640, 0o600, 0o640), (0o660, 0o600, 0o640), (0o644, 0o644, 0o644), (0o604, 0o600, 0o604)]
    {
        set_mode(&sandbox, "f", input);
        sandbox.shell("umask 022; rm -f */*.blp; blpk c f own/f.blp && blpk c f other/f.blp").ok();
        if cfg!(target_os = "linux") {
            assert_eq!(mode(&sandbox, "own/f.blp"), own, "{input:o}");
        }
        assert_eq!(mode(&sandbox, "other/f.blp"), other, "{input:o}");
    }
    set_mode(&sandbox, "f", 0o640);
    sandbox.shell("umask 022; blpk c --output-dir other/new/deep f && blpk c --output-dir own/new f").ok();
    let modes = ["other/new", "other/new/deep/f.blp", "own/new/f.blp"].map(|name| mode(&sandbox, name));
    assert_eq!(modes, [0o750, 0o640, if cfg!(target_os = "linux") { 0o600 } else { 0o640 }], "{modes:?}");
}

#[test]
fn outputs_are_as_old_as_their_inputs() {
    let sandbox = Sandbox::with_f();
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(978_307_200);
    fs::File::open(sandbox.path("f")).unwrap().set_modified(then).unwrap();
    sandbox.run("c f").ok();
    sandbox.run("c f f.b2frame").ok();
    sandbox.run("d f.blp g").ok();
    for name in ["f.blp", "f.b2frame", "g"] {
        assert_eq!(fs::metadata(sandbox.path(name)).unwrap().modified().unwrap(), then, "{name}");
    }
}

/// New content never runs with the rights of the file it replaces.
#[test]
fn no_replaced_or_edited_file_keeps_setuid_setgid_or_sticky() {
    let sandbox = Sandbox::with_f();
    for setup in [
        "c f g.blp",
        "c f g.b2frame",
        "convert g.blp x.bcolz",
        "convert x.bcolz h.csv",
        "convert g.blp h.npy",
        "d g.blp i",
    ] {
        sandbox.run(setup).ok();
    }
    for (line, name) in [
        ("-f c f g.blp", "g.blp"),
        ("-f c f g.b2frame", "g.b2frame"),
        ("-f d g.blp i", "i"),
        ("-f convert x.bcolz h.csv", "h.csv"),
        ("-f convert g.blp h.npy", "h.npy"),
        ("append g.blp f", "g.blp"),
        ("compact g.b2frame", "g.b2frame"),
    ] {
        set_mode(&sandbox, name, 0o7755);
        sandbox.run(line).ok();
        let found = fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(found, 0o755, "{line}: {found:o}");
    }
    // A directory keeps the bits that group or restrict its entries.
    let special = |name: &str| fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o7000;
    set_mode(&sandbox, "x.bcolz", 0o7755);
    sandbox.run("-f convert g.blp x.bcolz").ok();
    assert_eq!((mode(&sandbox, "x.bcolz"), special("x.bcolz")), (0o755, 0o3000));
}
