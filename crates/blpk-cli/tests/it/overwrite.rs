//! `-f` replaces old outputs only: a shell pattern that matches two files destroys neither of them.

use crate::common::{Sandbox, counting, noise};

/// `a.dat` and `b.dat`, and the archives `a.blp` and `b.blp`.
fn two_files() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a.dat", &counting(10_000));
    sandbox.write("b.dat", &noise(10_000));
    sandbox.run("c a.dat a.blp").ok();
    sandbox.run("c b.dat b.blp").ok();
    sandbox
}

#[test]
fn two_names_that_look_like_inputs_lose_nothing() {
    let sandbox = two_files();
    let (b_dat, b_blp) = (sandbox.read("b.dat"), sandbox.read("b.blp"));
    assert_eq!(
        sandbox.run("c a.dat b.dat").failed(),
        "output file 'b.dat' exists!; of two names the second is the output: to compress both, use --each"
    );
    assert_eq!(
        sandbox.run("-f c a.dat b.dat").failed(),
        "output file 'b.dat' contains data that this command did not write, which -f does not replace: use -ff or --output \
         to replace it, or --each to compress both files"
    );
    assert_eq!(
        sandbox.run("d a.blp b.blp").failed(),
        "output file 'b.blp' exists!; of two names the second is the output: to decompress both, use --each"
    );
    assert_eq!(
        sandbox.run("-f d a.blp b.blp").failed(),
        "output file 'b.blp' is a bloscpack file, which -f does not replace: use -ff or --output to replace it, or \
         --each to decompress both files"
    );
    assert!(sandbox.run("-f chunk encode a.dat b.dat").failed().contains("which -f does not replace: use -ff"));
    sandbox.run("chunk encode a.dat a.chunk").ok();
    sandbox.run("chunk encode b.dat b.chunk").ok();
    assert!(sandbox.run("-f chunk decode a.chunk b.chunk").failed().contains("is a bare chunk, which -f does not"));
    // Compressing two archives again means two inputs, too.
    for command in ["c a.chunk b.chunk", "c a.blp b.blp", "chunk encode a.chunk b.chunk", "c a.chunk b.blp"] {
        let error = sandbox.run(&format!("-f {command}")).failed();
        assert!(error.contains(" is a b") && error.contains("which -f does not replace"), "{command}: {error}");
        assert!(sandbox.run(command).failed().contains("exists!"), "{command}");
    }
    sandbox.run("c a.blp").ok();
    sandbox.run("-f c a.blp").ok();
    sandbox.run("-f c a.blp a.blp.blp").ok();
    assert_eq!((sandbox.read("b.dat"), sandbox.read("b.blp")), (b_dat, b_blp));
    // Follows the advice.
    sandbox.run("-f c --each a.dat b.dat").ok();
    sandbox.run("-f d --each a.dat.blp b.dat.blp").ok();
}

#[test]
fn containers_are_not_replaced_with_plain_bytes() {
    let sandbox = two_files();
    sandbox.run("convert a.blp x.b2nd").ok();
    sandbox.run("convert a.blp x.npy").ok();
    sandbox.run("c a.dat x.b2frame").ok();
    sandbox.write("torn.blp", b"not an archive any more");
    for (output, what) in [
        ("b.blp", "is a bloscpack file"),
        ("x.b2nd", "is a Blosc2 frame"),
        ("x.b2frame", "is a Blosc2 frame"),
        ("x.npy", "is a NumPy .npy file"),
        ("torn.blp", "has the name of a container"),
    ] {
        let before = sandbox.read(output);
        let error = sandbox.run(&format!("-f d a.blp {output}")).failed();
        assert!(error.starts_with(&format!("output file '{output}' {what}, which -f does not replace")), "{error}");
        assert_eq!(sandbox.read(output), before);
    }
    // The compressed data may be a container: the advice says how to proceed.
    sandbox.run("c x.npy").ok();
    sandbox.run("-f d x.npy.blp").ok();
    sandbox.run("-f d x.npy.blp x.npy").ok();
    sandbox.run("c b.blp").ok();
    let before = sandbox.read("b.blp");
    let error = sandbox.run("-f d b.blp.blp").failed();
    assert!(error.ends_with("use -ff or --output to replace it"), "{error}");
    for command in ["-ff d b.blp.blp", "-f d b.blp.blp --output b.blp", "-ff d b.blp.blp b.blp"] {
        sandbox.write("b.blp", b"blpk old");
        sandbox.run(command).ok();
        assert_eq!(sandbox.read("b.blp"), before, "{command}");
    }
}

