//! Tests that an output is complete or absent, whatever happens.

use crate::common::{Run, Sandbox, counting, noise};

#[test]
fn what_exists_is_kept_unless_forced() {
    let sandbox = Sandbox::with_f();
    sandbox.write("f.blp", b"old");
    assert_eq!(sandbox.run("c f").failed(), "output file 'f.blp' exists!");
    assert_eq!(sandbox.read("f.blp"), b"old");
    sandbox.run("-f c f").ok();
    assert_eq!(sandbox.run("d f.blp").failed(), "output file 'f' exists!");
    sandbox.run("d f.blp -f").ok();
    assert_eq!(sandbox.read("f"), counting(100_000));
    assert_eq!(sandbox.run("chunk encode f f.blp").failed(), "output file 'f.blp' exists!");
}

#[test]
fn a_failure_leaves_the_old_output() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c -z 1000 f").ok();
    let mut bytes = sandbox.read("f.blp");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    sandbox.write("flipped.blp", &bytes);
    sandbox.write("cut.blp", &bytes[..bytes.len() - 4]);
    sandbox.write("old", b"old");
    let before = sandbox.names();
    for command in ["-f d flipped.blp old", "-f d cut.blp old", "-f c -t 0 f old", "-f c -z 0 f old", "-f c -m m f old"]
    {
        sandbox.run(command).failed();
        assert_eq!(sandbox.read("old"), b"old", "{command}");
    }
    for command in ["d flipped.blp", "d cut.blp", "c -t 256 f new", "d -e f new", "chunk decode f new"] {
        sandbox.run(command).failed();
    }
    assert!(!sandbox.pipe("-f d - old", &bytes).failed().is_empty());
    assert_eq!(sandbox.read("old"), b"old");
    assert_eq!(sandbox.names(), before);
}

#[cfg(unix)]
#[test]
fn input_and_output_are_not_one_file() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    std::fs::hard_link(sandbox.path("f"), sandbox.path("hard")).unwrap();
    std::os::unix::fs::symlink("f", sandbox.path("soft")).unwrap();
    std::os::unix::fs::symlink("f.blp", sandbox.path("soft.blp")).unwrap();
    let commands =
        ["-f c f f", "-f c f hard", "-f c hard f", "-f c soft f", "-f c f soft", "-f d f.blp soft.blp", "-f c f ./f"];
    for command in commands {
        assert!(sandbox.run(command).failed().contains("are the same file"), "{command}");
    }
    assert_eq!(
        sandbox.shell("blpk -f c - f < f").failed(),
        "input '-' and output 'f' are the same file; name another output"
    );
    assert!(sandbox.shell("blpk c f - >> f").failed().contains("are the same file"));
    sandbox.run("c f cat.blp").ok();
    let before = sandbox.read("cat.blp");
    for command in ["cat --bytes ..8 cat.blp", "cat --items .. --format csv cat.blp", "-f cat --bytes ..8 - < cat.blp"]
    {
        let error = sandbox.shell(&format!("blpk {command} >> cat.blp")).failed();
        assert!(error.ends_with("and output '-' are the same file; name another output"), "{command}: {error}");
        assert!(sandbox.read("cat.blp") == before, "{command}");
    }
    assert_eq!(sandbox.read("f"), counting(100_000));
    // A link as output is followed, if it leads to another file.
    sandbox.run("-f c f soft.blp").ok();
    assert!(std::fs::symlink_metadata(sandbox.path("soft.blp")).unwrap().is_symlink());
}

