//! The text of `--version`.

use blosc_core::Codec;

/// Returns the versions in the form of the original's line. With `in_detail`, adds the kernel and the codecs in use on
/// this machine.
pub(crate) fn text(in_detail: bool) -> String {
    // The crates of the workspace are released together.
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let mut text = format!("blpk: '{VERSION}' blosc-core: '{VERSION}'\n");
    if in_detail {
        let codecs = Codec::ALL.map(Codec::name).join(", ");
        text += &format!("kernels: '{}'\ncodecs: '{codecs}'\n", blosc_core::kernel_name());
    }
    text
}
