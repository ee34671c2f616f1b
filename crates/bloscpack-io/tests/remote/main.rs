//! Files and directories at URLs, on servers that fail in every way that a server can.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, unreachable_pub)]

mod directories;
mod faults;
mod ranges;
mod s3;
mod server;
mod uploads;

use std::time::Duration;

use bloscpack_io::bloscpack_format::numpy::{Dtype, NumpyMeta, Order};
use bloscpack_io::{Array, ConvertOptions, Remote, RemoteOptions, Target, convert_array};

/// Settings for which failures take little time.
pub fn options() -> RemoteOptions {
    RemoteOptions::new().attempts(3).backoff(Duration::from_millis(1))
}

pub fn remote() -> Remote {
    Remote::new(options()).unwrap()
}

/// Plain bytes that compress to about half.
pub fn plain(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as u16 as u64
    };
    (0..len / 4).flat_map(|_| (next() as u32).to_le_bytes()).collect()
}

/// The array of `rows` × 1024 numbers of 4 bytes, and its plain bytes.
pub fn array(rows: u64) -> (Array<'static>, Vec<u8>) {
    let plain = plain(rows as usize * 4096);
    let meta = NumpyMeta { dtype: Dtype::from_type_string("<u4").unwrap(), shape: vec![rows, 1024], order: Order::C };
    (Array::plain(plain.clone(), 0, meta).unwrap(), plain)
}

/// A container of [`array`] as a file, and its plain bytes.
pub fn file(target: Target, rows: u64, options: &ConvertOptions) -> (Vec<u8>, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let (array, plain) = array(rows);
    convert_array(&array, &path, target, options).unwrap();
    (std::fs::read(path).unwrap(), plain)
}