/// Scripts written for the original, whose `-f` replaced everything.
#[test]
fn old_outputs_are_replaced() {
    let sandbox = two_files();
    sandbox.run("-f c b.dat a.blp").ok();
    assert_eq!(sandbox.read("a.blp"), sandbox.read("b.blp"));
    sandbox.run("-f d a.blp a.dat").ok();
    assert_eq!(sandbox.read("a.dat"), sandbox.read("b.dat"));
    sandbox.run("c a.dat x.b2frame").ok();
    sandbox.run("-f c a.dat x.b2frame").ok();
    sandbox.run("chunk encode a.dat chunk").ok();
    sandbox.run("-f chunk encode b.dat chunk").ok();
    sandbox.run("-f chunk encode b.dat x.b2frame").ok();
    sandbox.run("-f chunk decode chunk a.dat").ok();
    // A name without `.blp`, and a file that has only the name of an archive.
    sandbox.run("c a.dat packed").ok();
    sandbox.run("-f c a.dat packed").ok();
    sandbox.write("a.blp", b"what a power cut left");
    sandbox.run("-f c a.dat a.blp").ok();
    // An empty file holds nothing.
    for command in ["c a.dat empty", "chunk encode a.dat empty", "d a.blp empty", "d a.blp empty.blp"] {
        sandbox.write("empty", b"");
        sandbox.write("empty.blp", b"");
        sandbox.run(&format!("-f {command}")).ok();
    }
    // If the input is `-`, the other name must be the output.
    sandbox.write("old", b"old");
    sandbox.pipe("-f c - old", &counting(100)).ok();
    sandbox.write("old", b"old");
    sandbox.pipe("-f chunk encode - old", &counting(100)).ok();
}

