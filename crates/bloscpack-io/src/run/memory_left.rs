//! Memory that the limits of the system leave to the process.
//!
//! Only Linux tells it without an allocation. Its files, see proc_pid_limits(5) and proc_pid_status(5):
//!
//! ```text
//! /proc/self/limits   Max address space         1073741824           unlimited            bytes
//! /proc/self/status   VmSize:       3060 kB
//! ```

/// Limits by their names in `limits`, each with the name of what they bound in `status`.
const LIMITS: [(&[u8], &[u8]); 2] = [(b"Max address space", b"VmSize:"), (b"Max data size", b"VmData:")];

/// Returns the bytes that the process may still allocate, or `None` if it has no limit or the system does not tell.
///
/// A program with several threads gives this function to [`set_left`](blosc_core::memory::set_left).
#[must_use]
pub fn memory_left() -> Option<usize> {
    let limits = File::read("/proc/self/limits")?;
    LIMITS.iter().filter_map(|(limit, size)| left_of(limits.number(limit)?, size)).min()
}

/// Returns what a limit of `limit` bytes leaves beside the memory of this name.
fn left_of(limit: usize, size: &[u8]) -> Option<usize> {
    let kib = File::read("/proc/self/status")?.number(size)?;
    Some(limit.saturating_sub(kib.saturating_mul(1024)))
}

/// The start of a file, read without an allocation.
struct File {
    text: [u8; 4096],
    len: usize,
}

impl File {
    #[cfg(target_os = "linux")]
    fn read(path: &str) -> Option<File> {
        use std::io::Read as _;

        let mut file = std::fs::File::open(path).ok()?;
        let mut found = File { text: [0; 4096], len: 0 };
        while found.len < found.text.len() {
            match file.read(&mut found.text[found.len..]).ok()? {
                0 => break,
                more => found.len += more,
            }
        }
        Some(found)
    }

    #[cfg(not(target_os = "linux"))]
    fn read(_path: &str) -> Option<File> {
        None
    }

    /// Returns the number that follows `name` at the start of a line, or `None` if there is no such line or number.
    fn number(&self, name: &[u8]) -> Option<usize> {
        let text = self.text.get(..self.len)?;
        let rest = text.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(name))?;
        let word = rest.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?;
        core::str::from_utf8(word).ok()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &[u8]) -> File {
        let mut file = File { text: [0; 4096], len: text.len() };
        file.text[..text.len()].copy_from_slice(text);
        file
    }

    #[test]
    fn numbers_follow_their_names() {
        let limits =
            file(b"Max data size             unlimited   unlimited   bytes\nMax address space   123  unlimited");
        assert_eq!((limits.number(b"Max address space"), limits.number(b"Max data size")), (Some(123), None));
        assert_eq!((limits.number(b"Max"), limits.number(b"address")), (None, None));
        assert_eq!(file(b"VmSize:\t    3060 kB\nVmData:").number(b"VmSize:"), Some(3060));
        assert_eq!(file(b"VmSize:\nVmData:\t1 kB").number(b"VmSize:"), None);
        assert_eq!(file(b"").number(b"VmSize:"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_limit_leaves_what_is_not_in_use() {
        let status = File::read("/proc/self/status").unwrap();
        for (_, size) in LIMITS {
            assert!(status.number(size).unwrap() > 100, "{}", size.escape_ascii());
            assert_eq!(left_of(1, size), Some(0));
            assert!(left_of(1 << 50, size).is_some_and(|left| left < 1 << 50 && left > 1 << 49));
        }
    }
}
