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
