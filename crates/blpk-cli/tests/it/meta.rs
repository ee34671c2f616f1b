//! Attributes, vlmetalayers and bloscpack metadata: conversions between all containers keep them or name the lost ones,
//! and `blpk meta` edits them.

use bloscpack_format::bcolz::Dtype as ColumnDtype;
use bloscpack_format::frame::FrameType;
use bloscpack_format::numpy::NumpyMeta;
use bloscpack_format::{Json, msgpack};
use bloscpack_io::bcolz::{CarrayParams, CtableWriter};
use bloscpack_io::frame::{ArrayOptions, FrameParams, FrameWriter};

use crate::common::{Run, Sandbox, counting};

/// Attributes of all types, as JSON.
const VALUES: [(&str, &str); 9] = [
    ("unit", r#""K""#),
    ("list", r#"[1,2.5,null,true,{"a":[]}]"#),
    ("nan", "NaN"),
    ("large", "123456789012345678901234567890"),
    ("unsigned", "18446744073709551615"),
    ("bytes", r#"{"$bytes":"/wA="}"#),
    ("ext", r#"{"$ext":[42,"Bw=="]}"#),
    ("map", r#"{"$map":[[1,"a"]]}"#),
    ("tuple", r#"["__tuple__",1,2]"#),
];

/// Returns the output of `meta get` for all of them.
fn expected() -> String {
    let members: Vec<String> = VALUES.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

fn set_all(sandbox: &Sandbox, file: &str) {
    for (name, value) in VALUES {
        sandbox.args(&["meta", "set", file, name, value]).ok();
    }
    assert_eq!(get(sandbox, file), expected(), "{file}");
}

/// Runs `meta get` for all attributes, and drops those that describe the array in a frame of plain bytes.
fn get(sandbox: &Sandbox, file: &str) -> String {
    let found = Json::parse(&sandbox.args(&["meta", "get", file]).ok().stdout).unwrap();
    let Json::Object(members) = found else { panic!("{file}: {found:?}") };
    let own = members.into_iter().filter(|(name, _)| !NumpyMeta::KEYS.contains(&name.as_str()));
    Json::Object(own.collect()).dumps()
}

fn npy_meta() -> NumpyMeta {
    NumpyMeta::from_json(&Json::parse(r#"{"dtype":"'<i8'","shape":[25,500],"order":"C","container":"numpy"}"#).unwrap())
        .unwrap()
}

fn npy(sandbox: &Sandbox, name: &str) {
    sandbox.run("-f compress f f.blp").ok();
    sandbox.args(&["convert", "--dtype", "<i8", "--shape", "25,500", "f.blp", name]).ok();
}

fn sparse(sandbox: &Sandbox, name: &str, is_array: bool) {
    let (plain, path) = (counting(100_000), sandbox.path(name));
    let params = FrameParams::new(8);
    if is_array {
        let array = ArrayOptions::new().array(&npy_meta()).unwrap();
        FrameWriter::create_array(&path, FrameType::Sparse, false, array, params).unwrap().finish().unwrap();
    } else {
        let mut writer = FrameWriter::create(&path, FrameType::Sparse, false, params).unwrap();
        writer.add_metalayer("fixed", b"\x92\x01\x02").unwrap();
        writer.append(&plain).unwrap();
        writer.finish().unwrap();
    }
}

fn table(sandbox: &Sandbox, name: &str) {
    let params = CarrayParams::new(ColumnDtype::parse("int64").unwrap());
    let columns = [("a", params.clone()), ("b", params)];
    let mut table = CtableWriter::create(&sandbox.path(name), false, &columns).unwrap();
    let rows = counting(800);
    table.append(&[&rows, &rows]).unwrap();
    table.finish().unwrap();
}

#[track_caller]
fn warned(run: Run) -> String {
    assert_eq!((run.code, run.text()), (Some(0), ""), "{}", run.stderr);
    assert!(run.stderr.lines().all(|line| line.starts_with("blpk: warning: ")), "{}", run.stderr);
    run.stderr
}

#[test]
fn every_pair_keeps_attributes_or_names_them() {
    let sandbox = Sandbox::with_f();
    npy(&sandbox, "array.npy");
    sandbox.run("compress f plain.blp").ok();
    sandbox.run("compress f plain.b2frame").ok();
    sandbox.run("convert array.npy array.blp").ok();
    sandbox.run("convert array.npy array.b2nd").ok();
    sandbox.run("convert array.npy carray.bcolz").ok();
    sparse(&sandbox, "plain.sframe", false);
    sparse(&sandbox, "array.sframe", true);
    let sources =
        ["plain.blp", "array.blp", "plain.b2frame", "plain.sframe", "array.b2nd", "array.sframe", "carray.bcolz"];
    for source in sources {
        if source == "plain.sframe" {
            assert_eq!(get(&sandbox, source), r#"{"fixed":[1,2]}"#);
            for (name, value) in VALUES {
                sandbox.args(&["meta", "set", source, name, value]).ok();
            }
        } else {
            set_all(&sandbox, source);
        }
        let expected = get(&sandbox, source);
        let shape = sandbox.info(source)["shape"].clone();
        for target in ["blp", "b2frame", "b2nd", "bcolz", "npy", "csv"] {
            let file = format!("out.{target}");
            let run = sandbox.run(&format!("-f convert {source} {file}"));
            if ["npy", "csv"].contains(&target) {
                let warning = warned(run);
                assert!(warning.contains(&format!("a .{target} file has no metadata")), "{source}: {warning}");
                for (name, _) in VALUES {
                    assert!(warning.contains(&format!("'{name}'")), "{source}: {warning}");
                }
                sandbox.run(&format!("-fq convert {source} {file}")).ok();
                continue;
            }
            run.ok();
            assert_eq!(get(&sandbox, &file), expected, "{source} to {target}");
            sandbox.args(&["-q", "verify", &file]).ok();
            // Converts back to the same array.
            sandbox.run(&format!("-f convert {file} back.blp")).ok();
            assert_eq!(get(&sandbox, "back.blp"), expected, "{source} to {target} and back");
            if !shape.is_null() {
                assert_eq!(sandbox.info("back.blp")["shape"], shape, "{source} to {target} and back");
            }
        }
    }
    // A NumPy file has none.
    for target in ["blp", "b2frame", "b2nd", "bcolz", "npy", "csv"] {
        sandbox.run(&format!("-f convert array.npy out.{target}")).ok();
    }
    assert_eq!(get(&sandbox, "out.b2frame"), "{}");
    assert_eq!(sandbox.info("out.b2frame")["vlmeta"]["shape"], testdata::serde_json::json!([25, 500]));
}

#[test]
fn tables_keep_their_attributes_and_those_of_columns() {
    let sandbox = Sandbox::new();
    table(&sandbox, "t.bcolz");
    sandbox.args(&["meta", "set", "t.bcolz", "title", "\"bars\""]).ok();
    sandbox.args(&["meta", "set", "--column", "a", "t.bcolz", "unit", "\"K\""]).ok();
    let column = |file: &str| sandbox.args(&["meta", "get", "--column", "a", file]).ok().text().trim_end().to_owned();
    sandbox.run("convert t.bcolz u.bcolz").ok();
    assert_eq!((get(&sandbox, "u.bcolz"), column("u.bcolz")), (r#"{"title":"bars"}"#.into(), r#"{"unit":"K"}"#.into()));
    let info = sandbox.info("u.bcolz");
    assert_eq!((&info["attrs"]["title"], &info["carrays"][0]["attrs"]["unit"]), (&"bars".into(), &"K".into()));
    let text = sandbox.run("info u.bcolz").ok();
    assert!(text.text().contains("\"title\": \"bars\"") && text.text().contains("\"unit\": \"K\""), "{}", text.text());
    for target in ["blp", "b2frame", "b2nd", "bcolz"] {
        sandbox.run(&format!("convert --column a t.bcolz out.{target}")).ok();
        assert_eq!(get(&sandbox, &format!("out.{target}")), r#"{"unit":"K"}"#, "{target}");
    }
    let warning = warned(sandbox.run("convert --column a t.bcolz out.npy"));
    assert!(warning.contains("out.npy: attribute not kept: 'unit'"), "{warning}");
    let warning = warned(sandbox.run("convert t.bcolz out.csv"));
    assert!(warning.contains("attributes not kept: 'title', 'a: unit': a .csv file has no metadata"), "{warning}");
    let warning = warned(sandbox.run("convert t.bcolz npys"));
    assert!(warning.contains("'title'") && warning.contains("'a: unit'"), "{warning}");
    let warning = warned(sandbox.run("convert --columns-as b2nd t.bcolz b2nds"));
    assert!(warning.contains("'title'") && !warning.contains("unit"), "{warning}");
    assert_eq!(get(&sandbox, "b2nds/a.b2nd"), r#"{"unit":"K"}"#);
    sandbox.args(&["meta", "rm", "--column", "a", "t.bcolz", "unit"]).ok();
    assert_eq!((column("t.bcolz"), get(&sandbox, "t.bcolz")), ("{}".into(), r#"{"title":"bars"}"#.into()));
    let error = sandbox.args(&["meta", "get", "--column", "z", "t.bcolz"]).failed();
    assert!(error.contains(r#"there is no column "z", only "a", "b""#), "{error}");
}

#[test]
fn metadata_that_is_no_object_goes_over_and_comes_back() {
    let sandbox = Sandbox::with_f();
    sandbox.write("m.json", b"[1,2]");
    sandbox.run("compress -m m.json f x.blp").ok();
    sandbox.run("convert x.blp x.b2frame").ok();
    assert_eq!(get(&sandbox, "x.b2frame"), r#"{"metadata":[1,2]}"#);
    sandbox.run("convert x.b2frame y.blp").ok();
    assert_eq!(sandbox.info("y.blp")["metadata"], testdata::serde_json::json!([1, 2]));
    sandbox.args(&["meta", "set", "y.blp", "unit", "1"]).ok();
    assert_eq!(sandbox.info("y.blp")["metadata"].to_string(), r#"{"metadata":[1,2],"unit":1}"#);
    // `-m` replaces the input's metadata.
    sandbox.write("n.json", b"{\"n\":1}");
    sandbox.run("-f convert -m n.json x.b2frame y.blp").ok();
    assert_eq!(sandbox.info("y.blp")["metadata"].to_string(), r#"{"n":1}"#);
}

#[test]
fn what_a_frame_cannot_keep_is_named() {
    let sandbox = Sandbox::with_f();
    let long = "l".repeat(32);
    let members: Vec<String> = (0..17).map(|number| format!("\"k{number}\":{number}")).collect();
    sandbox.write("m.json", format!("{{\"{long}\":1,\"\":2,{}}}", members.join(",")).as_bytes());
    sandbox.run("compress -m m.json f x.blp").ok();
    let warning = warned(sandbox.run("convert x.blp x.b2frame"));
    let named = format!("attributes not kept: '{long}', '': the name of a vlmetalayer must have 1 to 31 bytes");
    assert!(warning.contains(&named) && warning.contains("C-Blosc2 reads 17 vlmetalayers"), "{warning}");
    assert_eq!(sandbox.info("x.b2frame")["vlmeta"]["k16"], 16);
    // An edit loses nothing either: one more is refused.
    let error = sandbox.args(&["meta", "set", "x.b2frame", "more", "1"]).failed();
    assert!(error.contains("18") && error.contains("16"), "{error}");
    sandbox.args(&["meta", "set", "x.b2frame", "k16", "17"]).ok();
    // A name that the array needs for its own metadata.
    sandbox.run("compress f y.b2frame").ok();
    sandbox.args(&["meta", "set", "y.b2frame", "dtype", "5"]).ok();
    let warning = warned(sandbox.args(&["convert", "--dtype", "<i8", "y.b2frame", "y.blp"]));
    assert!(warning.contains("attribute not kept: 'dtype': the metadata of an array has"), "{warning}");
}

/// A frame of plain bytes describes an array by attributes, unless the input has one of the same name.
#[test]
fn an_attribute_named_as_in_a_description_is_kept() {
    let sandbox = Sandbox::with_f();
    for name in ["dtype", "shape", "order", "container"] {
        sandbox.shell("rm -rf x.*; blpk convert --dtype i8 f --zarr-format 2 x.zarr").ok();
        sandbox.write("x.zarr/.zattrs", format!("{{\"{name}\":\"own\"}}").as_bytes());
        let warning = warned(sandbox.run("convert x.zarr x.b2frame"));
        assert_eq!(
            warning,
            "blpk: warning: x.b2frame: the dtype and shape of the array are not stored: the input has an attribute \
             named 'dtype', 'shape', 'order' or 'container', which is kept\n"
        );
        assert_eq!(sandbox.info("x.b2frame")["vlmeta"].to_string(), format!("{{\"{name}\":\"own\"}}"));
    }
}

#[test]
fn get_set_and_rm() {
    let sandbox = Sandbox::with_f();
    npy(&sandbox, "f.npy");
    for options in ["", "-o", "--no-prealloc", "-k None -z 1000"] {
        sandbox.run(&format!("-f compress {options} f x.blp")).ok();
        assert_eq!(get(&sandbox, "x.blp"), "{}");
        set_all(&sandbox, "x.blp");
        let text = format!(
            "\"{}\"",
            crate::common::noise(40_000).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        );
        sandbox.args(&["meta", "set", "x.blp", "text", &text]).ok();
        sandbox.args(&["-q", "verify", "x.blp"]).ok();
        sandbox.run("-qf d x.blp g").ok();
        assert!(sandbox.read("g") == sandbox.read("f"), "{options}");
        sandbox.args(&["meta", "rm", "x.blp", "text"]).ok();
        assert_eq!(get(&sandbox, "x.blp"), expected(), "{options}");
        assert_eq!(sandbox.args(&["cat", "--items", "100..101", "x.blp"]).ok().stdout, 100_u64.to_le_bytes());
        sandbox.run("-q append x.blp f").ok();
        assert_eq!(get(&sandbox, "x.blp"), expected(), "{options}");
    }
    assert_eq!(sandbox.args(&["meta", "get", "x.blp", "unit"]).ok().text(), "\"K\"\n");
    assert_eq!(sandbox.args(&["meta", "get", "--raw", "x.blp", "unit"]).ok().text(), "K");
    assert_eq!(sandbox.args(&["meta", "get", "--raw", "x.blp", "bytes"]).ok().stdout, [255, 0]);
    sandbox.args(&["meta", "set", "--string", "x.blp", "unit", "[1"]).ok();
    assert_eq!(sandbox.args(&["meta", "get", "x.blp", "unit"]).ok().text(), "\"[1\"\n");
    sandbox.args(&["meta", "set", "x.blp", "n", "-5"]).ok();
    sandbox.args(&["meta", "set", "x.blp", "n", "-Infinity"]).ok();
    let usage = sandbox.args(&["meta", "set", "x.blp", "unit", "kelvin"]).usage();
    assert!(usage.contains("'kelvin' is not JSON") && usage.contains("--string"), "{usage}");
    sandbox.run("compress f y.b2frame").ok();
    sandbox.args(&["meta", "set", "y.b2frame", "a", "1"]).ok();
    for args in [["meta", "get", "y.b2frame", "b"], ["meta", "rm", "y.b2frame", "b"]] {
        assert_eq!(sandbox.args(&args).failed(), r#"y.b2frame: there is no attribute "b", only "a""#);
    }
    let error = sandbox.args(&["meta", "set", "f.npy", "a", "1"]).failed();
    assert_eq!(error, "file 'f.npy' is a NumPy .npy file, which has no attributes");
    assert!(sandbox.args(&["meta", "get", "missing"]).failed().contains("does not exist"));
    sandbox.run("convert f.npy f.b2nd").ok();
    let error = sandbox.args(&["meta", "rm", "f.b2nd", "b2nd"]).failed();
    assert!(error.contains("this metalayer describes the array"), "{error}");
    sandbox.run("convert f.npy a.blp").ok();
    let error = sandbox.args(&["meta", "set", "a.blp", "shape", "[1]"]).failed();
    assert!(error.contains("describes the array"), "{error}");
}

#[test]
fn metalayers_keep_their_size_and_go_to_frames_as_metalayers() {
    let sandbox = Sandbox::with_f();
    sparse(&sandbox, "s", false);
    sandbox.args(&["meta", "set", "s", "fixed", "[3,4]"]).ok();
    let error = sandbox.args(&["meta", "set", "s", "fixed", "[3,400]"]).failed();
    assert!(error.contains("a metalayer keeps its size: 3 bytes, but the value has 5"), "{error}");
    assert!(sandbox.args(&["meta", "rm", "s", "fixed"]).failed().contains("cannot be removed"));
    for target in ["x.b2frame", "x.b2nd"] {
        sandbox.run(&format!("convert s {target}")).ok();
        let info = sandbox.info(target);
        assert_eq!(info["meta"]["fixed"], testdata::serde_json::json!([3, 4]), "{target}");
        assert!(info["metalayers"].as_array().unwrap().contains(&"fixed".into()), "{target}");
    }
}

#[test]
fn compact_and_recover_keep_attributes() {
    let sandbox = Sandbox::with_f();
    sandbox.run("compress f x.b2frame").ok();
    set_all(&sandbox, "x.b2frame");
    sandbox.run("-q compact x.b2frame").ok();
    sandbox.run("-q recover x.b2frame y.b2frame").ok();
    sparse(&sandbox, "s", true);
    set_all(&sandbox, "s");
    sandbox.run("-q compact s").ok();
    sandbox.run("-q recover s t").ok();
    table(&sandbox, "t.bcolz");
    set_all(&sandbox, "t.bcolz");
    sandbox.args(&["meta", "set", "--column", "b", "t.bcolz", "unit", "1"]).ok();
    sandbox.run("-q recover t.bcolz u.bcolz").ok();
    for file in ["x.b2frame", "y.b2frame", "s", "t", "u.bcolz"] {
        assert_eq!(get(&sandbox, file), expected(), "{file}");
    }
    assert_eq!(sandbox.info("u.bcolz")["carrays"][1]["attrs"]["unit"], 1);
}

#[test]
fn hostile_metalayers_are_shown_and_carried() {
    let sandbox = Sandbox::with_f();
    let deep = [vec![0x91; 100_000], vec![0xc0]].concat();
    let hostile: [(&str, &[u8]); 6] = [
        ("esc\x1b[31m\n", b"\xa5\x1b[2J\n"),
        ("count", b"\xdd\xff\xff\xff\xff\xc0"),
        ("map", b"\xdf\xff\xff\xff\xff\xc0"),
        ("deep", &deep),
        ("text", b"\xa2\xff\xfe"),
        ("twice", b"\x82\xa1a\x01\xa1a\x02"),
    ];
    let mut writer =
        FrameWriter::create(&sandbox.path("y.b2frame"), FrameType::Contiguous, false, FrameParams::new(1)).unwrap();
    writer.append(&[7; 5000]).unwrap();
    for (name, content) in hostile {
        writer.set_vlmetalayer(name, content).unwrap();
    }
    writer.finish().unwrap();
    for args in [["info", "y.b2frame"].as_slice(), &["info", "--json", "y.b2frame"], &["meta", "get", "y.b2frame"]] {
        let run = sandbox.args(args).ok();
        assert!(!run.text().contains('\x1b'), "{args:?}");
        assert!(run.text().lines().all(|line| line.len() < 1000 || args != ["info", "y.b2frame"]), "{args:?}");
    }
    let all = get(&sandbox, "y.b2frame");
    for target in ["blp", "bcolz", "b2frame"] {
        sandbox.run(&format!("-f convert y.b2frame out.{target}")).ok();
        assert_eq!(get(&sandbox, &format!("out.{target}")), all, "{target}");
        sandbox.run(&format!("-f convert out.{target} back.b2frame")).ok();
        let back = bloscpack_io::Archive::open(sandbox.read("back.b2frame")).unwrap();
        for (name, content) in hostile {
            let found = back.vlmetalayer(name).unwrap().unwrap();
            assert!(found == content, "{target}: {name:?}: {}", msgpack::value_of(&found).unwrap().dumps());
        }
    }
    let warning = warned(sandbox.run("convert y.b2frame out.npy"));
    assert!(!warning.contains('\x1b') && warning.lines().count() == 1, "{warning}");
}

#[test]
fn a_damaged_vlmetalayer_is_named_and_the_rest_goes_over() {
    let sandbox = Sandbox::with_f();
    sandbox.run("compress f x.b2frame").ok();
    let marked: String = (b'A'..=b'Z').map(char::from).collect();
    sandbox.args(&["meta", "set", "--string", "x.b2frame", "hurt", &marked]).ok();
    sandbox.args(&["meta", "set", "x.b2frame", "whole", "1"]).ok();
    let mut bytes = sandbox.read("x.b2frame");
    // The chunk stores its 27 bytes as they are, after a header of 32; at byte 12 of that is the chunk's size.
    // An older trailer before it is dead.
    let at = bytes.windows(26).rposition(|found| found == marked.as_bytes()).unwrap() - 1 - 32;
    bytes[at + 12] ^= 1;
    sandbox.write("x.b2frame", &bytes);
    for target in ["blp", "b2frame", "b2nd", "bcolz"] {
        let warning = warned(sandbox.run(&format!("convert x.b2frame out.{target}")));
        assert!(warning.contains("attribute not kept: 'hurt': ") && warning.lines().count() == 1, "{warning}");
        assert_eq!(get(&sandbox, &format!("out.{target}")), r#"{"whole":1}"#, "{target}");
    }
    assert!(sandbox.args(&["meta", "get", "x.b2frame", "hurt"]).failed().contains("cannot be read"));
    let text = sandbox.run("info x.b2frame").ok();
    assert!(text.text().contains("\"hurt\": cannot be read: "), "{}", text.text());
    assert_eq!(sandbox.info("x.b2frame")["vlmeta"].to_string(), r#"{"whole":1}"#);
}
