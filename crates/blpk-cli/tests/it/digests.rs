//! Tests `--digest` and `--verify`: wrong data is reported before anything is lost.

use std::process::Command;

use crate::common::{Run, Sandbox, counting, golden_bcolz};

fn sha256(sandbox: &Sandbox, name: &str) -> String {
    let run = sandbox.shell(&format!("sha256sum {name}")).ok();
    run.text().split(' ').next().unwrap().to_owned()
}

#[test]
fn digests_are_lines_that_sha256sum_checks() {
    let sandbox = Sandbox::with_f();
    let line = format!("{}  f\n", sha256(&sandbox, "f"));
    for output in ["f.blp", "f.b2frame"] {
        assert_eq!(sandbox.run(&format!("c --digest sha256 --verify f {output}")).ok().text(), line, "{output}");
        let verified = sandbox.run(&format!("verify --digest sha256 {output}")).ok();
        assert_eq!(verified.lines()[0], line.trim_end(), "{output}");
        sandbox.shell(&format!("blpk -q verify --digest sha256 {output} | sha256sum -c")).ok();
        let run = sandbox.run(&format!("-f d --digest sha256 {output} g")).ok();
        assert_eq!(run.text(), line.replace("  f", "  g"), "{output}");
        sandbox.shell("sha256sum f > sums && cp g f && sha256sum -c sums").ok();
    }
    // Stdout carries the data, so the digest goes to stderr.
    sandbox.shell("blpk c --digest sha256 - - < f > out 2> sums").ok();
    assert_eq!(sandbox.read("sums"), line.replace("  f", "  -").into_bytes());
    sandbox.shell("blpk d --digest sha512 - - < out 2> sums | cmp - f && sha512sum - < f | cmp - sums").ok();
    // An empty file, and several files.
    sandbox.write("empty", b"");
    let run = sandbox.run("c --digest md5 --each empty f -f").ok();
    assert_eq!(run.lines()[0], "d41d8cd98f00b204e9800998ecf8427e  empty");
    assert_eq!(run.lines().len(), 2);
}

/// A name may hold anything but a NUL. `sha256sum` escapes characters that would break the line.
#[test]
fn names_are_escaped_as_by_sha256sum() {
    let sandbox = Sandbox::new();
    for name in
        ["line\nbreak", "carriage\rreturn", "back\\slash", "all\\n\n\r\\", "tab\tand\x1b[2J", "plain", " spaces "]
    {
        sandbox.write("x", name.as_bytes());
        std::fs::rename(sandbox.path("x"), sandbox.path(name)).unwrap();
        let run = sandbox.args(&["-f", "c", "--digest", "sha256", name, "out.blp"]).ok();
        let theirs =
            Run::of(name.into(), Command::new("sha256sum").arg(name).current_dir(sandbox.path("")).output().unwrap());
        // Before version 9.0, `sha256sum` did not escape a carriage return.
        if !name.contains('\r') || theirs.stdout.starts_with(b"\\") && !theirs.stdout.contains(&b'\r') {
            assert_eq!(run.stdout, theirs.stdout, "{name:?}");
            sandbox.write("sums", &run.stdout);
            sandbox.shell("sha256sum --strict -c sums").ok();
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_bytes() {
    use std::os::unix::ffi::OsStrExt as _;
    let sandbox = Sandbox::with_f();
    let name = std::ffi::OsStr::from_bytes(b"not\xfftext");
    std::fs::copy(sandbox.path("f"), sandbox.path("").join(name)).unwrap();
    let args = ["c", "--digest", "sha256"].map(std::ffi::OsStr::new);
    let run = sandbox.command(&[&args[..], &[name]].concat()).output().unwrap();
    sandbox.write("sums", &run.stdout);
    sandbox.shell("sha256sum --strict -c sums").ok();
}

#[test]
fn another_digest_is_an_error_and_nothing_is_written() {
    let sandbox = Sandbox::with_f();
    let sum = sha256(&sandbox, "f");
    let wrong = format!("{}{}", &sum[..63], if sum.ends_with('0') { "1" } else { "0" });
    sandbox.write("keep", b"old");
    for output in ["f.blp", "f.b2frame", "chunk"] {
        sandbox.run(&if output == "chunk" { "chunk encode f chunk".into() } else { format!("c f {output}") }).ok();
        let expected = format!("{output}: the sha256 of the plain bytes is {sum}, expected {wrong}");
        assert_eq!(sandbox.run(&format!("-f d --digest sha256:{wrong} {output} keep")).failed(), expected);
        assert_eq!(sandbox.run(&format!("verify --digest sha256:{wrong} {output}")).failed(), expected);
        assert_eq!(sandbox.read("keep"), b"old");
        let run = sandbox.run(&format!("-f d --digest sha256:{} {output} keep", sum.to_uppercase())).ok();
        assert_eq!(run.text(), "");
        assert_eq!(sandbox.read("keep"), counting(100_000));
        sandbox.run(&format!("verify --digest sha256:{sum} {output}")).ok();
        sandbox.write("keep", b"old");
    }
}

#[test]
fn digests_of_directories() {
    let (sandbox, _) = golden_bcolz("ref/dtype/f8");
    let name = "x";
    sandbox.run(&format!("d {name} plain")).ok();
    let sum = sha256(&sandbox, "plain");
    sandbox.run(&format!("verify --digest sha256:{sum} {name}")).ok();
}

#[test]
fn what_cannot_be() {
    let sandbox = Sandbox::with_f();
    for (line, expected) in [
        ("c --verify f -", "argument --verify: data written to stdout cannot be read again"),
        ("c --verify -", "argument --verify: data written to stdout cannot be read again"),
        ("d --digest md5:00000000000000000000000000000000 a b c", "argument --digest: a digest belongs to one input"),
        (
            "verify --digest md5:00000000000000000000000000000000 a b",
            "argument --digest: a digest belongs to one input",
        ),
        ("verify --digest md5:00 a", "argument --digest: invalid md5 digest: '00' (expected 32 hexadecimal digits)"),
        ("c --digest crc32 f", "argument --digest: invalid choice: 'crc32' (choose from 'md5', 'sha1', "),
    ] {
        let error = sandbox.run(line).usage();
        assert!(error.starts_with(expected), "{line}: {error}");
    }
    sandbox.run("c f").ok();
    let error = sandbox.shell("blpk verify --digest md5 - < f.blp").failed();
    assert!(error.contains("'blpk decompress --digest md5 - -'"), "{error}");
    // A named pipe cannot be read again either.
    sandbox.shell("mkfifo p").ok();
    let error = sandbox.shell("cat p > /dev/null & blpk -f c --verify f p; code=$?; wait; exit $code").failed();
    assert!(error.contains("is not a regular file"), "{error}");
    // Neither can a device that is written sequentially, with an input of known or unknown size.
    let error = sandbox.shell("blpk -f c --verify - /dev/null < f").failed();
    assert!(error.contains("is not a regular file"), "{error}");
    let error = sandbox.shell("cat f | blpk -f c --verify - /dev/null").failed();
    assert!(error.contains("is not a regular file"), "{error}");
    sandbox.shell("cat f | blpk c --verify - piped.blp && blpk d piped.blp - | cmp - f").ok();
}
