//! A `.tar.gz` whose bytes depend only on names and contents.

use super::contents::{Entry, Files};
use anyhow::{Context, Result};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::Read as _;
use std::path::Path;
use tar::{Archive, Builder, Header};

/// Packs `files` in the folder `name`: sorted, owned by root, all with the modification time `time`.
pub(super) fn pack(name: &str, files: &Files, time: u64) -> Result<Vec<u8>> {
    // The encoder writes no file name and no time of its own.
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (path, entry) in files {
        let mut header = Header::new_ustar();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(if entry.executable { 0o755 } else { 0o644 });
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        header.set_username("root")?;
        header.set_groupname("root")?;
        tar.append_data(&mut header, format!("{name}/{path}"), entry.bytes.as_slice()).with_context(|| path.clone())?;
    }
    Ok(tar.into_inner()?.finish()?)
}

/// Returns the files of a `.tar.gz`, with paths relative to its top folder.
pub(super) fn unpack(bytes: &[u8]) -> Result<Files> {
    let mut files = Files::new();
    for entry in Archive::new(GzDecoder::new(bytes)).entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        let path = path.components().skip(1).collect::<std::path::PathBuf>();
        let executable = entry.header().mode()? & 0o111 != 0;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        files.insert(slashes(&path), Entry { bytes, executable });
    }
    Ok(files)
}

/// Returns a path in the tarball's spelling, on every system.
fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::{pack, unpack};
    use crate::release::contents::{Entry, Files};

    #[test]
    fn packing_is_reversible_and_depends_on_the_time_given() {
        let entry = |bytes: &[u8], executable| Entry { bytes: bytes.to_vec(), executable };
        let files = Files::from([("man/a.1".into(), entry(b"page", false)), ("blpk".into(), entry(b"code", true))]);
        let packed = pack("blpk-1", &files, 1_000_000_000).unwrap();
        assert_eq!(packed, pack("blpk-1", &files, 1_000_000_000).unwrap());
        assert_ne!(packed, pack("blpk-1", &files, 1_000_000_001).unwrap());
        assert_eq!((packed[3], &packed[4..8]), (0, &[0; 4][..]), "gzip flags and time");
        let again = unpack(&packed).unwrap();
        assert_eq!(again.keys().collect::<Vec<_>>(), ["blpk", "man/a.1"]);
        assert!(again["blpk"].executable && !again["man/a.1"].executable);
        assert_eq!(again["man/a.1"].bytes, b"page");
    }
}
