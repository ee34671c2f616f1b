//! Tests that pipes work in both directions, and that texts stay out of the data.

use crate::common::{Sandbox, counting, noise};

#[test]
fn through_stdin_and_stdout_and_back() {
    let sandbox = Sandbox::with_f();
    for plain in [counting(100_000), noise(3_000_000), b"x".to_vec(), Vec::new()] {
        for options in ["", "-o", "-z 1000 -k None", "-n 1 -m m", "-z max -c zstd"] {
            sandbox.write("m", b"[1]");
            let packed = sandbox.pipe(&format!("c {options} - -"), &plain).ok().stdout;
            assert!(packed.starts_with(b"blpk\x03"));
            let unpacked = sandbox.pipe("d - -", &packed);
            assert_eq!((unpacked.code, unpacked.stdout == plain), (Some(0), true), "{options}: {}", unpacked.stderr);
            // The same with files: the content of the output does not depend on how it was written.
            sandbox.write("plain", &plain);
            sandbox.run(&format!("-f c {options} plain plain.blp")).ok();
            assert_eq!(sandbox.read("plain.blp"), packed, "{options}");
        }
    }
}

#[test]
fn dash_alone_means_both_ends() {
    let sandbox = Sandbox::with_f();
    sandbox.shell("cat f | blpk c - | blpk d - | cmp - f").ok();
    sandbox.shell("blpk c f - | blpk d - g && cmp f g").ok();
    sandbox.shell("blpk c - h.blp < f && blpk d h.blp - | cmp - f").ok();
    sandbox.shell("blpk chunk encode - - < f | blpk chunk decode - - | cmp - f").ok();
}

#[test]
fn texts_go_to_stderr_when_stdout_is_data() {
    let sandbox = Sandbox::with_f();
    sandbox.write("m", br#"{"a": 1}"#);
    let packed = sandbox.args(&["-v", "c", "-m", "m", "f", "-"]);
    assert!(packed.stdout.starts_with(b"blpk\x03"));
    assert!(packed.stderr.contains("blpk: output file is: '-'\n") && packed.stderr.ends_with("blpk: done\n"));
    let unpacked = sandbox.pipe("d -", &packed.stdout);
    assert_eq!(unpacked.stdout, sandbox.read("f"));
    assert_eq!(unpacked.stderr, "blpk: Metadata:\nblpk: {'a': 1}\n");
}

#[test]
fn fifos_and_process_substitution_give_the_whole_data() {
    let sandbox = Sandbox::with_f();
    sandbox.shell("mkfifo p && (cat f > p &) && blpk c p p.blp && blpk d p.blp - | cmp - f").ok();
    sandbox.shell("blpk c <(cat f) s.blp && blpk d -e <(cat s.blp) s && cmp s f").ok();
    sandbox.shell("cat f | blpk c /dev/stdin t.blp && blpk d t.blp - | cmp - f").ok();
    sandbox.shell("blpk info <(cat s.blp) > i && blpk info s.blp | cmp - i").ok();
    sandbox.shell("cat s.blp | blpk cat --bytes 8..16 - | cmp - <(head -c 16 f | tail -c 8)").ok();
    sandbox.shell("blpk verify - < s.blp && cat s.blp | blpk verify -").ok();
}

/// Stdin that is a file is read from its position on, as a pipe would be.
#[test]
fn stdin_starts_at_its_position() {
    let sandbox = Sandbox::with_f();
    sandbox.shell("blpk c f f.blp && { echo header; cat f; } > data && { echo header; cat f.blp; } > packed").ok();
    let after_header = |line: &str, file: &str| sandbox.shell(&format!("(read -r header; {line}) < {file}")).ok();
    for (line, output) in [
        ("blpk c -", "blpk d -"),
        ("blpk c -o -", "blpk d -"),
        ("blpk c - a.blp", "blpk d a.blp -"),
        ("blpk c --auto - b.blp", "blpk d b.blp -"),
        ("blpk c --auto -o -", "blpk d -"),
        ("blpk c --format b2frame - c.b2frame", "blpk d c.b2frame -"),
        ("blpk convert --dtype u1 - d.npy", "blpk cat --bytes .. d.npy"),
        ("blpk chunk encode - -", "blpk chunk decode - -"),
    ] {
        after_header(&format!("{line} | cat > out"), "data");
        assert_eq!(sandbox.shell(&format!("{output} < out")).ok().stdout, sandbox.read("f"), "{line}");
    }
    sandbox.shell("cp f.blp twice.blp; cat f f > twice").ok();
    after_header("blpk a twice.blp -", "data");
    sandbox.shell("blpk d twice.blp - | cmp - twice").ok();
    for line in ["blpk d -", "blpk cat --bytes .. -"] {
        assert_eq!(after_header(line, "packed").stdout, sandbox.read("f"), "{line}");
    }
    for line in ["blpk info", "blpk stats", "blpk list"] {
        let expected = sandbox.shell(&format!("{line} - < f.blp")).ok();
        assert_eq!(after_header(&format!("{line} -"), "packed").text(), expected.text(), "{line}");
    }
    after_header("blpk verify -", "packed");
    after_header("blpk convert - e.npy", "packed");
    sandbox.shell("blpk cat --bytes .. e.npy | cmp - f").ok();
    sandbox.shell("blpk chunk encode f chunk && { echo header; cat chunk; } > data").ok();
    let expected = sandbox.shell("blpk chunk info - < chunk").ok();
    assert_eq!(after_header("blpk chunk info -", "data").text(), expected.text());
    // At the end, there is nothing left.
    sandbox.shell("(cat > /dev/null; blpk c -) < f | blpk d - | cmp - /dev/null").ok();
}

/// Files of `/sys` claim to be a page long, files of `/proc` claim to be empty, whatever their real size.
#[cfg(target_os = "linux")]
#[test]
fn files_of_the_kernel_give_what_they_hold() {
    let sandbox = Sandbox::with_f();
    sandbox.run("c f base.blp").ok();
    let files =
        ["/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/profiling", "/proc/version", "/proc/filesystems"];
    for file in files.into_iter().filter(|file| std::fs::read(file).is_ok_and(|bytes| !bytes.is_empty())) {
        let plain = std::fs::read(file).unwrap();
        for output in ["out.blp", "out.b2frame"] {
            sandbox.run(&format!("-f c --verify {file} {output}")).ok();
            sandbox.run(&format!("-f d {output} out")).ok();
            assert_eq!(sandbox.read("out"), plain, "{file} {output}");
        }
        sandbox.run(&format!("-f c -o {file} out.blp")).ok();
        assert_eq!(sandbox.shell(&format!("blpk c -o {file} - | blpk d - -")).ok().stdout, plain, "{file}");
        sandbox.run(&format!("chunk encode {file} chunk -ff")).ok();
        assert_eq!(sandbox.run("chunk decode chunk -").ok().stdout, plain, "{file}");
        let measured = sandbox.run(&format!("bench --json --seconds 0 -c lz4 -l 1 --filter none {file}")).ok();
        assert!(measured.text().contains(&format!("\"nbytes\":{},", plain.len())), "{file}: {}", measured.text());
        std::fs::copy(sandbox.path("base.blp"), sandbox.path("more.blp")).unwrap();
        sandbox.run(&format!("a more.blp {file}")).ok();
        assert_eq!(sandbox.run("d more.blp -").ok().stdout, [sandbox.read("f"), plain].concat(), "{file}");
    }
}

#[test]
fn an_output_that_is_no_file_is_written_to() {
    let sandbox = Sandbox::with_f();
    assert_eq!(sandbox.run("c f /dev/null").failed(), "output file '/dev/null' exists!");
    sandbox.run("-f c f /dev/null").ok();
    sandbox.shell("blpk -f c - /dev/null < f").ok();
    sandbox.shell("mkfifo p && (cat p > q.blp &) && blpk -f c f p && sleep 0.2 && blpk d q.blp - | cmp - f").ok();
    assert!(std::fs::metadata("/dev/null").unwrap().len() == 0 && !std::fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &noise(5_000_000));
    sandbox.run("c f").ok();
    sandbox.shell("blpk d f.blp - | head -c 10 | cmp - <(head -c 10 f)").ok();
    sandbox.shell("blpk cat --bytes .. f.blp | head -c 10 | cmp - <(head -c 10 f)").ok();
    sandbox.shell("blpk -d d f.blp g | true").ok();
    assert!(sandbox.read("g") == sandbox.read("f"), "a text that nobody reads does not disturb the work");
    sandbox.shell("blpk --help | true").ok();
}

#[test]
fn a_full_device_is_a_failure() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let sandbox = Sandbox::with_f();
    sandbox.run("c f").ok();
    for line in ["blpk info f.blp > /dev/full", "blpk d f.blp - > /dev/full", "blpk -f d f.blp /dev/full"] {
        let error = sandbox.shell(line).failed();
        assert!(error.contains("No space left on device"), "{line}: {error}");
    }
}

