//! The possible states of a disk after a kill or power failure during a change of a bcolz directory.

use std::collections::HashSet;
use std::sync::Arc;

use bloscpack_io::bcolz::MemoryDirectory;
use testdata::SplitMix64;

use super::recording::Op;

/// An operation that is done, but may not be on the disk yet.
#[derive(Debug, Clone)]
enum Undone {
    /// A file whose bytes may be synced, but whose name is not.
    File { path: String, bytes: Arc<Vec<u8>>, synced: bool },
    /// A renamed file. Its bytes are synced.
    Moved { from: String, to: String, bytes: Arc<Vec<u8>> },
    /// Any other operation.
    Other(Op),
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

impl Undone {
    /// The directory whose sync makes the operation durable.
    fn directory(&self) -> &str {
        parent(match self {
            Undone::File { path, .. } | Undone::Moved { to: path, .. } => path,
            Undone::Other(
                Op::Rename { to: path, .. } | Op::RemoveFile { path } | Op::CreateDir { path } | Op::RemoveDir { path },
            ) => path,
            Undone::Other(op) => panic!("{op:?}"),
        })
    }

    /// Applies the operation if the files and directories that it needs exist.
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

    /// The states in which a crash may leave the operation.
    fn torn(&self) -> Vec<Undone> {
        match self {
            Undone::File { path, bytes, synced: false } => [0, 1, bytes.len() / 2]
                .map(|len| Undone::File { path: path.clone(), bytes: Arc::new(bytes[..len].to_vec()), synced: false })
                .into(),
            _ => Vec::new(),
        }
    }
}

/// Calls `check` with the states that a disk may have at any moment of these operations on `old`. Each contains
/// everything that was synced. Of the rest it contains nothing, everything, everything but one operation, one operation
/// alone, one torn operation, or a random part. `true` means that all operations are done and must be on the disk.
pub(crate) fn crashes(
    old: &MemoryDirectory,
    ops: &[Op],
    rng: &mut SplitMix64,
    mut check: impl FnMut(&MemoryDirectory, bool),
) {
    let durable = old.clone();
    // The state that the process sees.
    let now = old.clone();
    // Each operation, and whether its directory was synced since.
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
        // An entry in a directory that is not on the disk waits for the directory.
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
