//! `cargo xtask kill`: crash tests with `kill -9` for every command that writes.
//!
//! Kills the process before every call that modifies something, then the release binary at random moments. No data may
//! be lost, existing containers verify, and the next run removes all leftovers.

use crate::faults::cases::{CASES, Case};
use crate::faults::sandbox::{Sandbox, work_folder};
use crate::faults::tools::{self, Program, Scale, Tools};
use crate::faults::trial::{self, Fault, Verdict};
use crate::faults::{SMALL, chosen, each_case};
use crate::mutex::lock;
use anyhow::{Result, bail, ensure};
use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use testdata::SplitMix64;

/// 24 chunks, which take some time to write.
const LARGE: Scale = Scale { plain: 6 << 20, chunk: 256 << 10 };

/// Number of killed processes and the states they left.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    kills: usize,
    old: usize,
    new: usize,
    left: usize,
}

/// Kills at least `--kills` processes (default 500) at random moments, and with a C compiler also at every call that
/// modifies something. `--quick` does a sample, `--seed` selects the moments. Words select commands whose names start
/// with one of them.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    if !cfg!(target_os = "linux") {
        println!("kill: skipped: this has been tried on Linux only");
        return Ok(());
    }
    let option = |name: &str| -> Result<Option<u64>> {
        let at = args.iter().position(|arg| *arg == name);
        let value = at.map(|at| args.get(at + 1).and_then(|text| text.parse().ok()));
        value.map_or(Ok(None), |value| if value.is_some() { Ok(value) } else { bail!("{name} takes a number") })
    };
    let quick = args.contains(&"--quick");
    let kills = option("--kills")?.unwrap_or(if quick { 60 } else { 500 }) as usize;
    let seed = option("--seed")?.unwrap_or_else(|| u64::from(std::process::id()));
    let words: Vec<&str> =
        args.iter().copied().filter(|arg| !arg.starts_with("--") && arg.parse::<u64>().is_err()).collect();
    let wrong = Mutex::new(Vec::new());
    match tools::why_not() {
        Some(why) => println!("at every call: skipped: {why}"),
        None => at_every_call(&words, quick, &wrong)?,
    }
    if kills > 0 {
        by_chance(&words, kills, seed, quick, &wrong)?;
    }
    let wrong = wrong.into_inner().unwrap_or_default();
    if wrong.is_empty() { Ok(()) } else { bail!("{} of these are wrong", wrong.len()) }
}

fn at_every_call(words: &[&str], quick: bool, wrong: &Mutex<Vec<String>>) -> Result<()> {
    let tools = Tools::interposed(SMALL)?;
    let work = work_folder("kill")?;
    let fixture = work.join("fixture");
    fs::create_dir_all(&fixture)?;
    tools.make_fixture(&fixture, &work)?;
    let (start, tallies) = (Instant::now(), Mutex::new(Vec::new()));
    each_case(words, quick, |number, case| {
        let sandbox = Sandbox::new(case, &tools, &fixture, &work.join(number.to_string()))?;
        let mut tally = Tally::default();
        for at in 1.. {
            match trial::run(&sandbox, &tools, &Fault::KILL, at)? {
                None => break,
                Some(Verdict::Clean) => tally.old += 1,
                Some(Verdict::Done | Verdict::Harmless) => tally.new += 1,
                Some(Verdict::Wrong(why)) => complain(wrong, format!("{}: call {at}: {why}", case.name)),
            }
            tally.kills += 1;
        }
        lock(&tallies).push((number, tally));
        Ok(())
    })?;
    let _ = fs::remove_dir_all(&work);
    print_table("before every call that changes something", tallies.into_inner().unwrap_or_default(), start);
    Ok(())
}

