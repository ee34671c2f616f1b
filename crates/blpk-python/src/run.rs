//! Long work without the interpreter, on the requested threads, ended by Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bloscpack_io::blosc_core::{self, CParams};
use bloscpack_io::{Cancel, Codec, Threads};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::settings::in_range;

/// Work on fewer bytes than this takes less than a hundredth of a second, and is not worth a thread.
const LONG: usize = 8 << 20;

/// The time between two looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// Idle pools for later calls. Starting two threads takes as long as decoding 200 KiB.
static KEPT: Mutex<Kept> = Mutex::new(Kept { process: 0, pools: Vec::new() });

/// Maximum number of kept pools. Calls use more of them only if more Python threads call at once.
const MAX_KEPT: usize = 4;

struct Kept {
    /// The process that started the threads. A child by fork has the pools, but not their threads.
    process: u32,
    pools: Vec<Arc<rayon::ThreadPool>>,
}

/// Returns `count` threads. No other call uses them until the result is dropped.
///
/// # Errors
/// `RuntimeError` if the system starts no more threads.
pub(crate) fn threads(count: usize) -> PyResult<Threads> {
    match count {
        0 | 1 => Ok(Threads::Serial),
        count => pool(count.min(256)).map(Threads::Pool),
    }
}

/// Starts `count` threads.
fn start(count: usize) -> PyResult<Arc<rayon::ThreadPool>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().map(Arc::new);
    pool.map_err(|error| PyRuntimeError::new_err(format!("starting {count} threads: {error}")))
}

/// Returns a pool of `count` threads that no other call uses.
fn pool(count: usize) -> PyResult<Arc<rayon::ThreadPool>> {
    // Another thread that holds the lock may be gone after a fork, so nothing waits for it.
    let Ok(mut kept) = KEPT.try_lock() else { return start(count) };
    let process = std::process::id();
    if kept.process != process {
        // Dropping a pool without threads could wait for them.
        std::mem::forget(std::mem::take(&mut kept.pools));
        kept.process = process;
    }
    let is_idle = |pool: &Arc<rayon::ThreadPool>| Arc::strong_count(pool) == 1;
    if let Some(pool) = kept.pools.iter().find(|pool| is_idle(pool) && pool.current_num_threads() == count) {
        return Ok(Arc::clone(pool));
    }
    let pool = start(count)?;
    if kept.pools.len() >= MAX_KEPT
        && let Some(oldest) = kept.pools.iter().position(is_idle)
    {
        kept.pools.remove(oldest);
    }
    if kept.pools.len() < MAX_KEPT {
        kept.pools.push(Arc::clone(&pool));
    }
    Ok(pool)
}

/// Initialises what the libraries initialise at first use: kernels, tables and the memory reclamation of thread pools. A
/// process that forks while another thread does this would have a child that waits for it for ever.
///
/// # Errors
/// `RuntimeError` if the system starts no threads.
pub(crate) fn prepare_for_forks(py: Python<'_>) -> PyResult<()> {
    // Not kept: a process without idle threads forks without a warning of Python's.
    let pool = start(2)?;
    let params = CParams::new().codec(Codec::Zstd).typesize(8);
    py.detach(|| {
        let plain: Vec<u8> = (0..2000_u32).flat_map(u32::to_le_bytes).collect();
        let decoded = blosc_core::compress(&plain, &params).map(|chunk| blosc_core::decompress(&chunk));
        debug_assert!(decoded.is_ok());
        pool.join(|| (), || ());
    });
    Ok(())
}

/// Extracts the number of threads that a Python call asks for, all cores for `None`: `#[pyo3(from_py_with = count)]`.
///
/// # Errors
/// `ValueError` for less than 1 and for a number that is too large; `TypeError` for an argument of another type.
pub(crate) fn count(threads: &Bound<'_, PyAny>) -> PyResult<usize> {
    if threads.is_none() {
        return Ok(std::thread::available_parallelism().map_or(1, usize::from));
    }
    match in_range(threads) {
        Err(error) if !error.is_instance_of::<PyValueError>(threads.py()) => Err(error),
        Ok(count @ 1..) => Ok(count),
        _ => Err(PyValueError::new_err(format!("threads must be at least 1, or None for all cores, not {threads}"))),
    }
}

/// Runs `work` on `nbytes` bytes without the interpreter. A signal handler that raises, as Ctrl-C does, sets `cancel`
/// and ends the work.
///
/// # Errors
/// The exception of the signal handler.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    nbytes: usize,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    if nbytes < LONG {
        return Ok(py.detach(work));
    }
    // Only the main thread runs signal handlers, so the work must be on another one.
    let (send, receive) = channel();
    py.detach(move || {
        std::thread::scope(|scope| {
            let started = std::thread::Builder::new().spawn_scoped(scope, move || {
                // The receiver waits for this.
                let _ = send.send(work());
            });
            if started.is_err() {
                return Err(PyRuntimeError::new_err("starting a thread: the system has no more"));
            }
            loop {
                match receive.recv_timeout(LOOK) {
                    Ok(done) => return Ok(done),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err("the work ended without a result"));
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(raised) = Python::attach(|py| py.check_signals()) {
                            cancel.cancel();
                            // The end of the scope waits for the thread.
                            return Err(raised);
                        }
                    }
                }
            }
        })
    })
}