/// A limit of the file size stands for a full directory of temporary files.
#[test]
fn a_full_directory_of_temporary_files_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("f", &noise(1_000_000));
    sandbox.shell("blpk c f && blpk c f f.b2frame && mkdir tmp").ok();
    for line in [
        "cat f | blpk c - -",
        "cat f | blpk c - out.blp",
        "cat f | blpk convert --dtype u1 - out.npy",
        "cat f.blp | blpk info -",
        "(read -r line; blpk convert --dtype u1 - out.npy) < f",
        "cat f.b2frame | blpk d - -",
        "cat f.b2frame | blpk verify -",
        "blpk convert --dtype u1 --shape 1000,1000 f.blp out.b2nd",
    ] {
        let run = sandbox.shell(&format!("export TMPDIR=$PWD/tmp; ulimit -f 64; {line}"));
        let (expected, error) =
            (format!("writing a temporary file (TMPDIR) in '{}'", sandbox.path("tmp").display()), run.error());
        assert!(error.contains(&expected) && error.contains("too large"), "{line}: {error}");
        assert!(!error.contains("out.") && !error.contains("reading"), "{line}: {error}");
    }
}

#[test]
fn a_terminal_is_not_filled_with_binary_data() {
    let sandbox = Sandbox::with_f();
    // `script` runs a command on a terminal; not every machine has it.
    let on_a_terminal = |command: &str| sandbox.shell(&format!("script -qec '{command}' /dev/null"));
    if on_a_terminal("true").code != Some(0) {
        eprintln!("skipped: no `script` that knows -e and -c");
        return;
    }
    sandbox.run("c f").ok();
    for command in ["blpk c f -", "blpk d f.blp -", "blpk cat --bytes ..8 f.blp", "blpk chunk encode f -"] {
        let run = on_a_terminal(command);
        assert_eq!(run.code, Some(1), "{command}");
        assert!(run.text().starts_with("blpk: error: refusing to write binary data to a terminal"), "{}", run.text());
    }
    assert_eq!(on_a_terminal("blpk -f cat --bytes 8..9 f.blp").code, Some(0));
}