#[cfg(unix)]
#[test]
fn devices_and_links_are_outputs() {
    let sandbox = two_files();
    sandbox.run("-f c a.dat /dev/null").ok();
    sandbox.run("-f d a.blp /dev/null").ok();
    sandbox.shell("mkfifo p && (cat p > copy &) && blpk -f c a.dat p").ok();
    // A link counts as its target, and a dangling link as no file.
    for (link, target) in [("to-data", "b.dat"), ("to-archive", "b.blp"), ("to-nothing", "new")] {
        std::os::unix::fs::symlink(target, sandbox.path(link)).unwrap();
    }
    let before = (sandbox.read("b.dat"), sandbox.read("b.blp"));
    assert!(sandbox.run("-f c a.dat to-data").failed().contains("which -f does not replace"));
    assert!(sandbox.run("-f d a.blp to-archive").failed().contains("which -f does not replace"));
    assert_eq!((sandbox.read("b.dat"), sandbox.read("b.blp")), before);
    sandbox.run("-f c a.dat to-nothing").ok();
    sandbox.run("-f c a.dat to-archive").ok();
    assert_eq!(sandbox.read("b.blp"), sandbox.read("a.blp"));
    assert!(sandbox.path("to-archive").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn twice_forced_replaces_any_file() {
    let sandbox = two_files();
    let packed = sandbox.read("a.blp");
    for command in [
        "-ff c a.dat old",
        "-f -f c a.dat old",
        "--force --force c a.dat old",
        "c -ff a.dat old",
        "c a.dat old -f --force",
        "-f c -f a.dat old",
        "--force c a.dat -fn1 old",
        "-fqf c a.dat old",
        "c --output old -f a.dat",
        "-f c --output old a.dat",
    ] {
        sandbox.write("old", b"old");
        sandbox.run(command).ok();
        assert_eq!(sandbox.read("old"), packed, "{command}");
    }
    for command in ["-f c a.dat old", "c -f a.dat old", "c --forc a.dat old", "c a.dat old"] {
        sandbox.write("old", b"old");
        sandbox.run(command).failed();
        assert_eq!(sandbox.read("old"), b"old", "{command}");
    }
    sandbox.run("-ff chunk encode a.dat old").ok();
    sandbox.run("chunk -f decode -f old b.blp").ok();
    for command in ["-h", "c -h", "chunk encode --help", "d --help"] {
        let help = sandbox.run(command).ok();
        assert!(
            help.text().contains("-f, --force")
                && !help.text().contains("--force...")
                && help.text().contains("-ff any file"),
            "{}",
            help.text()
        );
    }
}

#[test]
fn directories_are_no_outputs_of_files() {
    let sandbox = two_files();
    std::fs::create_dir(sandbox.path("dir")).unwrap();
    let advice = "it is a directory: use --output-dir dir to write into it";
    assert_eq!(sandbox.run("c a.dat dir").failed(), format!("output file 'dir' exists!; {advice}"));
    assert_eq!(sandbox.run("d a.blp dir").failed(), format!("output file 'dir' exists!; {advice}"));
    for command in ["-f c a.dat dir", "-ff d a.blp dir", "c --output dir -f a.dat"] {
        let error = sandbox.run(command).failed();
        assert_eq!(error, "output file 'dir' is a directory: use --output-dir dir to write into it", "{command}");
    }
    // A directory may be a second input, too.
    std::fs::create_dir_all(sandbox.path("x.bcolz/meta")).unwrap();
    sandbox.write("x.bcolz/meta/storage", b"{}");
    assert_eq!(
        sandbox.run("d a.blp x.bcolz").failed(),
        "output file 'x.bcolz' exists!; it is a directory, a bcolz carray; of two names the second is the output: to \
         decompress both, use --each"
    );
    assert!(sandbox.run("c a.dat new/").failed().contains("use --output-dir new/ to write into it"));
    assert!(sandbox.run("chunk encode a.dat dir").failed().ends_with("it is a directory: name a file in it"));
    let is_a_file = "--output-dir: 'a.dat' is a file, not a directory; name another directory";
    assert_eq!(sandbox.run("c --output-dir a.dat b.dat").error(), is_a_file);
    assert_eq!(sandbox.run("d --output-dir a.dat/deep a.blp").error(), is_a_file);
    sandbox.run("c --output-dir dir a.dat").ok();
    assert!(sandbox.path("dir/a.dat.blp").exists());
}

/// Whatever a program puts into the directory of a container is not lost with it.
#[test]
fn directories_with_other_files_are_not_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("a", &counting(100_000));
    for (output, places) in [
        ("x.bcolz", vec!["notes.txt", "data/__1.blp.bak", "meta/notes", "mine/notes", "__attrs__.bak"]),
        ("y.zarr", vec!["notes.txt", "c/notes", "mine/notes", "mine/0", ".DS_Store"]),
    ] {
        let convert = format!("-f convert --raw --dtype u1 a {output}");
        sandbox.run(&convert).ok();
        sandbox.run(&convert).ok();
        for place in places {
            let path = sandbox.path(output).join(place);
            let is_new = !path.parent().unwrap().exists();
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "irreplaceable").unwrap();
            let error = sandbox.run(&convert).failed();
            assert!(error.contains("contains files that do not belong to a container"), "{place}: {error}");
            assert_eq!(std::fs::read(&path).unwrap(), b"irreplaceable");
            std::fs::remove_file(&path).unwrap();
            if is_new {
                std::fs::remove_dir(path.parent().unwrap()).unwrap();
            }
        }
        sandbox.run(&convert).ok();
        sandbox.run(&format!("verify {output}")).ok();
    }
}

#[test]
fn outputs_have_names() {
    let sandbox = two_files();
    for line in ["c a.dat ''", "-ff d a.blp ''", "chunk encode a.dat ''", "reference -o '' a.blp"] {
        assert_eq!(sandbox.shell(&format!("blpk {line}")).error(), "the name of the output file is empty", "{line}");
    }
}
