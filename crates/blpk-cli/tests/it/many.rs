//! Tests that many files are processed like single ones, and that failures affect only the files that fail.

use std::fs;

use crate::common::{Run, Sandbox, counting, noise};

/// Creates `a`, `b`, and `dir` with `x`, `sub/y` and an empty file in it.
fn files() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("dir/sub")).unwrap();
    for (name, len) in [("a", 1000), ("b", 20_000), ("dir/x", 300_000), ("dir/sub/y", 5)] {
        sandbox.write(name, &counting(len));
    }
    sandbox.write("dir/empty", b"");
    sandbox
}

/// Returns the names of all files below a directory, sorted.
fn tree(sandbox: &Sandbox, directory: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut directories = vec![sandbox.path(directory)];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => directories.push(path),
                false => found.push(path.strip_prefix(sandbox.path(".")).unwrap().to_str().unwrap().to_owned()),
            }
        }
    }
    found.sort();
    found
}

fn errors(run: &Run) -> Vec<&str> {
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    run.stderr.lines().map(|line| line.strip_prefix("blpk: error: ").unwrap()).collect()
}

#[test]
fn two_names_are_input_and_output_unless_something_says_otherwise() {
    let sandbox = files();
    sandbox.run("c a b.blp").ok();
    assert_eq!(sandbox.names(), ["a", "b", "b.blp", "dir"]);
    sandbox.run("-f c --each a b").ok();
    assert_eq!(sandbox.names(), ["a", "a.blp", "b", "b.blp", "dir"]);
    sandbox.run("-f c a b dir/x").ok();
    assert_eq!(sandbox.names(), ["a", "a.blp", "b", "b.blp", "dir"]);
    sandbox.run("d --output-dir out a.blp b.blp").ok();
    assert_eq!(tree(&sandbox, "out"), ["out/a", "out/b"]);
    assert_eq!(sandbox.read("out/b"), counting(20_000));
    assert_eq!(sandbox.run("d --stdout a.blp b.blp").ok().stdout, [counting(1000), counting(20_000)].concat());
    fs::remove_file(sandbox.path("a")).unwrap();
    fs::remove_file(sandbox.path("b")).unwrap();
    sandbox.run("d --each a.blp b.blp").ok();
    assert_eq!(sandbox.read("a"), counting(1000));
    sandbox.run("c a --output other.blp").ok();
    assert_eq!(sandbox.run("c --output=- a").ok().stdout, sandbox.read("other.blp"));
    assert_eq!(sandbox.run("c a --stdout").ok().stdout, sandbox.read("other.blp"));
}

#[test]
fn directories_are_walked_and_their_structure_is_kept() {
    let sandbox = files();
    assert_eq!(
        sandbox.run("c dir").failed(),
        "input file 'dir' is a directory, not a file; use --recursive for the files in it"
    );
    sandbox.run("c -r dir a --output-dir packed").ok();
    let packed = ["packed/a.blp", "packed/dir/empty.blp", "packed/dir/sub/y.blp", "packed/dir/x.blp"];
    assert_eq!(tree(&sandbox, "packed"), packed);
    sandbox.run("d --rec packed --output-dir plain").ok();
    let plain = ["plain/packed/a", "plain/packed/dir/empty", "plain/packed/dir/sub/y", "plain/packed/dir/x"];
    assert_eq!(tree(&sandbox, "plain"), plain);
    assert_eq!(sandbox.read("plain/packed/dir/x"), counting(300_000));
    // `.` has no name, so its files go directly into the output directory.
    let run = sandbox.shell("cd dir && blpk c -r --output-dir ../here .");
    assert_eq!(run.ok().stdout, b"");
    assert_eq!(tree(&sandbox, "here"), ["here/empty.blp", "here/sub/y.blp", "here/x.blp"]);
    // In place: files that are compressed already stay unchanged, however often the command runs.
    sandbox.run("c -r dir").ok();
    let both = ["dir/empty", "dir/empty.blp", "dir/sub/y", "dir/sub/y.blp", "dir/x", "dir/x.blp"];
    assert_eq!(tree(&sandbox, "dir"), both);
    sandbox.run("-f c -r dir").ok();
    assert_eq!(tree(&sandbox, "dir"), both);
    let run = sandbox.run("c -r dir");
    let exist: Vec<_> =
        ["empty", "sub/y", "x"].iter().map(|name| format!("output file 'dir/{name}.blp' exists!")).collect();
    assert_eq!(errors(&run), exist);
    // Another directory gets an output for every input.
    sandbox.run("c -r dir --output-dir again").ok();
    sandbox.run("d -r again/dir --output-dir back").ok();
    assert_eq!(tree(&sandbox, "back"), both.map(|name| format!("back/{name}")));
    assert_eq!(sandbox.read("back/dir/x.blp"), sandbox.read("dir/x.blp"));
}

