//! CRC-32, as zlib computes it.

/// A CRC-32 in progress. `crc32fast` is as fast as zlib-ng. Modules for the web have `zlib-rs` anyway, and a second set
/// of tables would take 16 KiB of every download.
#[derive(Clone)]
pub(crate) struct Crc32(State);

#[cfg(not(target_family = "wasm"))]
type State = crc32fast::Hasher;
#[cfg(target_family = "wasm")]
type State = u32;

#[cfg(not(target_family = "wasm"))]
impl Crc32 {
    pub(crate) fn new() -> Self {
        Crc32(State::new())
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finalize(self) -> u32 {
        self.0.finalize()
    }
}

#[cfg(target_family = "wasm")]
impl Crc32 {
    pub(crate) fn new() -> Self {
        Crc32(0)
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0 = zlib_rs::crc32::crc32(self.0, bytes);
    }

    pub(crate) fn finalize(self) -> u32 {
        self.0
    }
}
