//! Tests that appending keeps the old data and adds the new, or changes nothing at all.

use crate::common::{Sandbox, counting, noise};

/// A folder with `a.blp`, made by the arguments from 10,000 bytes in chunks of 3,000, and `new` of 7,777 bytes.
fn archive(arguments: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("a", &counting(10_000));
    sandbox.write("new", &noise(7_777));
    sandbox.run(&format!("c -z 3000 {arguments} a a.blp")).ok();
    sandbox
}

fn content(sandbox: &Sandbox) -> Vec<u8> {
    sandbox.run("-f d a.blp out").ok();
    sandbox.read("out")
}

#[test]
fn appended_data_follows_the_old() {
    for arguments in ["", "-k None", "-k sha512 -c zstd -t 3", "-o", "-o -k None -l 0", "-s -c lz4 -t 1"] {
        let sandbox = archive(arguments);
        let mut expected = counting(10_000);
        for options in ["", "-t 2 -c zlib -l 9", "-s -c lz4hc"] {
            sandbox.run(&format!("a {options} a.blp new")).ok();
            expected.extend(noise(7_777));
            assert_eq!(content(&sandbox), expected, "{arguments}");
            sandbox.run("verify a.blp").ok();
        }
        assert_eq!(sandbox.names(), ["a", "a.blp", "new", "out"]);
    }
}

#[test]
fn the_typesize_stays_unless_told_otherwise() {
    let sandbox = archive("-t 4");
    // The typesize in the header of the last chunk, which the append wrote.
    let last_typesize = |sandbox: &Sandbox| {
        let archive = bloscpack_io::Archive::open(sandbox.read("a.blp")).unwrap();
        assert_eq!(archive.header().unwrap().typesize, 4);
        archive.compressed_chunk(archive.nchunks() - 1).unwrap()[3]
    };
    sandbox.run("a a.blp new").ok();
    assert_eq!(last_typesize(&sandbox), 4);
    sandbox.run("a -t 2 a.blp new").ok();
    assert_eq!(last_typesize(&sandbox), 2);
}

#[test]
fn nothing_to_append_changes_nothing() {
    let sandbox = archive("");
    let before = sandbox.read("a.blp");
    sandbox.write("new", b"");
    sandbox.run("a a.blp new").ok();
    assert_eq!(sandbox.read("a.blp"), before);
    // Metadata is still written, if the file has a section for it.
    sandbox.write("m", b"[1]");
    assert!(sandbox.run("a -m m a.blp new").failed().contains("no metadata section"));
    assert_eq!(sandbox.read("a.blp"), before);
}

#[test]
fn metadata_and_data_change_together_or_not_at_all() {
    let sandbox = Sandbox::new();
    sandbox.write("a", &counting(10_000));
    sandbox.write("new", &noise(100));
    sandbox.write("m", br#"{"a": 1}"#);
    sandbox.run("c -m m a a.blp").ok();
    let before = sandbox.read("a.blp");

    let digits: String = (0..9).map(|i| testdata::sha256_hex(&[i])).collect();
    sandbox.write("large", format!("\"{digits}\"").as_bytes());
    assert!(sandbox.run("a -m large a.blp new").failed().contains("max_meta_size"));
    assert!(sandbox.run("a -m m a.blp new").failed().contains("the same"));
    sandbox.write("bad", b"{");
    assert!(sandbox.run("a -m bad a.blp new").failed().contains("metadata file 'bad' is not valid JSON"));
    assert!(sandbox.run("a -m missing a.blp new").failed().contains("metadata file 'missing' does not exist!"));
    assert_eq!(sandbox.read("a.blp"), before);

    sandbox.write("other", br#"{"a": [1, 2.5]}"#);
    sandbox.run("a -m other a.blp new").ok();
    sandbox.run("-f d a.blp out").prints(&["blpk: Metadata:", "blpk: {'a': [1, 2.5]}"]);
    assert_eq!(sandbox.read("out"), [counting(10_000), noise(100)].concat());
}

#[test]
fn no_room_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("a", &counting(100));
    sandbox.write("new", &noise(1101));
    sandbox.run("c a a.blp").ok();
    let before = sandbox.read("a.blp");
    // Room for ten chunks of 100 bytes.
    let error = sandbox.run("a a.blp new").failed();
    assert!(error.starts_with("a.blp: ") && error.contains("room for 10"), "{error}");
    assert_eq!(sandbox.read("a.blp"), before);
}

#[test]
fn a_damaged_last_chunk_is_not_built_upon() {
    let sandbox = archive("");
    let mut bytes = sandbox.read("a.blp");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    sandbox.write("a.blp", &bytes);
    assert!(sandbox.run("a a.blp new").failed().contains("adler32"));
    assert_eq!(sandbox.read("a.blp"), bytes);
}

#[test]
fn an_archive_is_not_appended_to_itself() {
    let sandbox = archive("");
    let before = sandbox.read("a.blp");
    assert!(sandbox.run("a a.blp a.blp").failed().contains("are the same file"));
    std::fs::hard_link(sandbox.path("a.blp"), sandbox.path("link")).unwrap();
    assert!(sandbox.run("a a.blp link").failed().contains("are the same file"));
    assert_eq!(sandbox.read("a.blp"), before);
}

#[test]
fn names_are_checked_as_in_the_original() {
    let sandbox = archive("");
    assert_eq!(sandbox.run("a new a").failed(), "original file 'new' does not end with '.blp'");
    assert_eq!(sandbox.run("a b.blp a").failed(), "original file 'b.blp' does not exist!");
    assert_eq!(sandbox.run("a a.blp b").failed(), "new file 'b' does not exist!");
    std::fs::rename(sandbox.path("a.blp"), sandbox.path("a.packed")).unwrap();
    sandbox.run("a -e a.packed new").ok();
    assert!(sandbox.run("a -e a new").failed().starts_with("a: "));
}

#[cfg(unix)]
#[test]
fn a_pipe_can_be_appended() {
    let sandbox = archive("");
    sandbox.shell("blpk a a.blp <(cat new)").ok();
    assert_eq!(content(&sandbox), [counting(10_000), noise(7_777)].concat());
    assert_eq!(sandbox.pipe("a a.blp -", b"more").ok().stdout, b"");
    assert!(content(&sandbox).ends_with(b"more"));
}
