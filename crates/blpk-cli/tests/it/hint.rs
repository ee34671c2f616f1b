//! Tests that a hint about unsuitable defaults appears only on a terminal, and only once.

use crate::common::{Sandbox, noise, on_a_terminal};

/// The smallest file that gets a hint.
const SIZE: usize = 32 << 20;

const HINT: &str = "blpk: hint: shuffle does not suit this data; -s or --auto would make it about ";

/// A sandbox with a file `f` of text, for which a shuffle is wrong.
fn unsuitable() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("f", &testdata::text(1 << 20, 1)[..1 << 20].repeat(SIZE >> 20));
    sandbox
}

#[test]
fn a_terminal_gets_one_hint() {
    let sandbox = unsuitable();
    sandbox.write("g", &sandbox.read("f"));
    for (line, count) in [("blpk -f c f", 1), ("blpk -f c f f.b2frame", 0), ("blpk -f c f - | wc -c > size", 1)] {
        let Some(text) = on_a_terminal(&sandbox, line) else { return };
        assert_eq!(text.matches(HINT).count(), count, "{line}: {text:?}");
        assert_eq!(text.matches(" times smaller\r\n").count(), count, "{line}: {text:?}");
    }
    let Some(text) = on_a_terminal(&sandbox, "blpk -f c --each f g") else { return };
    let named = HINT.replace("hint: ", "hint: 'f': ");
    assert!(text.contains(&named) && text.matches("hint").count() == 1, "{text:?}");
    let Some(text) = on_a_terminal(&sandbox, "blpk -f -v c f") else { return };
    assert!(text.contains("blpk: done\r\n") && text.contains(HINT), "{text:?}");
}

#[test]
fn nothing_else_gets_one() {
    let sandbox = unsuitable();
    sandbox.write("small", &sandbox.read("f")[..SIZE - 1]);
    sandbox.write("suitable", &noise(SIZE));
    for line in [
        "blpk -q -f c f",
        "blpk -f c f 2> errors; cat errors",
        "blpk -f c -s f",
        "blpk -f c -t 1 f",
        "blpk -f c -c lz4 -l 1 f",
        "blpk -f c --filter bitshuffle f",
        "blpk -f c --auto=fast f",
        "BLPK_CODEC=lz4 blpk -f c f",
        "blpk -f c small",
        "blpk -f c suitable",
        "cat f | blpk -f c - out.blp",
    ] {
        let Some(text) = on_a_terminal(&sandbox, line) else { return };
        assert!(!text.contains("hint"), "{line}: {text:?}");
    }
    assert_eq!(sandbox.run("-f c f").ok().text(), "");
}