#[cfg(unix)]
#[test]
fn what_is_in_a_directory_may_be_anything() {
    let sandbox = files();
    sandbox.run("c -r dir --rm").ok();
    sandbox.write("dir/text", b"not compressed");
    sandbox.write("dir/damaged.blp", b"not any more");
    std::os::unix::fs::symlink("../a", sandbox.path("dir/link.blp")).unwrap();
    std::os::unix::fs::symlink("..", sandbox.path("dir/loop")).unwrap();
    sandbox.shell("mkfifo dir/pipe.blp").ok();
    let run = sandbox.run("d -r dir --output-dir out");
    let messages = errors(&run);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].starts_with("dir/damaged.blp: not a Blosc file"), "{messages:?}");
    assert_eq!(tree(&sandbox, "out"), ["out/dir/empty", "out/dir/sub/y", "out/dir/x"]);
    let run = sandbox.run("verify -r dir");
    assert_eq!((run.code, run.lines().len(), errors(&run).len()), (Some(1), 3, 1));
    // A file named on the command line is not skipped.
    assert!(sandbox.run("d -r dir/text --output-dir out").failed().contains("does not end with '.blp'"));
    assert_eq!(
        sandbox.run("d -r dir/link.blp --output-dir out").error(),
        "dir/link.blp: not a Blosc file: it starts with b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00'; expected a bloscpack file, frame, chunk or .npy"
    );
}

#[test]
fn one_failure_does_not_stop_the_others() {
    let sandbox = files();
    sandbox.run("c --each a b").ok();
    let mut bytes = sandbox.read("a.blp");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    sandbox.write("a.blp", &bytes);
    let run = sandbox.run("d --output-dir out/deep a.blp missing.blp dir b.blp");
    let messages = errors(&run);
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert!(messages[0].starts_with("a.blp: chunk 0 at offset "), "{messages:?}");
    assert_eq!(messages[1], "input file 'missing.blp' does not exist!");
    assert_eq!(messages[2], "input file 'dir' is a directory, not a file; use --recursive for the files in it");
    assert_eq!(tree(&sandbox, "out"), ["out/deep/b"]);
    // A failed run removes the output directories that it created.
    assert_eq!(errors(&sandbox.run("d --output-dir new/deep a.blp")).len(), 1);
    assert!(!sandbox.path("new").exists());
    // A wrong setting affects all files, but gives one error.
    assert_eq!(sandbox.run("c -t 0 a b dir/x").failed(), "'typesize' must be in the range 1 <= n <= 255, not '0'");
    assert_eq!(sandbox.run("c -m none a b dir/x").failed(), "metadata file 'none' does not exist!");
}

#[test]
fn no_output_is_written_twice() {
    let sandbox = files();
    fs::create_dir(sandbox.path("other")).unwrap();
    sandbox.write("other/a", b"another");
    let run = sandbox.run("-f c --output-dir out a other/a b");
    assert_eq!(errors(&run), ["input file 'other/a': output file 'out/a.blp' is already that of 'a'"]);
    assert_eq!(tree(&sandbox, "out"), ["out/a.blp", "out/b.blp"]);
    assert_eq!(sandbox.run("-f d out/a.blp -").ok().stdout, counting(1000));
    // Not even with `--rm`.
    let run = sandbox.run("-f c --rm --output-dir out a other/a");
    assert_eq!(errors(&run).len(), 1);
    assert!(!sandbox.path("a").exists() && sandbox.path("other/a").exists());
}