fn by_chance(words: &[&str], kills: usize, seed: u64, quick: bool, wrong: &Mutex<Vec<String>>) -> Result<()> {
    let tools = Tools::released(LARGE)?;
    let work = work_folder("kill")?;
    let fixture = work.join("fixture");
    fs::create_dir_all(&fixture)?;
    tools.make_fixture(&fixture, &work)?;
    println!("by chance: seed {seed} (--seed {seed} kills at the same moments)");
    let each = kills.div_ceil(chosen(words, quick).len().max(1));
    let (start, tallies) = (Instant::now(), Mutex::new(Vec::new()));
    each_case(words, quick, |number, case| {
        let sandbox = Sandbox::new(case, &tools, &fixture, &work.join(number.to_string()))?;
        let mut rng = SplitMix64::new(seed.wrapping_add(number as u64));
        let mut time = usual_time(&sandbox)?;
        let mut tally = Tally::default();
        let mut tried = 0;
        while tally.kills < each {
            tried += 1;
            ensure!(tried < each * 20, "{} is never there to be killed", case.name);
            let delay = time.mul_f64(rng.below(1000) as f64 / 1000.0);
            match kill_after(&sandbox, case, delay) {
                // The machine may have been busier when the time was measured.
                Ok(None) => {
                    time = time.mul_f64(0.9);
                    continue;
                }
                Ok(Some(found)) => {
                    tally.old += usize::from(found.is_old);
                    tally.new += usize::from(!found.is_old);
                    tally.left += usize::from(!found.leftovers.is_empty());
                }
                Err(why) => complain(wrong, format!("{}: after {delay:?}: {why:#}", case.name)),
            }
            tally.kills += 1;
        }
        lock(&tallies).push((number, tally));
        Ok(())
    })?;
    let _ = fs::remove_dir_all(&work);
    print_table("at moments by chance, the release binary", tallies.into_inner().unwrap_or_default(), start);
    Ok(())
}

/// Returns the longest of three run times of the command without a kill.
fn usual_time(sandbox: &Sandbox<'_>) -> Result<Duration> {
    let mut most = Duration::ZERO;
    for _ in 0..3 {
        sandbox.reset()?;
        let mut command = sandbox.command()?;
        let start = Instant::now();
        command.output()?;
        most = most.max(start.elapsed());
    }
    Ok(most)
}

/// Kills the command after `delay`; `None` if it had finished.
fn kill_after(sandbox: &Sandbox<'_>, case: &Case, delay: Duration) -> Result<Option<crate::faults::sandbox::Found>> {
    sandbox.reset()?;
    let mut child =
        sandbox.command()?.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn()?;
    std::thread::sleep(delay);
    child.kill()?;
    if child.wait()?.code().is_some() {
        return Ok(None);
    }
    let found = sandbox.judge(true)?;
    sandbox.verify()?;
    // A finished command cannot run again: its output exists, or its input is gone. Compacting keeps the content: a frame
    // that is killed before its new file has its name is as old and as new, and has to be compacted again.
    if !found.is_old {
        trial::settle(sandbox)?;
        trial::clean_up(sandbox, &found.leftovers)?;
        return Ok(Some(found));
    }
    let again = sandbox.command()?.output()?;
    ensure!(again.status.success(), "the next run: {}", String::from_utf8_lossy(&again.stderr).trim());
    let after = sandbox.judge(false)?;
    ensure!(after.is_new, "the next run did something else");
    ensure!(after.leftovers.is_empty(), "left by the next run: {:?}", after.leftovers);
    trial::check_edited(sandbox, case.program != Program::BcolzEdit)?;
    Ok(Some(found))
}

fn complain(wrong: &Mutex<Vec<String>>, what: String) {
    println!("WRONG {what}");
    lock(wrong).push(what);
}

fn print_table(what: &str, mut tallies: Vec<(usize, Tally)>, start: Instant) {
    tallies.sort_by_key(|(number, _)| *number);
    println!("\nkill -9 {what}\n{:32} {:>6} {:>7} {:>7} {:>9}", "command", "kills", "as old", "as new", "leftovers");
    let mut all = Tally::default();
    for (number, Tally { kills, old, new, left }) in tallies {
        println!("{:32} {kills:6} {old:7} {new:7} {left:9}", CASES[number].name);
        (all.kills, all.old, all.new, all.left) = (all.kills + kills, all.old + old, all.new + new, all.left + left);
    }
    println!("{:32} {:6} {:7} {:7} {:9}", "all", all.kills, all.old, all.new, all.left);
    println!("{:.0} s; leftovers were there until the next run", start.elapsed().as_secs_f64());
}
