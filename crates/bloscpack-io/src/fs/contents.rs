//! Whether a directory holds nothing but the files of a format, so that replacing it loses nothing else.

use std::fs;
use std::io;
use std::path::Path;

use crate::fs::path::is_temporary;

/// Returns whether all names in a directory belong to it: `is_file` decides about regular files, and `is_directory`,
/// which also gets the path, about directories. Links, pipes and devices never belong; leftovers of killed processes do.
pub(crate) fn holds_only(
    directory: &Path,
    is_file: &dyn Fn(&str) -> bool,
    is_directory: &dyn Fn(&Path, &str) -> io::Result<bool>,
) -> io::Result<bool> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { return Ok(false) };
        let kind = entry.file_type()?;
        let belongs = match kind.is_dir() {
            true => is_directory(&entry.path(), name)?,
            false => kind.is_file() && is_file(name),
        };
        if !belongs && !is_temporary(name) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether a directory holds only regular files whose names `is_file` accepts.
pub(crate) fn holds_only_files(directory: &Path, is_file: &dyn Fn(&str) -> bool) -> io::Result<bool> {
    holds_only(directory, is_file, &|_, _| Ok(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_else_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let holds =
            || holds_only(path, &|name| name == "a", &|path, name| Ok(name == "b" && path.ends_with("b"))).unwrap();
        assert!(holds());
        fs::write(path.join("a"), "").unwrap();
        fs::create_dir(path.join("b")).unwrap();
        fs::write(path.join(".blpk-01234567-0.tmp"), "").unwrap();
        assert!(holds());
        assert!(!holds_only_files(path, &|name| name == "a").unwrap());
        for name in ["c", ".a", "a.tmp"] {
            fs::write(path.join(name), "").unwrap();
            assert!(!holds(), "{name}");
            fs::remove_file(path.join(name)).unwrap();
            fs::create_dir(path.join(name)).unwrap();
            assert!(!holds(), "{name}/");
            fs::remove_dir(path.join(name)).unwrap();
        }
        #[cfg(unix)]
        {
            fs::remove_file(path.join("a")).unwrap();
            std::os::unix::fs::symlink(path.join("b"), path.join("a")).unwrap();
            assert!(!holds());
        }
    }
}
