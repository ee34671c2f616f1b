//! Signals end a run with exit code 1 and `interrupted`: at any time after `main` has begun, and in the middle of a
//! chunk.
//!
//! Before `main` runs, the kernel and the dynamic loader start the process, and a signal has its default action. A test
//! cannot do anything about that window, so it reads from `/proc` whether the signals are blocked at the moment when it
//! sends one. A blocked signal is received by a thread of the program.

use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::common::{Run, Sandbox, noise};

const SIGNALS: [&str; 3] = ["INT", "TERM", "HUP"];

/// Whether the process has blocked the three signals.
fn blocks_signals(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
    blocked.is_some_and(|mask| {
        let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
        [1, 2, 15].iter().all(|signal| mask >> (signal - 1) & 1 == 1)
    })
}

fn wait_for_blocking(child: &mut Child) {
    while !blocks_signals(child) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it blocked signals");
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Waits until the process has computed for `hundredths` of a second. Reading files does not count: the kernel does that.
fn wait_for_work(child: &mut Child, hundredths: u64) {
    let computed = |child: &Child| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
        // The name of the program, in brackets, may hold spaces.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        fields.nth(11).and_then(|ticks| ticks.parse::<u64>().ok())
    };
    while computed(child).is_none_or(|ticks| ticks < hundredths) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it had worked");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap().success());
}

/// Whether blocking cannot be observed: an emulator blocks signals of its own.
fn cannot_tell() -> bool {
    testdata::emulator().is_some()
}

#[test]
fn early_signals() {
    if cannot_tell() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("f", &noise(3_000_000));
    let commands: [&[&str]; 4] = [&["-f", "c", "f", "out"], &["info", "f"], &["bench", "f"], &["-f", "c", "-", "out"]];
    let (mut sent, mut missed) = (0, 0);
    while sent < 100 {
        assert!(missed < 1000, "it always ends before a signal is sent");
        let at = sent + missed;
        let mut child = sandbox.command(commands[at % commands.len()]).spawn().unwrap();
        // 0 to 5 ms, in another order each time.
        std::thread::sleep(Duration::from_micros((at * 1777 % 5000) as u64));
        // Not in `main` yet, or finished already.
        let mut is_done = false;
        while !is_done && !blocks_signals(&child) {
            is_done = child.try_wait().unwrap().is_some();
        }
        if is_done {
            missed += 1;
            continue;
        }
        send(&child, SIGNALS[at % SIGNALS.len()]);
        let run = Run::of(format!("{at}"), child.wait_with_output().unwrap());
        // A command that reads the end of stdin first succeeds or reports an error in its input.
        assert!(matches!(run.code, Some(0 | 1)), "{:?} {}", run.code, run.stderr);
        sent += 1;
    }
    let left: Vec<String> = sandbox.names().into_iter().filter(|name| !["f", "out"].contains(&name.as_str())).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Elements of eight bytes, each of which differs little from that of the element before: slow codecs have much work, as
/// short strings occur often, and long ones do not.
fn walk(len: usize) -> Vec<u8> {
    let mut bytes = noise(len);
    for at in 8..len {
        bytes[at] = bytes[at - 8].wrapping_add(bytes[at] % 3);
    }
    bytes
}

/// Nothing long repeats within a block.
fn slow(nblocks: usize) -> Vec<u8> {
    walk(1 << 20).repeat(nblocks)
}

/// A chunk that takes minutes ends after the blocks in progress: at most a second later than a few of them take.
#[test]
fn in_the_middle_of_a_chunk() {
    if cannot_tell() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("block", &slow(1));
    sandbox.write("f", &slow(256));
    for compress in ["c -c zstd -l 9 -z max", "c -c lz4hc -l 9 -z max", "chunk encode -c zstd -l 9"] {
        let start = Instant::now();
        sandbox.run(&format!("-f -n 1 {compress} block out")).ok();
        let block = start.elapsed();
        fs::remove_file(sandbox.path("out")).unwrap();
        for nthreads in ["1", "2"] {
            let args = format!("-f -n {nthreads} {compress} f out");
            let mut child = sandbox.spawn(&args);
            wait_for_blocking(&mut child);
            std::thread::sleep(Duration::from_millis(1500));
            assert!(child.try_wait().unwrap().is_none(), "{args}: it was done too soon to tell");
            ends_soon(&sandbox, child, &args, 4 * block, &["block", "f"]);
        }
    }
}

#[test]
fn in_the_middle_of_decompression() {
    if cannot_tell() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("f", &slow(256));
    sandbox.run("c -c zlib -l 1 -z max f f.blp").ok();
    fs::remove_file(sandbox.path("f")).unwrap();
    // On a busy machine, reading the file and freeing memory are a part of this time, too.
    let start = Instant::now();
    sandbox.run("-n 1 d f.blp out").ok();
    let whole = start.elapsed();
    fs::remove_file(sandbox.path("out")).unwrap();
    for nthreads in ["1", "2"] {
        let args = format!("-f -n {nthreads} d f.blp out");
        let mut child = sandbox.spawn(&args);
        wait_for_blocking(&mut child);
        std::thread::sleep(Duration::from_millis(20));
        ends_soon(&sandbox, child, &args, whole / 2, &["f.blp"]);
    }
}

fn ends_soon(sandbox: &Sandbox, child: Child, args: &str, more: Duration, names: &[&str]) {
    let start = Instant::now();
    send(&child, "INT");
    let run = Run::of(args.into(), child.wait_with_output().unwrap());
    let took = start.elapsed();
    assert_eq!(run.failed(), "interrupted", "{args}");
    assert!(took < Duration::from_secs(1) + more, "{args}: {took:?}");
    assert_eq!(sandbox.names(), names, "{args}");
}

/// One block of 64 MiB cannot be interrupted, but the process can.
#[test]
fn the_second_signal_ends_at_once() {
    if cannot_tell() {
        return;
    }
    let sandbox = Sandbox::new();
    // For a block of this size, repeated data would be one long match.
    sandbox.write("f", &walk(64 << 20));
    let args = "-n 1 chunk encode --format blosc2 -c zstd -l 9 --blocksize 64M f out";
    let mut child = sandbox.spawn(args);
    wait_for_work(&mut child, 50);
    send(&child, "INT");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "a block was interrupted");
    ends_soon(&sandbox, child, args, Duration::ZERO, &["f"]);
}
