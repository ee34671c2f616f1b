//! `cargo xtask faults`: fault injection. Runs every command that writes, and makes each system call of each kind fail
//! in turn.
//!
//! After a fault either the old data is intact or the new data is complete. No temporary files are left, and one line
//! of error names the cause. Module `disk` tests real full disks.
//!
//! | file | contents |
//! |---|---|
//! | `cases` | the tested commands |
//! | `tools` | the programs under test and their input data |
//! | `sandbox` | the directory of a case: its contents before, after and during a run |
//! | `trial` | one run with one failing call, and the verdict |
//! | `disk` | full file systems, file size limits |
//! | `interpose.c` | the preloaded library that makes calls fail |

pub(crate) mod cases;
mod disk;
pub(crate) mod sandbox;
pub(crate) mod tools;
pub(crate) mod trial;

use crate::mutex::lock;
use anyhow::{Result, bail};
use cases::CASES;
use sandbox::{Sandbox, work_folder};
use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tools::{Scale, Tools};
use trial::{Fault, Verdict};

const EPERM: i32 = 1;
const EINTR: i32 = 4;
const EIO: i32 = 5;
const EAGAIN: i32 = 11;
const EACCES: i32 = 13;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;
const ENOLCK: i32 = 37;
const EDQUOT: i32 = 122;

/// Injected faults by kind of call. A full disk stays full, so `ENOSPC` and `EDQUOT` mostly fail all later calls too.
const FAULTS: &[Fault] = &[
    Fault::once("open", EIO),
    Fault::once("open", EACCES),
    Fault::once("open", EMFILE),
    Fault::harmless("open", EINTR),
    Fault::once("read", EIO),
    Fault::harmless("read", EINTR),
    Fault::short("read"),
    Fault::once("write", EIO),
    Fault::for_ever("write", ENOSPC),
    Fault::for_ever("write", EDQUOT),
    Fault::harmless("write", EINTR),
    Fault::short("write"),
    Fault::once("copy", EIO),
    Fault::for_ever("copy", ENOSPC),
    Fault::short("copy"),
    Fault::once("sync", EIO),
    Fault::for_ever("sync", ENOSPC),
    Fault::harmless("sync", EINTR),
    Fault::once("truncate", EIO),
    Fault::harmless("truncate", EINTR),
    Fault::once("rename", EIO),
    Fault::once("rename", EACCES),
    Fault::once("link", EIO),
    Fault::once("link", ENOSPC),
    Fault::once("unlink", EIO),
    Fault::for_ever("unlink", EACCES),
    Fault::once("mkdir", EIO),
    Fault::for_ever("mkdir", ENOSPC),
    Fault::once("chmod", EPERM),
    Fault::once("lock", EIO),
    Fault::once("lock", EAGAIN),
    Fault::harmless("lock", EINTR),
    Fault::harmless("lock", ENOLCK),
    Fault::once("stat", EIO),
    Fault::once("stat", EACCES),
    Fault::once("list", EIO),
];

/// Four chunks: few enough system calls to make each of them fail in turn.
pub(crate) const SMALL: Scale = Scale { plain: 60_000, chunk: 16 << 10 };

/// Verdicts of many runs, counted.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    runs: usize,
    clean: usize,
    done: usize,
    harmless: usize,
    wrong: usize,
}

impl Tally {
    fn count(&mut self, verdict: &Verdict) {
        self.runs += 1;
        match verdict {
            Verdict::Clean => self.clean += 1,
            Verdict::Done => self.done += 1,
            Verdict::Harmless => self.harmless += 1,
            Verdict::Wrong(_) => self.wrong += 1,
        }
    }

    fn line(&self, name: &str) -> String {
        let Tally { runs, clean, done, harmless, wrong } = self;
        format!("{name:32} {runs:6} {clean:7} {done:7} {harmless:9} {wrong:6}")
    }
}

