//! Every command under a limit of the address space: it succeeds, or ends with an error that names the memory. It never
//! ends with a signal or a panic, and never leaves a temporary file.

use blosc_core::{CParams, Codec, Encoder};
use std::fs;

use crate::common::Sandbox;

/// Limits of the address space in MiB, for each number of threads. The program itself takes about 25, and 2 for each
/// thread.
const LIMITS: [[u64; 3]; 2] = [[34, 69, 144], [46, 96, 219]];

const ZEROS: usize = 175_000_000;
const BIG: usize = 30_000_000;

/// Creates files that need much more memory than their size.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_f();
    sandbox.write("zeros.blp", &Encoder::new(CParams::blosc2()).unwrap().zeros(ZEROS).unwrap());
    // In blocks, and within the decompression ratio limit.
    let sparse: Vec<u8> = (0..BIG as u32 / 4).flat_map(|n| (n >> 16).to_le_bytes()).collect();
    let params = [CParams::new().codec(Codec::Lz4), CParams::blosc2().codec(Codec::Zstd).clevel(1)];
    for (name, params) in ["blosc1.blp", "blosc2.blp"].into_iter().zip(params) {
        sandbox.write(name, &blosc_core::compress(&sparse, &params.typesize(4)).unwrap());
    }
    sandbox.write("big", &sparse);
    for setup in [
        "c -z 64M big big.blp",
        "c -z 64M big big.b2frame",
        "c f f.blp",
        "c f f.b2frame",
        "convert --dtype <f4 f.blp f.bcolz",
        "convert --dtype <f4 --chunkshape 5000000 big.blp big.bcolz",
        "convert --shape 7500000 --dtype <f4 --chunkshape 5000000 --blockshape 250000 big.blp big.b2nd",
    ] {
        sandbox.run(setup).ok();
    }
    sandbox.write("meta.json", format!("[{}0]", "{\"key\": 1},".repeat(200_000)).as_bytes());
    let members = (0..20_000).map(|number| format!("\"key {number}\":\"{}\"", "text ".repeat(10)));
    sandbox.write("keys.json", format!("{{\"first\":1,{}}}", members.collect::<Vec<_>>().join(",")).as_bytes());
    for setup in [
        "compress -m meta.json f meta.blp",
        "compress -m keys.json f keys.blp",
        "convert meta.blp meta.b2frame",
        "convert --dtype <f4 meta.blp meta.bcolz",
        "convert --dtype <f4 keys.blp keys.bcolz",
    ] {
        sandbox.run(setup).ok();
    }
    sandbox
}

/// Commands whose outputs, all called `out`, do not matter.
const COMMANDS: [&str; 85] = [
    "--version",
    "help",
    "man",
    "completions bash",
    "list f.blp f.b2frame big.bcolz",
    "chunk decode zeros.blp out",
    "chunk decode blosc1.blp out",
    "chunk decode blosc2.blp out",
    "chunk info zeros.blp",
    "chunk info --json blosc1.blp",
    "chunk encode -t 4 big out",
    "chunk encode --format blosc2 -c zstd -l 9 f out",
    "verify zeros.blp",
    "verify blosc1.blp",
    "verify big.blp",
    "verify big.b2frame big.bcolz",
    "verify big.b2nd",
    "decompress zeros.blp /dev/null",
    "decompress blosc2.blp out",
    "decompress big.blp out",
    "decompress big.b2frame out",
    "decompress f.blp out",
    "compress -z 128M big out",
    "compress -z max big out.b2frame",
    "compress -c zstd -l 9 f out",
    "compress -c zlib f out",
    "compress -c lz4hc -l 9 f out.b2frame",
    "compress -m meta.json f out",
    "compress --auto f out",
    "compress --auto=fast -z 16M big out.b2frame",
    "advise --goal balanced big",
    "reference -o out.json --new-axis big.b2nd big.b2nd",
    "reference -o out.json big.bcolz",
    "advise --json --goal fast big.b2nd",
    "info big.blp",
    "info --json big.b2frame",
    "info big.bcolz",
    "cat --chunk 0 zeros.blp",
    "cat --chunk 0 big.blp",
    "cat --bytes 1000..2000 big.b2frame",
    "cat --items 0..5000000 big.b2nd",
    "convert zeros.blp out.b2frame",
    "convert --shape 7500000 --dtype <f4 --chunkshape 5000000 big.blp out.b2nd",
    "convert --dtype <f4 big.blp out.npy",
    "convert big.b2nd out.bcolz",
    "convert f.bcolz out.csv",
    "recover big.b2frame out.b2frame",
    "recover big.bcolz out.bcolz",
    "info --json big.b2nd",
    "info meta.blp",
    "info --json meta.blp",
    "info --json keys.blp",
    "info keys.blp",
    "info meta.b2frame",
    "info --json meta.b2frame",
    "info --json keys.bcolz",
    "info meta.bcolz",
    "decompress -d keys.blp out",
    "meta get meta.blp",
    "meta get keys.blp",
    "meta get meta.b2frame metadata",
    "meta get keys.bcolz",
    "meta get --raw keys.bcolz first",
    "cat --slice ::-1000 big.b2nd",
    "cat --slice 5000000:10:-1 --dtype <f4 big",
    "cat --slice :7500000:3 big.bcolz",
    "cat --format csv --items ..1000 big.b2nd",
    "cat --format text --items 0..3 --dtype |S5000000 big.blp",
    "cat --format npy --items 5..5000000 --dtype <f4 big",
    "stats big.b2nd",
    "stats --json --dtype |S5000000 big.blp",
    "stats --dtype |S5000000 big",
    "convert --dtype <f4 big out.blp",
    "convert --dtype |S5000000 big out.csv",
    "convert meta.b2frame out.blp",
    "convert keys.blp out.bcolz",
    "convert keys.bcolz out.b2nd",
    "compress --auto big out.blp",
    "compress --auto=small f out.b2frame",
    "compress --auto=small big out.blp",
    "convert --auto --dtype <f4 big out.bcolz",
    "advise big",
    "recover big.blp out.blp",
    "bench --sample 16M -c lz4 -l 5 --seconds 0.01 big",
    "bench -c zstd -l 9 --seconds 0.01 f",
];

