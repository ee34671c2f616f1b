//! `cargo xtask <command>`: project tasks that need more than one cargo command.
//!
//! Tests with other programs:
//!
//! | file | contents |
//! |---|---|
//! | `test` | every test, with a summary |
//! | `interop` | the reference libraries |
//! | `python` | the Python packages |
//! | `remote` | web servers, an S3 API, Zarr, Dask |
//! | `web` | the JavaScript package and the page |
//! | `capi`, `capi_library`, `capi_clients`, `capi_hdf5` | the C libraries: command, build, Python clients, HDF5 plugins |
//! | `cross` | other machines, in an emulator |
//! | `bench` | benchmarks |
//!
//! Tests of reliability:
//!
//! | file | contents |
//! |---|---|
//! | `faults` | system calls that fail |
//! | `kill` | `kill -9` |
//! | `limits`, `memory` | memory and time of malformed files; peak memory of large files |
//! | `fuzz` | fuzz targets |
//!
//! Checks of the repository and its packages:
//!
//! | file | contents |
//! |---|---|
//! | `ci` | all steps of CI |
//! | `layers` | dependencies, imports, `unsafe`, tables of files |
//! | `deny` | rules for dependencies |
//! | `api` | the public interface of each library |
//! | `msrv` | the oldest Rust; WebAssembly |
//! | `no_c`, `guards` | builds without a C compiler; scripts in its place |
//! | `zstd_c` | the feature `zstd-c` |
//! | `package` | the published packages |
//! | `front` | the commands and sizes in README |
//! | `release` | the tarball |
//!
//! Shared by several tasks:
//!
//! | file | contents |
//! |---|---|
//! | `sh` | starts other programs |
//! | `metadata` | packages of the workspaces |
//! | `source` | Rust source as tokens |
//! | `shared_build` | one build for tests, examples and interop |
//! | `venv` | Python venvs |
//! | `mutex` | locks a mutex whose other users may have panicked |
#![forbid(unsafe_code)]

mod api;
mod bench;
mod capi;
mod capi_clients;
mod capi_hdf5;
mod capi_library;
mod ci;
mod cross;
mod deny;
mod faults;
mod front;
mod fuzz;
mod guards;
mod interop;
mod kill;
mod layers;
mod limits;
mod memory;
mod metadata;
mod msrv;
mod mutex;
mod no_c;
mod package;
mod python;
mod release;
mod remote;
mod sh;
mod shared_build;
mod source;
mod test;
mod venv;
mod web;
mod zstd_c;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <command>

  test                     every test: unit, property, golden, doc tests, feature builds, interop
  ci [STEP]...             everything a change must pass, in two rows of steps side by side, until the first failure
  interop [--release] [NAME]...  live tests against the reference libraries, in a Python venv made here; --release
                           tests the binary that users get, otherwise the build of the tests
  python [PART]...         the Python packages, built by pip into a venv made here: lint, tests, types, suites; only if
                           named: hostile, versions
  remote [--debug] [PART]...  Zarr, web servers, an S3 API, references and Dask, with real servers on this machine;
                           parts: http s3 references dask hostile, and only if named: interop
  web [build | PART]...    the JavaScript package and the page, tested in Node, Chromium and Firefox; parts: lint node info pack
                           page firefox, and only if named: build pictures sizes bench
  capi --prefix DIR        builds and installs the C libraries, with --blosc2-abi 7 for programs of C-Blosc2 2.23;
                           --test [--quick] instead runs the own tests of C-Blosc and C-Blosc2 on them, and compares the
                           HDF5 plugins with hdf5plugin, --quick without the runs of a benchmark and with fewer datasets;
                           --clients [blosc2 | tables] runs python-blosc2 and PyTables on them; --valgrind reads
                           malformed chunks and frames under valgrind
  layers                   directions between the crates, what each may not use, import circles within them, tables of files
  cross [TARGET]...        the tests for other machines, in an emulator, and with newer instructions masked off
  limits [INPUTS]          memory and time of every malformed golden file and of 100,000 mutations
  memory [--size GB]       peak memory of every command that streams, on a sparse file of 10 GB; 1 to 64 threads
  api [--write]            the public interface of each library is as docs/api lists it; --write writes the lists
  deny                     licences, sources and versions of all dependencies, by deny.toml
  no-c                     proves that the default `blpk` and the published packages build without any C compiler
  msrv                     the oldest Rust that each crate promises compiles it; the libraries compile for WebAssembly
  fuzz [OPTION] [TARGET]... runs fuzz targets on seeds from the golden data: --minutes N or --seconds N each (default:
                           10 s), --jobs J at once, --resume without those that are done; --report shows all figures
  faults [--quick] [WORD].. every command that writes, with every system call failing in turn; full disks
  kill [--quick] [--kills N] [--seed N]  kill -9 before every call that changes something, and of the release binary
                           at 500 moments by chance
  release [--check]        a tarball for users: `blpk`, man pages, completions, licences; on Linux without any shared library.
                           --check makes it again in another folder, and compares
  bench [--quick]          every race below but auto and capi, then which goals are reached; without --quick tables for
                           docs/bench
  bench chunks [OPTION]... our chunks against C-Blosc2's and others', as --codec lz4 --set ohlc --size 1M;
                           --zstd-c: ours with the feature zstd-c, in this race and the next six
  bench contexts [OPTION]  a new context for every call, compared with one for all calls
  bench partial [OPTION].. items, ranges and blocks of a chunk
  bench threads [OPTION].. whole chunks with two threads
  bench serial [OPTION]... the serial part of a call with threads, and what it limits
  bench pipeline [OPTION]. packing and unpacking files with two threads: the share of the thread that reads and writes
  bench blocks [NAME]...   kernels, blosclz, lz4, lz4hc, zlib, zstd, checksums, each alone
  bench cli [OPTION]...    our `blpk` against the reference's, lz4 and zstd on 400 MB
  bench auto [OPTION]...   `blpk --auto` against zstd, lz4 and fixed settings: --quick, --set A,B, --rounds N
  bench bcolz [OPTION]..   a column of a bcolz table, read by us and by bcolz
  bench appends [OPTION].. one more chunk in frames of 16 MiB to 1 GiB
  bench capi [OPTION]...   our C libraries, compared with the Rust API
  bench again [OPTION]...  the chunks in which C-Blosc2 was faster once more, or those of --codec, --level
  bench goals              which goals the tables of the last full run reach";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[&str]) -> anyhow::Result<()> {
    match args {
        ["test"] => test::run(),
        ["python", parts @ ..] => python::run(parts),
        ["remote", parts @ ..] => remote::run(parts),
        ["web", parts @ ..] => web::run(parts),
        ["capi", rest @ ..] => capi::run(rest),
        ["ci", steps @ ..] => ci::run(steps),
        ["interop", names @ ..] => interop::run(names),
        ["layers"] => layers::run(),
        ["limits", rest @ ..] => limits::run(rest),
        ["memory", rest @ ..] => memory::run(rest),
        ["msrv"] => msrv::run(),
        ["no-c"] => no_c::run(),
        ["cross", targets @ ..] => cross::run(targets),
        ["faults", rest @ ..] => faults::run(rest),
        ["kill", rest @ ..] => kill::run(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["release", rest @ ..] => release::run(rest),
        ["deny"] => deny::run(),
        ["api", rest @ ..] => api::run(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => anyhow::bail!("{}\n\n{USAGE}", if args.is_empty() { "no command" } else { "unknown command" }),
    }
}