/// Makes every call of every command fail in turn. `--quick` takes a sample of the commands. Words select commands
/// whose names start with one of them.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    if let Some(why) = tools::why_not() {
        println!("faults: skipped: {why}");
        return Ok(());
    }
    let quick = args.contains(&"--quick");
    let words: Vec<&str> = args.iter().copied().filter(|arg| !arg.starts_with("--")).collect();
    let tools = Tools::interposed(SMALL)?;
    let work = work_folder("faults")?;
    let fixture = work.join("fixture");
    fs::create_dir_all(&fixture)?;
    tools.make_fixture(&fixture, &work)?;
    let start = Instant::now();
    let tallies = Mutex::new(BTreeMap::<(usize, usize), Tally>::new());
    let wrong = Mutex::new(Vec::new());
    each_case(&words, quick, |number, case| {
        let sandbox = Sandbox::new(case, &tools, &fixture, &work.join(number.to_string()))?;
        for (kind, fault) in FAULTS.iter().enumerate() {
            let mut tally = Tally::default();
            for at in 1.. {
                let Some(verdict) = trial::run(&sandbox, &tools, fault, at)? else { break };
                tally.count(&verdict);
                if let Verdict::Wrong(why) = verdict {
                    let line = format!("{}: {} {at}: {why}", case.name, fault.name());
                    println!("WRONG {line}");
                    lock(&wrong).push(line);
                }
            }
            lock(&tallies).insert((number, kind), tally);
        }
        Ok(())
    })?;
    let disks = disk::run(&tools, &fixture, &work)?;
    let _ = fs::remove_dir_all(&work);
    let (tallies, mut wrong) = (tallies.into_inner().unwrap_or_default(), wrong.into_inner().unwrap_or_default());
    wrong.extend(disks);
    print_tables(&tallies);
    println!("\n{:.0} s, {} commands, {} kinds of faults", start.elapsed().as_secs_f64(), CASES.len(), FAULTS.len());
    if wrong.is_empty() { Ok(()) } else { bail!("{} of these are wrong", wrong.len()) }
}

/// Returns the indices of the cases whose names start with one of `words`, or of all without words. `quick` takes a
/// sample of them.
pub(crate) fn chosen(words: &[&str], quick: bool) -> Vec<usize> {
    let wanted = |number: &usize| {
        let name = CASES[*number].name;
        (words.is_empty() || words.iter().any(|word| name.starts_with(word))) && (!quick || number % 6 == 1)
    };
    (0..CASES.len()).filter(wanted).collect()
}

/// Runs `try_case` on all chosen cases, one at a time per processor.
pub(crate) fn each_case(
    words: &[&str],
    quick: bool,
    try_case: impl Fn(usize, &'static cases::Case) -> Result<()> + Sync,
) -> Result<()> {
    let numbers = chosen(words, quick);
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = try_case(number, &CASES[number]) {
                        *lock(&failed) = Some(error.context(CASES[number].name));
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_default().map_or(Ok(()), Err)
}

fn print_tables(tallies: &BTreeMap<(usize, usize), Tally>) {
    let sum = |belongs: &dyn Fn(usize, usize) -> bool| {
        let chosen = tallies.iter().filter(|((case, fault), _)| belongs(*case, *fault));
        chosen.fold(Tally::default(), |sum, (_, found)| Tally {
            runs: sum.runs + found.runs,
            clean: sum.clean + found.clean,
            done: sum.done + found.done,
            harmless: sum.harmless + found.harmless,
            wrong: sum.wrong + found.wrong,
        })
    };
    let head = |what: &str| {
        println!("\n{what:32} {:>6} {:>7} {:>7} {:>9} {:>6}", "runs", "as old", "as new", "harmless", "wrong")
    };
    head("call and error");
    for (kind, fault) in FAULTS.iter().enumerate() {
        println!("{}", sum(&|_, found| found == kind).line(&fault.name()));
    }
    head("command");
    for (number, case) in CASES.iter().enumerate().filter(|(number, _)| tallies.keys().any(|(case, _)| case == number))
    {
        println!("{}", sum(&|found, _| found == number).line(case.name));
    }
    println!("{}", sum(&|_, _| true).line("all"));
    println!(
        "as old: an error, and all is as before; as new: an error, and what was asked for is done or in its place"
    );
}
