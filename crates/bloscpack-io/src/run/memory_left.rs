//! Memory that the limits of the system leave to the process.
//!
//! Only Linux tells without an allocation how much a process has. Its file, see proc_pid_status(5):
//!
//! ```text
//! /proc/self/status   VmSize:       3060 kB
//! ```

/// Returns the bytes that the process may still allocate, or `None` if it has no limit or the system does not tell.
/// Without the feature `write` nothing asks the system.
///
/// A program with several threads gives this function to [`set_left`](blosc_core::memory::set_left).
#[must_use]
pub fn memory_left() -> Option<usize> {
    #[cfg(all(target_os = "linux", feature = "write"))]
    return linux::memory_left();
    #[cfg(not(all(target_os = "linux", feature = "write")))]
    None
}

#[cfg(all(target_os = "linux", feature = "write"))]
mod linux {
    use std::fs::File;
    use std::io::Read as _;

    use rustix::process::{Resource, getrlimit};

    /// Limits, each with the name of what it bounds in the status of the process.
    const LIMITS: [(Resource, &[u8]); 2] = [(Resource::As, b"VmSize:"), (Resource::Data, b"VmData:")];

    /// [`super::memory_left`]. A process without limits takes two system calls.
    pub(super) fn memory_left() -> Option<usize> {
        LIMITS.iter().filter_map(|(limit, size)| left_of(getrlimit(*limit).current?, size)).min()
    }

    /// Returns what a limit of `limit` bytes leaves beside the memory of this name.
    fn left_of(limit: u64, size: &[u8]) -> Option<usize> {
        let kib = Status::read()?.number(size)?;
        usize::try_from(limit.saturating_sub(kib.saturating_mul(1024))).ok()
    }

    /// The status of the process, read without an allocation.
    struct Status {
        text: [u8; 4096],
        len: usize,
    }

    impl Status {
        fn read() -> Option<Status> {
            let mut file = File::open("/proc/self/status").ok()?;
            let mut found = Status { text: [0; 4096], len: 0 };
            while found.len < found.text.len() {
                match file.read(&mut found.text[found.len..]).ok()? {
                    0 => break,
                    more => found.len += more,
                }
            }
            Some(found)
        }

        /// Returns the number that follows `name` at the start of a line, or `None` if there is no such line or number.
        fn number(&self, name: &[u8]) -> Option<u64> {
            let text = self.text.get(..self.len)?;
            let rest = text.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(name))?;
            let word = rest.split(u8::is_ascii_whitespace).find(|word| !word.is_empty())?;
            core::str::from_utf8(word).ok()?.parse().ok()
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn status(text: &[u8]) -> Status {
            let mut status = Status { text: [0; 4096], len: text.len() };
            status.text[..text.len()].copy_from_slice(text);
            status
        }

        #[test]
        fn numbers_follow_their_names() {
            let running = status(b"State:\tR (running)\nVmSize:   123 kB");
            assert_eq!((running.number(b"VmSize:"), running.number(b"State:")), (Some(123), None));
            assert_eq!((running.number(b"Vm"), running.number(b"Size:")), (None, None));
            assert_eq!(status(b"VmSize:\t    3060 kB\nVmData:").number(b"VmSize:"), Some(3060));
            assert_eq!(status(b"VmSize:\nVmData:\t1 kB").number(b"VmSize:"), None);
            assert_eq!(status(b"").number(b"VmSize:"), None);
        }

        #[test]
        fn a_limit_leaves_what_is_not_in_use() {
            let status = Status::read().unwrap();
            for (_, size) in LIMITS {
                assert!(status.number(size).unwrap() > 100, "{}", size.escape_ascii());
                assert_eq!(left_of(1, size), Some(0));
                assert!(left_of(1 << 50, size).is_some_and(|left| left < 1 << 50 && left > 1 << 49));
            }
        }
    }
}
