//! Tests that the progress bar appears only on a terminal, and is removed in the end.

use crate::common::{Sandbox, counting, noise, on_a_terminal};

/// An input that takes longer than half a second, in a pipe of a known or unknown size.
fn slow() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("f", &counting(3_000_000));
    sandbox.write("slow", b"for i in 1 2 3 4 5 6 7 8; do head -c 200000 f; sleep 0.12; done");
    sandbox
}

/// Returns the text left on the screen: for each line, the text printed since it was last erased.
fn screen(text: &str) -> String {
    let mut left = String::new();
    for line in text.split_inclusive('\n') {
        let erased = line.rfind("\x1b[2K").map_or(0, |at| at + 4);
        left.push_str(line[erased..].trim_start_matches('\r'));
    }
    left.replace('\r', "")
}

#[test]
fn a_bar_comes_and_goes() {
    let sandbox = slow();
    let Some(text) = on_a_terminal(&sandbox, "bash slow | blpk c -z 100000 - out.blp") else { return };
    assert!(text.contains("/s, ") && !text.contains("iB"), "{text:?}");
    assert_eq!(screen(&text), "", "{text:?}");
    // Colours would be `ESC [ … m`.
    assert!(
        !text.contains('m')
            || !text
                .split("\x1b[")
                .skip(1)
                .any(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m')),
        "{text:?}"
    );
    assert_eq!(sandbox.run("verify out.blp").ok().lines().len(), 1);
}

#[test]
fn it_makes_way_for_an_error() {
    let sandbox = slow();
    // The last byte is missing, so the error comes long after the bar is shown.
    sandbox.run("c -z 100000 -k None -o f f.blp").ok();
    let cut = sandbox.read("f.blp");
    sandbox.write("f.blp", &cut[..cut.len() - 1]);
    sandbox.write("slow", b"head -c 20000 f.blp; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; tail -c +20001 f.blp | head -c $((i * 1000)) | tail -c 1000; done; tail -c +28001 f.blp");
    let Some(text) = on_a_terminal(&sandbox, "bash slow | blpk d - out") else { return };
    assert!(text.contains("/s, "), "{text:?}");
    let screen = screen(&text);
    assert!(screen.starts_with("blpk: error: -: ") && screen.lines().count() == 1, "{screen:?}");
}

#[test]
fn texts_stand_above_it() {
    let sandbox = slow();
    sandbox.run("c -z 100000 -k None -o f f.blp").ok();
    sandbox.write("slow", b"head -c 20000 f.blp; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; tail -c +20001 f.blp | head -c $((i * 1000)) | tail -c 1000; done; tail -c +28001 f.blp");
    sandbox.shell("mkfifo p").ok();
    let Some(text) = on_a_terminal(&sandbox, "(bash slow > p &); blpk verify f.blp p f.blp") else { return };
    assert!(text.contains("/s, "), "{text:?}");
    let ok = |name: &str| format!("blpk: {name}: ok, bloscpack version 3, 30 chunks, 2.86M (3000000B)\n");
    assert_eq!(screen(&text), [ok("f.blp"), ok("p"), ok("f.blp")].concat());
}

#[test]
fn no_bar_where_none_is_wanted() {
    let sandbox = slow();
    for line in [
        "bash slow | blpk -q c -z 100000 - -f out.blp",
        "bash slow | TERM=dumb blpk c -z 100000 - -f out.blp",
        "bash slow | BLPK_NO_PROGRESS=1 blpk c -z 100000 - -f out.blp",
        "bash slow | blpk c -z 100000 - -f out.blp 2> errors; cat errors",
        // A short run shows no bar.
        "blpk -f c f out.blp",
    ] {
        let Some(text) = on_a_terminal(&sandbox, line) else { return };
        assert_eq!(text, "", "{line}");
    }
    let Some(text) = on_a_terminal(&sandbox, "bash slow | blpk -v c -z 100000 - -f out.blp") else { return };
    assert!(text.contains("blpk: done") && !text.contains("/s"), "{text:?}");
    // A pipe is not a terminal.
    assert_eq!(sandbox.shell("bash slow | blpk c -z 100000 - -f out.blp").ok().stdout, b"");
}

#[test]
fn conversions_have_one() {
    let sandbox = Sandbox::new();
    // A walk in small steps: many short strings occur again, so compression takes long.
    let steps = noise(60_000_000);
    let walk = steps.iter().scan(0u8, |at, step| {
        *at = at.wrapping_add(step & 3);
        Some(*at & 15)
    });
    sandbox.write("f", &walk.collect::<Vec<_>>());
    sandbox.run("c -l 0 -k None f").ok();
    // On the way to an array, the bytes go through a temporary file first.
    for output in ["out.blp", "out.b2frame", "out.b2nd", "out.bcolz"] {
        let line = format!("blpk convert -n 1 -c zstd -l 5 --dtype '<u2' --shape 5000,6000 f.blp {output}");
        let Some(text) = on_a_terminal(&sandbox, &line) else { return };
        assert!(text.contains("f.blp [") && text.contains("% ") && text.contains("/57.22M, "), "{output}: {text:?}");
        assert_eq!(screen(&text), "", "{output}: {text:?}");
    }
}

/// A line longer than the terminal would be wrapped, and each new line would leave a part of the old one on the screen.
#[test]
fn it_fits_the_terminal() {
    let sandbox = slow();
    let name = "a-name-that-is-much-longer-than-what-there-is-room-for";
    sandbox.write(
        "slow",
        format!("mkfifo {name}; (for i in 1 2 3 4 5 6 7 8; do head -c 200000 f; sleep 0.12; done > {name}) &")
            .as_bytes(),
    );
    for (columns, shown) in [(20, "/s"), (40, "…"), (200, name)] {
        let line = format!("stty cols {columns}; rm -f {name} out.blp; source ./slow; blpk c -z 100000 {name} out.blp");
        let Some(text) = on_a_terminal(&sandbox, &line) else { return };
        assert!(text.contains(shown), "{columns}: {text:?}");
        for part in text.split(['\r', '\n', '\x1b']) {
            let part = part.trim_start_matches(|c: char| c == '[' || c == 'K' || c.is_ascii_digit()).trim_end();
            assert!(part.chars().count() <= columns, "{columns}: {part:?} of {text:?}");
        }
    }
}

#[test]
fn measuring_has_one() {
    let sandbox = slow();
    let Some(text) = on_a_terminal(&sandbox, "blpk bench --seconds 0.1 -c lz4 -l 1,5 --filter none f") else { return };
    assert!(text.contains("lz4 1, none, 1.0M [") && text.contains("] 0 of 2"), "{text:?}");
    assert!(text.contains("lz4 5, none, 1.0M [") && text.contains("] 1 of 2, 50%, "), "{text:?}");
    let screen = screen(&text);
    // Command lines to paste follow the table.
    let table = screen.lines().take_while(|line| !line.starts_with("blpk: ")).count();
    assert!(screen.starts_with("  codec") && table == 4, "{screen:?}");
}
