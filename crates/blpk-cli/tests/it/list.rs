//! Tests that `list` agrees with `info` about every file.

use testdata::serde_json::{Value, from_str, json};

use crate::common::{Sandbox, counting};

/// Creates a file of each kind, and some that are of no known kind.
fn files() -> Sandbox {
    let sandbox = Sandbox::with_f();
    std::fs::create_dir(sandbox.path("dir")).unwrap();
    sandbox.run("c -z 30000 f dir/a.blp").ok();
    sandbox.run("convert dir/a.blp dir/b.b2frame").ok();
    sandbox.run("convert --dtype <f4 --shape 250,100 dir/a.blp dir/c.b2nd").ok();
    sandbox.run("convert dir/a.blp dir/d.npy").ok();
    sandbox.run("chunk encode f dir/e").ok();
    sandbox.write("dir/f", b"text");
    sandbox
}

/// Writes a sparse frame of the reference's to a directory. Returns its name in the set.
fn sparse(sandbox: &Sandbox, name: &str) {
    let files = testdata::archive("frames");
    let index = files.keys().find(|path| path.ends_with("/chunks.b2frame")).unwrap();
    let prefix = index.strip_suffix("chunks.b2frame").unwrap();
    std::fs::create_dir_all(sandbox.path(name)).unwrap();
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with(prefix)) {
        sandbox.write(&format!("{name}/{}", &path[prefix.len()..]), bytes);
    }
}

#[test]
fn a_table() {
    let sandbox = files();
    let run = sandbox.run("list -r dir").ok();
    let cells: Vec<Vec<&str>> = run
        .lines()
        .iter()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(cells[0], ["format", "nbytes", "cbytes", "ratio", "chunks", "type", "name"]);
    let size = sandbox.read("dir/a.blp").len();
    let ratio = format!("{:.2}", 100_000.0 / size as f64);
    assert_eq!(
        (cells[1][0], cells[1][1], cells[1][3], cells[1][4], cells[1][5], cells[1][6]),
        ("bloscpack", "97.66K", ratio.as_str(), "4", "8", "dir/a.blp")
    );
    let kinds: Vec<_> = cells[1..6].iter().map(|row| (row[0], row[5], row[6])).collect();
    assert_eq!(
        kinds[1..],
        [
            ("cframe", "8", "dir/b.b2frame"),
            ("b2nd", "<f4 [250,100]", "dir/c.b2nd"),
            ("npy", "<u8 [12500]", "dir/d.npy"),
            ("chunk", "8", "dir/e"),
        ]
    );
    assert_eq!((cells[6][0], *cells[6].last().unwrap()), ("total", "5 files"));
    assert_eq!(cells.len(), 7);
    // All columns are aligned.
    let at = |line: &str| line.find("  dir/").unwrap();
    assert!(run.lines()[1..6].iter().all(|line| at(line) == at(run.lines()[1])));
}

#[test]
fn json_is_that_of_info() {
    let sandbox = files();
    sparse(&sandbox, "dir/s");
    let names = ["dir/a.blp", "dir/b.b2frame", "dir/c.b2nd", "dir/d.npy", "dir/e", "dir/s"];
    let run = sandbox.run("list --json -r dir").ok();
    let lines: Vec<Value> = run.lines().iter().map(|line| from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), names.len());
    for (line, name) in lines.iter().zip(names) {
        let info: Value = from_str(sandbox.run(&format!("info --json {name}")).ok().text()).unwrap();
        assert_eq!((&line["name"], &line["schema"]), (&json!(name), &json!(1)));
        for (member, value) in line.as_object().unwrap() {
            assert!(member == "name" || info[member] == *value, "{name}: {member}");
        }
        let missing: Vec<_> = info.as_object().unwrap().keys().filter(|member| line.get(member).is_none()).collect();
        // Only the header of a chunk is read.
        assert_eq!(missing, if name == "dir/e" { vec!["blocks", "bstarts"] } else { vec![] }, "{name}");
    }
    let many = sandbox.run("info --json dir/a.blp dir/e").ok();
    let many: Vec<Value> = many.lines().iter().map(|line| from_str(line).unwrap()).collect();
    assert_eq!((&many[0]["name"], &many[1]["name"]), (&json!("dir/a.blp"), &json!("dir/e")));
}