/// Commands that change a file in place; they run on a copy.
const EDITS: [(&str, &str); 8] = [
    ("big.blp", "append in-big.blp big"),
    ("big.b2frame", "compact in-big.b2frame"),
    ("meta.blp", "meta set in-meta.blp metadata [1]"),
    ("keys.blp", "meta set in-keys.blp new {}"),
    ("keys.blp", "meta rm in-keys.blp first"),
    ("meta.b2frame", "meta set in-meta.b2frame new 1"),
    ("meta.b2frame", "meta rm in-meta.b2frame metadata"),
    ("keys.bcolz", "meta set in-keys.bcolz new [1.5]"),
];

/// Runs a command under a limit in KiB, or without one. Returns whether it succeeded, or a description of a wrong
/// ending.
fn works(sandbox: &Sandbox, line: &str, limit: Option<u64>, threads: usize) -> Result<bool, String> {
    let words: Vec<String> = line.split_whitespace().map(|word| format!("'{word}'")).collect();
    let limited = limit.map_or("unlimited".into(), |kib| kib.to_string());
    let words = words.join(" ");
    let run = sandbox.shell(&format!("ulimit -v {limited}; exec blpk -f -n {threads} {words} > /dev/null"));
    if run.code == Some(0) {
        return Ok(true);
    }
    let errors: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("blpk: error: ")).collect();
    let is_of_memory = |line: &&str| {
        line.contains("out of memory: ") && line.contains(" bytes could not be allocated")
            || line.contains("starting threads; try -n 1")
    };
    // One line for each file.
    if limit.is_some() && run.code == Some(1) && !errors.is_empty() && errors.iter().all(is_of_memory) {
        return Ok(false);
    }
    Err(format!("{limited}, {threads} threads: {words}: {:?}: {}", run.code, run.stderr))
}

/// Runs all commands under a limit in KiB. Returns the number of commands that failed.
fn run_all(sandbox: &Sandbox, limit: Option<u64>, threads: usize, wrong: &mut Vec<String>) -> usize {
    let mut failed = 0;
    let mut run = |line| match works(sandbox, line, limit, threads) {
        Ok(worked) => failed += usize::from(!worked),
        Err(how) => wrong.push(how),
    };
    for line in COMMANDS {
        run(line);
        for name in sandbox.names().iter().filter(|name| name.starts_with("out")) {
            let path = sandbox.path(name);
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
    }
    for (file, line) in EDITS {
        sandbox.shell(&format!("cp -r {file} in-{file}")).ok();
        run(line);
        sandbox.run(&format!("verify in-{file}")).ok();
        sandbox.shell(&format!("rm -r in-{file}")).ok();
    }
    assert!(sandbox.names().iter().all(|name| !name.contains(".blpk-") && !name.starts_with("out")));
    failed
}

fn sweep(threads: usize) {
    let sandbox = sandbox();
    let mut wrong = Vec::new();
    // A command that always fails would prove nothing.
    run_all(&sandbox, None, threads, &mut wrong);
    let limits = LIMITS[threads - 1].into_iter();
    let failed: usize = limits.map(|mib| run_all(&sandbox, Some(mib << 10), threads, &mut wrong)).sum();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(failed > 20, "the limits were too high: {failed}");
}

#[test]
fn one_thread() {
    sweep(1);
}

#[test]
fn two_threads() {
    sweep(2);
}

/// Two threads allocate at the same time, so each limit ends in another state.
#[test]
fn small_allocations_have_memory() {
    let sandbox = sandbox();
    let limits = (40_000..56_000).step_by(96);
    let run = |kib| works(&sandbox, "verify big.b2frame big.bcolz", Some(kib), 2);
    let wrong: Vec<String> = limits.filter_map(|kib| run(kib).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A new command must be added to the list above.
#[test]
fn all_commands_are_limited() {
    let help = String::from_utf8(Sandbox::new().run("help").ok().stdout).unwrap();
    let commands = help.lines().skip_while(|line| *line != "commands:").skip(1);
    let commands = commands.take_while(|line| line.starts_with("  ")).filter_map(|line| line.split_whitespace().next());
    let commands: Vec<&str> = commands.map(|names| names.trim_end_matches(',')).collect();
    assert!(commands.len() > 10, "{help}");
    let lines = || COMMANDS.into_iter().chain(EDITS.map(|(_, line)| line));
    for command in commands {
        assert!(lines().any(|line| line.split(' ').next() == Some(command)), "no line for {command}");
    }
}
