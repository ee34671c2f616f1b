//! The tested commands: every `blpk` command that writes, and edits of frames and bcolz directories. `blpk` has no
//! commands for the edits; examples of bloscpack-io make them.

use super::tools::Program::{self, BcolzEdit, Blpk, FrameEdit};

/// A command and the initial contents of its directory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Files and directories copied from the fixture, as `name` or `name=name here`.
    pub(crate) needs: &'static [&'static str],
    pub(crate) program: Program,
    pub(crate) args: &'static str,
    /// Lines for stdin, or `<` and the name of a file.
    pub(crate) stdin: &'static str,
    /// The container edited in place. The test compares the content read from it, not its bytes.
    pub(crate) edited: Option<&'static str>,
    /// Whether the command is meant to skip unreadable data.
    pub(crate) salvages: bool,
}

const fn blpk(name: &'static str, needs: &'static [&'static str], args: &'static str) -> Case {
    Case { name, needs, program: Blpk, args, stdin: "", edited: None, salvages: false }
}

/// A command that edits attributes in place.
const fn meta(name: &'static str, needs: &'static [&'static str], edited: &'static str, args: &'static str) -> Case {
    Case { edited: Some(edited), ..blpk(name, needs, args) }
}

const fn edit(
    name: &'static str,
    needs: &'static [&'static str],
    program: Program,
    edited: &'static str,
    stdin: &'static str,
) -> Case {
    Case { name, needs, program, args: edited, stdin, edited: Some(edited), salvages: false }
}

/// All cases. A command that rewrites the whole file and replaces it does not edit in place.
pub(crate) const CASES: &[Case] = &[
    blpk("compress", &["plain"], "c -z {chunk} plain out.blp"),
    blpk("compress -f", &["plain", "other.blp=out.blp"], "-f c -z {chunk} plain out.blp"),
    blpk("compress --rm", &["plain"], "c -z {chunk} --rm plain"),
    blpk("compress --output-dir", &["plain", "more"], "c -z {chunk} --each --output-dir packed plain more"),
    Case { stdin: "<plain", ..blpk("compress -", &["plain"], "c -z {chunk} - out.blp") },
    blpk("decompress", &["a.blp"], "d a.blp out"),
    blpk("decompress -f", &["a.blp", "more=out"], "-f d a.blp out"),
    blpk("decompress --rm", &["a.blp"], "d --rm a.blp"),
    blpk("decompress --metadata-out", &["a.blp", "more=out"], "-f d --metadata-out meta a.blp out"),
    blpk("append", &["a.blp", "more"], "append a.blp more"),
    blpk("append -m", &["a.blp", "more", "new.json"], "append -m new.json a.blp more"),
    blpk("reference", &["a.b2nd"], "reference --base s3://bucket -o out.json a.b2nd"),
    blpk("reference -f", &["a.b2nd", "more=out.json"], "-f reference --base s3://bucket -o out.json a.b2nd"),
    blpk("convert to .blp", &["a.b2nd"], "convert a.b2nd out.blp"),
    blpk("convert to .npy -f", &["a.b2nd", "more=out.npy"], "-f convert a.b2nd out.npy"),
    blpk("convert to .b2frame", &["a.blp"], "convert a.blp out.b2frame"),
    blpk("convert to .b2frame -f", &["a.blp", "other.b2frame=out.b2frame"], "-f convert a.blp out.b2frame"),
    blpk("convert to .b2nd", &["a.npy"], "convert a.npy out.b2nd"),
    blpk("convert to .bcolz", &["a.npy"], "convert a.npy out.bcolz"),
    blpk("convert to .bcolz -f", &["a.npy", "other.bcolz=out.bcolz"], "-f convert a.npy out.bcolz"),
    blpk(
        "convert table to .bcolz -f",
        &["table.bcolz", "table.bcolz=out.bcolz"],
        "-f convert -c zlib table.bcolz out.bcolz",
    ),
    blpk("convert copied chunks to .blp -f", &["a.bcolz", "other.blp=out.blp"], "-f convert a.bcolz out.blp"),
    blpk("convert copied chunks to .bcolz", &["table.bcolz"], "convert table.bcolz out.bcolz"),
    blpk("convert to .zarr", &["a.npy"], "convert a.npy out.zarr"),
    blpk("convert copied chunks to .zarr -f", &["table.bcolz", "a.zarr=out.zarr"], "-f convert table.bcolz out.zarr"),
    blpk("convert .zarr to .blp", &["a.zarr"], "convert a.zarr out.blp"),
    blpk("convert table to .npy files", &["table.bcolz"], "convert table.bcolz out/"),
    blpk("convert table to .csv", &["table.bcolz"], "convert table.bcolz out.csv"),
    blpk("convert array to .csv -f", &["a.b2nd", "more=out.csv"], "-f convert a.b2nd out.csv"),
    blpk("convert raw bytes to .b2nd", &["plain"], "convert --dtype <i4 plain out.b2nd"),
    blpk("chunk encode -f", &["plain", "other.blp=out"], "-f chunk encode plain out"),
    blpk("chunk decode", &["a.chunk"], "chunk decode a.chunk out"),
    Case { salvages: true, ..blpk("recover bloscpack file", &["a.blp"], "recover a.blp out.blp") },
    Case { salvages: true, ..blpk("recover frame", &["a.b2frame"], "recover a.b2frame out.b2frame") },
    Case {
        salvages: true,
        ..blpk("recover sparse frame -f", &["a.sframe", "dead.sframe=out.sframe"], "-f recover a.sframe out.sframe")
    },
    Case { salvages: true, ..blpk("recover table", &["table.bcolz"], "recover table.bcolz out.bcolz") },
    blpk("compact", &["dead.b2frame"], "compact dead.b2frame"),
    Case { edited: Some("dead.sframe"), ..blpk("compact sparse", &["dead.sframe"], "compact dead.sframe") },
    blpk("meta set", &["a.blp"], "meta set a.blp note [1,2,3]"),
    blpk("meta set, a new section", &["other.blp"], "meta set other.blp note [1,2,3]"),
    blpk("meta rm", &["a.blp"], "meta rm a.blp a"),
    meta("meta set frame", &["a.b2frame"], "a.b2frame", "meta set a.b2frame note [1,2,3]"),
    meta("meta rm frame", &["a.b2frame"], "a.b2frame", "meta rm a.b2frame a"),
    meta("meta set sparse frame", &["a.sframe"], "a.sframe", "meta set a.sframe note [1,2,3]"),
    meta("meta set carray", &["a.bcolz"], "a.bcolz", "meta set a.bcolz note [1,2,3]"),
    meta("meta set table", &["table.bcolz"], "table.bcolz", "meta set table.bcolz note [1,2,3]"),
    meta("meta set --column", &["table.bcolz"], "table.bcolz", "meta set --column a table.bcolz note [1,2,3]"),
    edit("frame: append", &["a.b2frame", "chunk"], FrameEdit, "a.b2frame", "append chunk\nappend chunk"),
    edit("frame: update", &["a.b2frame", "new"], FrameEdit, "a.b2frame", "update 1 new\ninsert 0 new\ndelete 2"),
    edit(
        "frame: vlmeta",
        &["a.b2frame", "new.json"],
        FrameEdit,
        "a.b2frame",
        "vlmeta note new.json\nspecial zeros {chunk}",
    ),
    edit("sparse frame: append", &["a.sframe", "chunk"], FrameEdit, "a.sframe", "append chunk\nappend chunk"),
    edit("sparse frame: update", &["a.sframe", "new"], FrameEdit, "a.sframe", "update 1 new\ninsert 0 new\ndelete 2"),
    edit("array: slice", &["a.b2nd", "items"], FrameEdit, "a.b2nd", "resize {more}\nslice 0:16 items"),
    edit("carray: append", &["a.bcolz", "more"], BcolzEdit, "a.bcolz", "append more"),
    edit("carray: assign", &["a.bcolz", "items"], BcolzEdit, "a.bcolz", "assign 3:19:1 items\nattr note 1"),
    edit("carray: trim", &["a.bcolz"], BcolzEdit, "a.bcolz", "resize 5000"),
    edit("table: append", &["table.bcolz", "more"], BcolzEdit, "table.bcolz", "append more,more"),
    edit(
        "table: assign, attr",
        &["table.bcolz", "items"],
        BcolzEdit,
        "table.bcolz",
        "assign 3:19:1 items a\nattr note 1",
    ),
    edit("table: resize", &["table.bcolz"], BcolzEdit, "table.bcolz", "resize 5000"),
    edit(
        "table: add column",
        &["table.bcolz", "plain"],
        BcolzEdit,
        "table.bcolz",
        "addcol c 1 plain {\"dtype\": \"int32\"}",
    ),
    edit("table: remove column", &["table.bcolz"], BcolzEdit, "table.bcolz", "delcol a"),
    edit("table: rename column", &["table.bcolz"], BcolzEdit, "table.bcolz", "rename a z"),
    Case {
        edited: None,
        ..edit(
            "table: replace",
            &["table.bcolz", "more"],
            BcolzEdit,
            "table.bcolz",
            "ctable {\"c\": {\"dtype\": \"int32\"}}\nappend more",
        )
    },
];