/// A frame needs random access, so it cannot be written to a pipe or a device. Those are not replaced by a file either.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_replaced() {
    use std::os::unix::fs::FileTypeExt as _;
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    sandbox.run("convert f.blp f.b2frame").ok();
    sandbox.shell("mkfifo pipe.b2frame pipe.b2nd pipe.npy").ok();
    for command in [
        "convert f.blp pipe.b2frame",
        "convert f.blp pipe.b2nd",
        "convert f.blp pipe.npy",
        "recover f.b2frame pipe.b2frame",
    ] {
        let pipe = command.rsplit(' ').next().unwrap();
        let error = sandbox.run(&format!("-f {command}")).failed();
        assert!(error.ends_with(&format!("creating '{pipe}': it is not a regular file")), "{command}: {error}");
        assert!(std::fs::metadata(sandbox.path(pipe)).unwrap().file_type().is_fifo(), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("old", b"old");
    for args in [
        "-f c - old",
        "-f c -o - old",
        "-f d - old",
        "-n 1 -f c - old",
        "c - new",
        "-f chunk encode - old",
        "convert - new.npy",
    ] {
        let mut child = sandbox.spawn(args);
        let mut stdin = child.stdin.take().unwrap();
        // The run has started, and waits for more input.
        std::io::Write::write_all(&mut stdin, &packed_start()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300) * testdata::slowness());
        assert!(child.try_wait().unwrap().is_none(), "{args}");
        let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let run = Run::of(args.into(), child.wait_with_output().unwrap());
        drop(stdin);
        assert_eq!(run.failed(), "interrupted", "{args}");
        assert_eq!((sandbox.read("old"), sandbox.names()), (b"old".to_vec(), vec!["old".into()]), "{args}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_process_leaves_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("old", b"old");
    let mut child = sandbox.spawn("-f c - old");
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, &noise(3_000_000)).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300) * testdata::slowness());
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((sandbox.read("old"), sandbox.names()), (b"old".to_vec(), vec!["old".into()]));
}

/// Returns the first half of a bloscpack file, which also serves as a plain input.
fn packed_start() -> Vec<u8> {
    let sandbox = Sandbox::new();
    let packed = sandbox.pipe("c -z 100000 - -", &noise(3_000_000)).ok().stdout;
    packed[..packed.len() / 2].to_vec()
}

#[test]
fn an_output_in_a_folder_that_is_not_there() {
    let sandbox = Sandbox::with_f();
    let error = sandbox.run("c f nowhere/f.blp").failed();
    assert_eq!(error, "creating 'nowhere/f.blp': there is no such directory for it");
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    assert_eq!(
        sandbox.run("c f folder").failed(),
        "output file 'folder' exists!; it is a directory: use --output-dir folder to write into it"
    );
    assert!(sandbox.run("-f c f folder").failed().contains("folder"));
    assert_eq!(
        sandbox.run("c folder").failed(),
        "input file 'folder' is a directory, not a file; use --recursive for the files in it"
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed_even_where_they_lead_to_nothing() {
    let sandbox = Sandbox::with_f();
    std::fs::create_dir(sandbox.path("dir")).unwrap();
    std::os::unix::fs::symlink("dir/link", sandbox.path("first")).unwrap();
    std::os::unix::fs::symlink("file", sandbox.path("dir/link")).unwrap();
    assert_eq!(sandbox.run("c f first").failed(), "output file 'first' exists!");
    sandbox.run("-f c f first").ok();
    assert!(sandbox.path("first").is_symlink() && sandbox.path("dir/link").is_symlink());
    sandbox.run("-f d -e dir/file g").ok();
    assert_eq!(sandbox.read("g"), counting(100_000));
    std::os::unix::fs::symlink("round", sandbox.path("round")).unwrap();
    assert!(sandbox.run("-f c f round").failed().contains("too many links"));
}

#[test]
fn a_missing_directory_is_named() {
    let sandbox = Sandbox::with_f();
    let expected = "creating 'nosuch/x': there is no such directory for it";
    for command in ["c f nosuch/x", "c --format b2frame f nosuch/x", "chunk encode f nosuch/x"] {
        assert_eq!(sandbox.run(command).failed(), expected);
    }
    sandbox.run("c f").ok();
    assert_eq!(sandbox.run("d f.blp nosuch/x").failed(), format!("f.blp: {expected}"));
}
