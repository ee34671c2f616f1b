//! Does any input crash us? Builds the targets of `fuzz/` and runs them on seeds taken from the golden data.
//!
//! `cargo fuzz run TARGET` works too where cargo-fuzz and a nightly compiler are installed. Here neither is needed: the
//! same flags with `RUSTC_BOOTSTRAP`, which lets the stable compiler build with sanitizers.

use crate::{metadata, sh};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// What `cargo fuzz build` passes: coverage counters for libFuzzer, and the address sanitizer.
const RUSTFLAGS: &str = "--cfg=fuzzing -Zsanitizer=address -Cdebug-assertions -Cforce-frame-pointers -Ccodegen-units=1 \
    -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";

/// What is built with them: our own code. The zstd dependency alone would take three minutes more.
const INSTRUMENTED: [&str; 4] = ["blosc-core", "bloscpack-format", "bloscpack-io", "blosc-fuzz"];

/// Enough to run every seed and some mutations of each; long runs are for `cargo xtask fuzz TARGET SECONDS`.
const SMOKE_SECONDS: u64 = 5;

/// Runs one target, or all of them, for so many seconds each.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let (target, seconds) = match arguments {
        [] => (None, 10),
        [target] => (Some(*target), 60),
        [target, seconds] => (Some(*target), seconds.parse().context("SECONDS is a number")?),
        _ => bail!("usage: cargo xtask fuzz [TARGET [SECONDS]]"),
    };
    let targets = targets()?;
    let wanted: Vec<String> = match target {
        None | Some("all") => targets,
        Some(name) if targets.iter().any(|target| target == name) => vec![name.to_owned()],
        Some(name) => bail!("no fuzz target is called {name}; there are {targets:?}"),
    };
    let binaries = build()?;
    for target in &wanted {
        fuzz(&binaries, target, seconds)?;
    }
    println!("fuzz: {} targets found nothing in {seconds} s each", wanted.len());
    Ok(())
}

/// What CI runs.
pub(crate) fn smoke() -> Result<()> {
    run(&["all", &SMOKE_SECONDS.to_string()])
}

/// A target is a file of `fuzz/fuzz_targets`.
fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(sh::root().join("fuzz/fuzz_targets")).context("fuzz/fuzz_targets")? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

/// Builds all targets and returns the folder with their binaries.
fn build() -> Result<PathBuf> {
    let folder = metadata::target_directory()?.join("fuzz");
    let mut build = sh::cargo(["build", "--release", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    build.arg("--target-dir").arg(&folder).arg("-Zprofile-rustflags");
    let flags: Vec<String> = RUSTFLAGS.split_whitespace().map(|flag| format!("'{flag}'")).collect();
    for package in INSTRUMENTED {
        build.arg("--config").arg(format!("profile.release.package.{package}.rustflags=[{}]", flags.join(",")));
    }
    sh::run(build.env("RUSTC_BOOTSTRAP", "1")).context("building the fuzz targets (libFuzzer needs a C++ compiler)")?;
    Ok(folder.join("release"))
}

fn fuzz(binaries: &Path, target: &str, seconds: u64) -> Result<()> {
    let corpus = sh::root().join("fuzz/corpus").join(target);
    let artifacts = sh::root().join("fuzz/artifacts").join(target);
    std::fs::create_dir_all(&artifacts)?;
    seed(target, &corpus)?;
    let mut command = sh::command(binaries.join(target));
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-artifact_prefix={}/", artifacts.display()));
    // 2 GiB and 10 s are far above what the targets' own limits allow: passing them is a finding.
    command.args(["-rss_limit_mb=2048", "-timeout=10", "-max_len=65536", "-print_final_stats=1"]).arg(&corpus);
    // Inputs that once failed run first of all.
    let regressions = sh::root().join("fuzz/regressions").join(target);
    if regressions.is_dir() {
        command.arg(regressions);
    }
    command.env("ASAN_OPTIONS", "detect_odr_violation=0");
    sh::run(&mut command)
        .with_context(|| format!("fuzz target {target} failed; the input is kept in {}", artifacts.display()))
}

/// Writes the golden inputs of `target` into its corpus, which is not in git: the archives are.
fn seed(target: &str, corpus: &Path) -> Result<()> {
    std::fs::create_dir_all(corpus)?;
    for (name, bytes) in seeds(target) {
        // libFuzzer's own finds are kept beside the seeds; a seed's name never changes, so it is written once.
        let path = corpus.join(name.replace('/', "-"));
        if bytes.len() <= 65_536 && !path.exists() {
            std::fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}

/// Golden files that make good seeds: the archive, and the files in it, are told by the target's first word.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let of = |archive: &str, extensions: &[&str]| {
        let files = testdata::archive(archive).into_iter();
        files.filter(|(name, _)| extensions.iter().any(|end| name.ends_with(end))).collect::<Vec<_>>()
    };
    let mut seeds = match target.split('_').next() {
        Some("chunk") => of("chunks", &[".bin"]),
        Some("bloscpack") => of("bloscpack", &[".blp"]),
        Some("frame") => of("frames", &[".b2frame", ".b2nd"]),
        Some("bcolz") => of("bcolz", &["meta/storage", "meta/sizes", "__attrs__", "__rootdirs__"]),
        _ => Vec::new(),
    };
    match target {
        // The last 16 bytes choose the ranges: four numbers, taken modulo the chunk's plain size.
        "chunk_ranges" => {
            let places = [1_000u32, 70_000, 3, 123_457].map(u32::to_le_bytes).concat();
            seeds.iter_mut().for_each(|(_, bytes)| bytes.extend(&places));
        }
        // The last 8 bytes are changes: chunks appended, inserted, replaced, deleted; a vlmetalayer; commits.
        "frame_edit" => seeds.iter_mut().for_each(|(_, bytes)| bytes.extend([0, 9, 7, 18, 5, 11, 4, 0])),
        "bcolz_read" => seeds = carrays(),
        _ => {}
    }
    seeds
}

/// The files of each golden carray in one, as `bcolz_read` takes them apart.
fn carrays() -> Vec<(String, Vec<u8>)> {
    const FILES: [&str; 5] = ["meta/storage", "meta/sizes", "__attrs__", "data/__0.blp", "data/__1.blp"];
    let files: std::collections::BTreeMap<_, _> = testdata::archive("bcolz").into_iter().collect();
    let roots = files.keys().filter_map(|name| name.strip_suffix("/meta/storage"));
    let joined = |root: &str| {
        let parts = FILES.map(|name| files.get(&format!("{root}/{name}")).cloned().unwrap_or_default());
        parts.map(|part| [part.as_slice(), &[0xff; 4]].concat()).concat()
    };
    roots.map(|root| (root.to_owned(), joined(root))).collect()
}
