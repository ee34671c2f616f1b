//! The functions of JavaScript that are called here: those of the files that it holds.

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

/// The outcome of a call of JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// The bytes have not arrived. JavaScript has noted which, and repeats the call of this module later.
    Pending,
    Absent,
    /// A directory at a URL, which cannot be listed.
    Unsupported,
    Failed,
}

impl Outcome {
    pub(crate) fn of(code: u8) -> Outcome {
        match code {
            0 => Outcome::Done,
            1 => Outcome::Pending,
            2 => Outcome::Absent,
            4 => Outcome::Unsupported,
            _ => Outcome::Failed,
        }
    }
}

#[wasm_bindgen]
extern "C" {
    /// The list of open files and directories. Its methods return the code of an `Outcome`, or set it as `outcome`.
    pub type Host;

    #[wasm_bindgen(method)]
    fn size(this: &Host, file: u32) -> f64;
    #[wasm_bindgen(method)]
    fn read(this: &Host, file: u32, offset: f64, into: &mut [u8]) -> u8;
    #[wasm_bindgen(method)]
    fn want(this: &Host, file: u32, offset: f64, len: f64);
    #[wasm_bindgen(method)]
    fn open(this: &Host, directory: u32, path: &str) -> u32;
    #[wasm_bindgen(method)]
    fn list(this: &Host, directory: u32, path: &str) -> Vec<String>;
    #[wasm_bindgen(method, getter)]
    fn outcome(this: &Host) -> u8;
    #[wasm_bindgen(method, getter)]
    fn reason(this: &Host) -> String;
    #[wasm_bindgen(method, getter, js_name = isPending)]
    fn is_pending(this: &Host) -> bool;
}

thread_local!(static HOST: RefCell<Option<Host>> = const { RefCell::new(None) });

/// Sets the list of open files. Called once.
#[wasm_bindgen(js_name = setHost)]
pub fn set_host(host: Host) {
    HOST.set(Some(host));
}

fn with<T>(otherwise: T, call: impl FnOnce(&Host) -> T) -> T {
    HOST.with_borrow(|host| host.as_ref().map_or(otherwise, call))
}

/// Returns the size of a file in bytes.
pub(crate) fn size(file: u32) -> f64 {
    with(0.0, |host| host.size(file))
}

/// Fills `into` with the bytes at `offset`.
pub(crate) fn read(file: u32, offset: f64, into: &mut [u8]) -> Outcome {
    with(Outcome::Failed, |host| Outcome::of(host.read(file, offset, into)))
}

/// Notes bytes that will be read.
pub(crate) fn want(file: u32, offset: f64, len: f64) {
    with((), |host| host.want(file, offset, len));
}

/// Opens a file in a directory.
pub(crate) fn open(directory: u32, path: &str) -> (Outcome, u32) {
    with((Outcome::Failed, 0), |host| {
        let number = host.open(directory, path);
        (Outcome::of(host.outcome()), number)
    })
}

/// Lists the names in a directory.
pub(crate) fn list(directory: u32, path: &str) -> (Outcome, Vec<String>) {
    with((Outcome::Failed, Vec::new()), |host| {
        let names = host.list(directory, path);
        (Outcome::of(host.outcome()), names)
    })
}

/// Returns the reason of the last failure.
pub(crate) fn reason() -> String {
    with("no files are open".into(), Host::reason)
}

/// Returns whether a read of this call failed because its bytes have not arrived. JavaScript will repeat the call.
pub(crate) fn is_pending() -> bool {
    with(false, Host::is_pending)
}
