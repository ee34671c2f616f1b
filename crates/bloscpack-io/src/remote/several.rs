//! The same work by several threads, which wait for the network.

/// Calls `work` on the calling thread and on up to `threads - 1` others. Fewer if the system refuses threads.
pub(super) fn several(threads: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 1..threads {
            if std::thread::Builder::new().spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}
