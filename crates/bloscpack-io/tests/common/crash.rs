//! What a disk may hold when a process is killed, or the power goes, while it changes a bcolz directory.

use std::collections::HashSet;
use std::sync::Arc;

use bloscpack_io::bcolz::MemoryDirectory;
use testdata::SplitMix64;

use super::recording::Op;

/// Something that was done and may not be on the disk yet.
#[derive(Debug, Clone)]
enum Undone {
    /// A file whose bytes are synced, or not; its name is not.
    File { path: String, bytes: Arc<Vec<u8>>, synced: bool },
    /// A file that got another name. Its bytes are synced.
    Moved { from: String, to: String, bytes: Arc<Vec<u8>> },
    /// All else.
    Other(Op),
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

impl Undone {
    /// The directory by whose sync it is on the disk.
    fn directory(&self) -> &str {
        parent(match self {
            Undone::File { path, .. } | Undone::Moved { to: path, .. } => path,
            Undone::Other(
                Op::Rename { to: path, .. } | Op::RemoveFile { path } | Op::CreateDir { path } | Op::RemoveDir { path },
            ) => path,
            Undone::Other(op) => panic!("{op:?}"),
        })
    }

    /// Does it, if what it needs is there.
    fn apply(&self, disk: &MemoryDirectory) -> bool {
        match self {
            Undone::File { path, bytes, .. } => Op::Create { path: path.clone(), bytes: bytes.clone() }.apply(disk),
            Undone::Moved { from, to, bytes } => {
                let _ = Op::RemoveFile { path: from.clone() }.apply(disk);
                Op::Create { path: to.clone(), bytes: bytes.clone() }.apply(disk)
            }
            Undone::Other(op) => op.apply(disk),
        }
        .is_ok()
    }

    /// The same as a crash may leave it.
    fn torn(&self) -> Vec<Undone> {
        match self {
            Undone::File { path, bytes, synced: false } => [0, 1, bytes.len() / 2]
                .map(|len| Undone::File { path: path.clone(), bytes: Arc::new(bytes[..len].to_vec()), synced: false })
                .into(),
            _ => Vec::new(),
        }
    }
}

/// Calls `check` with what a disk may hold at any moment of these operations on `old`: what was synced, and of the rest
/// nothing, everything, everything but one thing, one thing alone, one thing cut off, or some of it. `true` says that all
/// of them are done, and have to be on the disk.
pub(crate) fn crashes(
    old: &MemoryDirectory,
    ops: &[Op],
    rng: &mut SplitMix64,
    mut check: impl FnMut(&MemoryDirectory, bool),
) {
    let durable = old.clone();
    // As it is for the process.
    let now = old.clone();
    // With each, whether its directory was synced since.
    let mut undone: Vec<(Undone, bool)> = Vec::new();
    let mut synced: HashSet<String> = now.files().into_keys().collect();
    let mut seen = HashSet::new();
    for (number, op) in ops.iter().enumerate() {
        match op {
            Op::Create { path, bytes } => {
                synced.remove(path);
                undone.push((Undone::File { path: path.clone(), bytes: bytes.clone(), synced: false }, false));
            }
            Op::SyncFile { path } => {
                synced.insert(path.clone());
                for (file, _) in &mut undone {
                    if let Undone::File { path: found, synced, .. } = file {
                        *synced |= found == path;
                    }
                }
            }
            Op::Rename { from, to } => match now.files().get(from) {
                Some(bytes) => {
                    assert!(synced.remove(from), "{from} becomes {to} before it is on the disk");
                    synced.insert(to.clone());
                    undone.push((Undone::Moved { from: from.clone(), to: to.clone(), bytes: bytes.clone() }, false));
                }
                None => undone.push((Undone::Other(op.clone()), false)),
            },
            Op::SyncDir { path } => {
                for (undone, named) in &mut undone {
                    *named |= undone.directory() == path;
                }
            }
            other => undone.push((Undone::Other(other.clone()), false)),
        }
        op.apply(&now).unwrap();
        // What is in a directory that is not on the disk, waits for that.
        let mut before = usize::MAX;
        while undone.len() < before {
            before = undone.len();
            undone.retain(|(undone, named)| {
                let whole = !matches!(undone, Undone::File { synced: false, .. });
                !(*named && whole && undone.apply(&durable))
            });
        }
        let mut check = |done: &[&Undone]| {
            let disk = durable.clone();
            done.iter().for_each(|undone| {
                undone.apply(&disk);
            });
            let files = disk.files();
            if seen.insert(files.clone()) {
                check(&disk, false);
            }
        };
        let all: Vec<&Undone> = undone.iter().map(|(undone, _)| undone).collect();
        check(&[]);
        check(&all);
        for (at, alone) in all.iter().enumerate() {
            check(&[alone]);
            check(&[&all[..at], &all[at + 1..]].concat());
            for torn in alone.torn() {
                check(&[&torn]);
                check(&[&all[..at], &[&torn], &all[at + 1..]].concat());
            }
        }
        for _ in 0..4 {
            check(&all.iter().copied().filter(|_| rng.below(2) == 0).collect::<Vec<_>>());
        }
        if number + 1 == ops.len() {
            check(&all);
        }
    }
    check(&durable, true);
}