#[test]
fn inputs_are_removed_when_their_output_is_there() {
    let sandbox = files();
    sandbox.run("c --rm a").ok();
    assert_eq!(sandbox.names(), ["a.blp", "b", "dir"]);
    sandbox.run("d --rm a.blp").ok();
    assert_eq!((sandbox.names(), sandbox.read("a")), (vec!["a".into(), "b".into(), "dir".into()], counting(1000)));
    let run = sandbox.run("-v c --rm a").ok();
    assert_eq!(run.lines().last(), Some(&"blpk: removed input file: 'a'"));
    // The input is not removed after a failure.
    let mut bytes = sandbox.read("a.blp");
    bytes[200] ^= 1;
    sandbox.write("a.blp", &bytes);
    sandbox.run("d --rm a.blp").failed();
    sandbox.write("b.blp", b"old");
    assert_eq!(sandbox.run("c --rm b").failed(), "output file 'b.blp' exists!");
    sandbox.run("c --rm -t 0 b out").failed();
    assert_eq!(sandbox.names(), ["a.blp", "b", "b.blp", "dir"]);
    assert!(sandbox.run("-f c --rm b b").failed().contains("same file"));
    assert_eq!(sandbox.read("b"), counting(20_000));
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_removed() {
    let sandbox = files();
    std::os::unix::fs::symlink("a", sandbox.path("link")).unwrap();
    sandbox.run("c --rm link").ok();
    assert!(sandbox.path("link").exists() && sandbox.path("a").exists() && sandbox.path("link.blp").exists());
    // An output on a device does not preserve the data, so the input stays.
    sandbox.run("-f c --rm a /dev/null").ok();
    assert!(sandbox.path("a").exists());
    sandbox.shell("mkfifo p && (cat a > p &) && blpk c --rm p").ok();
    assert!(sandbox.path("p").exists());
}

#[test]
fn what_does_not_go_together_is_a_usage_error() {
    let sandbox = files();
    for (args, message) in [
        ("c --output x a b", "argument --output: takes one input, not 2; use --output-dir"),
        ("c --output x --output-dir y a", "argument --output: not allowed with argument --output-dir"),
        ("c --output x --stdout a", "argument --output: not allowed with argument --stdout"),
        ("c --output-dir x --stdout a", "argument --output-dir: not allowed with argument --stdout"),
        ("d -r --output x a", "argument -r/--recursive: not allowed with argument --output"),
        ("c --stdout a b", "argument --stdout: takes one input: bloscpack files cannot be joined"),
        ("c --stdout -r dir", "argument --stdout: takes one input: bloscpack files cannot be joined"),
        ("c --rm --stdout a", "argument --rm: not allowed with argument --stdout"),
        ("c --rm a -", "argument --rm: not allowed with stdin or stdout"),
        ("c --rm - a", "argument --rm: not allowed with stdin or stdout"),
        ("d --rm --output - a", "argument --rm: not allowed with stdin or stdout"),
        ("d --metadata-out m --each a b", "argument --metadata-out: takes only one input"),
        ("d --metadata-out - a.blp -", "argument --metadata-out: stdout is used for the data"),
        ("d --out x a", "ambiguous option: --out could match --output, --output-dir"),
        ("verify", "the following arguments are required: <file>"),
        ("list", "the following arguments are required: <file>"),
    ] {
        assert_eq!(sandbox.run(args).usage(), message, "{args}");
    }
    assert_eq!(sandbox.names(), ["a", "b", "dir"]);
    let run = sandbox.pipe("c --output-dir out -", b"");
    assert_eq!(run.failed(), "an output for stdin in a directory has no name; use --output");
    assert_eq!(
        sandbox.run("d -e a b dir/x").stderr.lines().next(),
        Some("blpk: error: --no-check-extension requires use of <out_file>")
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_all() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        sandbox.write(name, &noise(100_000));
    }
    sandbox.shell("mkfifo p").ok();
    let child = sandbox.command(&["c", "a", "p", "b", "c"]).spawn().unwrap();
    // A writer that opens the pipe and writes nothing.
    let writer = fs::File::options().write(true).open(sandbox.path("p")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300) * testdata::slowness());
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let run = Run::of("c a p b c".into(), child.wait_with_output().unwrap());
    drop(writer);
    assert_eq!(run.failed(), "interrupted");
    assert_eq!(sandbox.names(), ["a", "a.blp", "b", "c", "p"]);
}

#[test]
fn frames_lose_the_extension_that_says_so() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    for name in ["x.b2frame", "y.b2nd", "z.npy"] {
        sandbox.run(&format!("convert f.blp {name}")).ok();
    }
    fs::create_dir(sandbox.path("dir")).unwrap();
    for name in ["x.b2frame", "y.b2nd", "z.npy"] {
        fs::rename(sandbox.path(name), sandbox.path(&format!("dir/{name}"))).unwrap();
    }
    sandbox.run("d -r dir --output-dir out").ok();
    // A NumPy array is not compressed.
    assert_eq!(tree(&sandbox, "out"), ["out/dir/x", "out/dir/y"]);
    assert_eq!((sandbox.read("out/dir/x"), sandbox.read("out/dir/y")), (counting(100_000), counting(100_000)));
    sandbox.run("d --each dir/z.npy --output-dir out").ok();
    assert_eq!(sandbox.read("out/z.npy"), counting(100_000));
}