#[test]
fn what_cannot_be_listed_is_an_error_where_it_is_named() {
    let sandbox = files();
    let run = sandbox.run("list dir/a.blp f missing dir");
    assert_eq!(run.code, Some(1));
    let errors: Vec<_> = run.stderr.lines().collect();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert!(errors[0].starts_with("blpk: error: f: not a Blosc file: it starts with "), "{errors:?}");
    assert_eq!(errors[1], "blpk: error: file 'missing' does not exist!");
    assert_eq!(errors[2], "blpk: error: file 'dir' is a directory, not a file; use --recursive for the files in it");
    assert_eq!(run.lines().len(), 3);
    // The name says that it should be a bloscpack file.
    sandbox.write("dir/bad.blp", b"no longer");
    let run = sandbox.run("list -r dir");
    assert!(run.error().starts_with("dir/bad.blp: ") && run.lines().len() == 7);
    assert_eq!(sandbox.run("list -r f").code, Some(1));
}

#[test]
fn nothing_is_decompressed() {
    let sandbox = files();
    // Damages every byte after the headers and offsets.
    let mut bytes = sandbox.read("dir/a.blp");
    let at = usize::try_from(u64::from_le_bytes(bytes[32..40].try_into().unwrap())).unwrap();
    bytes[at..].fill(0x55);
    sandbox.write("dir/a.blp", &bytes);
    sandbox.run("verify dir/a.blp").failed();
    assert_eq!(sandbox.run("list dir/a.blp").ok().lines().len(), 3);
}

#[test]
fn info_of_several_files_names_them() {
    let sandbox = files();
    let run = sandbox.run("info dir/a.blp dir/e").ok();
    assert_eq!(run.lines()[..2], ["blpk: dir/a.blp:", "blpk: BloscpackHeader:"]);
    assert!(run.text().contains("\nblpk: dir/e:\nblpk: BloscHeader:\n"));
    let alone = sandbox.run("info dir/e").ok();
    assert!(run.text().ends_with(alone.text()));
    assert_eq!(sandbox.run("info -r dir").ok().text().matches("blpk: dir/").count(), 5);
    let run = sandbox.run("info f dir/e");
    assert_eq!((run.code, run.error().contains("the magic marker")), (Some(1), true));
    assert_eq!(run.text(), format!("blpk: dir/e:\n{}", alone.text()));
}

#[test]
fn sizes_are_those_of_plain_bytes_and_of_the_disk() {
    let sandbox = Sandbox::new();
    // Chunks of an array are padded, so its header counts 2 × 2 chunks of 64 × 64 items.
    sandbox.write("f", &counting(101 * 101 * 8));
    sandbox.run("c f").ok();
    sandbox.run("convert --dtype <f8 --shape 101,101 --chunkshape 64,64 f.blp a.b2nd").ok();
    sandbox.run("convert --dtype <f8 --shape 101,101 f.blp a.bcolz").ok();
    let (plain, file) = (101 * 101 * 8, sandbox.read("a.b2nd").len());
    let info = sandbox.info("a.b2nd");
    assert_eq!((&info["plain_nbytes"], &info["stored_nbytes"]), (&json!(plain), &json!(file)));
    assert_eq!(info["nbytes"], json!(4 * 64 * 64 * 8));
    let run = sandbox.run("list a.b2nd").ok();
    let ratio = format!("{:.2}", f64::from(plain) / file as f64);
    assert!(run.lines()[1].contains(" 79.7K ") && run.lines()[1].contains(&format!(" {ratio} ")), "{:?}", run.lines());
    let du = sandbox.shell("find a.bcolz -type f -printf '%s\\n' | awk '{ sum += $1 } END { print sum }'").ok();
    let info = sandbox.info("a.bcolz");
    assert_eq!((&info["plain_nbytes"], info["stored_nbytes"].to_string()), (&json!(plain), du.text().trim().into()));
}
