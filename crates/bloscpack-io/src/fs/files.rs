//! Checks on files before anything is read or written; opening, creating and removing regular files that are not links.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, Take, Write as _};
use std::path::Path;

use crate::Error;
use crate::fs::path::directory;

/// Refuses `output` if it is the file being read: writing would destroy unread input.
#[cfg(feature = "write")]
pub(crate) fn refuse_same_file(input: &File, output: &Path) -> Result<(), Error> {
    match is_same_file(input, output) {
        // A device can be read and written independently.
        Ok(true) if input.metadata().is_ok_and(|input| input.is_file()) => Err(Error::SameFile(output.to_owned())),
        // An output that does not exist yet or cannot be examined is a different file.
        _ => Ok(()),
    }
}

/// Refuses `output` if it is `input`, is inside `input`, or contains it: the input would be lost.
#[cfg(feature = "write")]
pub(crate) fn refuse_within(input: &Path, output: &Path) -> Result<(), Error> {
    // A link counts as its target. A new output counts as its future location.
    let there = output.canonicalize();
    let is_there = there.is_ok();
    let place = there.or_else(|_| directory(output).canonicalize());
    match (input.canonicalize(), place) {
        (Ok(input_at), Ok(place)) if place.starts_with(&input_at) || is_there && input_at.starts_with(&place) => {
            Err(Error::InputReplaced { input: input.to_owned(), output: output.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Compares device and inode, so names, links and paths do not matter.
#[cfg(unix)]
pub(crate) fn is_same_file(input: &File, output: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let (a, b) = (input.metadata()?, std::fs::metadata(output)?);
    Ok((a.dev(), a.ino()) == (b.dev(), b.ino()))
}

/// On other systems the standard library gives no identity of an open file. Two files with the same length and
/// modification time are treated as the same. At worst this refuses to overwrite a copy.
#[cfg(not(unix))]
pub(crate) fn is_same_file(input: &File, output: &Path) -> io::Result<bool> {
    let (a, b) = (input.metadata()?, std::fs::metadata(output)?);
    Ok(a.len() == b.len() && a.modified()? == b.modified()?)
}

/// Returns the size of an input before it is read, from the file's position to its end; `None` if it must be read to
/// find out, as for a pipe.
///
/// The position is not 0 if a part of the file has been read, for example by another process with the same stdin.
///
/// Files in `/proc` report a size of 0 and files in `/sys` the size of a page, whatever their content. So a size of 0
/// is not trusted, and the size of a small file is checked by reading it once.
pub fn known_size(input: &File) -> Option<u64> {
    let metadata = input.metadata().ok()?;
    let len = Some(metadata.len()).filter(|len| metadata.is_file() && *len > 0)?;
    let mut file = input;
    let position = file.stream_position().ok()?;
    let size = len.saturating_sub(position);
    (len > MAX_PAGE || holds(input, position, size)).then_some(size)
}

/// Returns the [`known_size`] of an input, and a reader of its bytes up to that size: those that another process appends
/// meanwhile, as to a log, are left out.
pub(crate) fn as_opened(input: File) -> (Option<u64>, Take<File>) {
    let size = known_size(&input);
    (size, input.take(size.unwrap_or(u64::MAX)))
}

/// The largest page size of a system, and so the largest size that a file in `/sys` reports.
const MAX_PAGE: u64 = 64 << 10;

/// Returns whether reading a file gives `size` bytes from `position` on. A file that cannot be read fails later, with a
/// message.
#[cfg(unix)]
fn holds(input: &File, position: u64, size: u64) -> bool {
    use std::os::unix::fs::FileExt as _;
    // One byte more than there should be. `blpk info` of a small file would spend a tenth of its time clearing a page size.
    let mut buf = vec![0; (size.min(MAX_PAGE - 1) + 1) as usize];
    let mut found = 0;
    loop {
        match input.read_at(&mut buf, position.saturating_add(found)) {
            Ok(0) => return found == size,
            Ok(read) => found += read as u64,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return true,
        }
        if found > size {
            return false;
        }
    }
}

#[cfg(not(unix))]
fn holds(_: &File, _: u64, _: u64) -> bool {
    true
}

/// Asks the system to drop its cached pages of a file, so that the file is read from the disk.
pub(crate) fn forget_cached(file: &File) {
    #[cfg(all(target_os = "linux", feature = "write"))]
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed); // pages that cannot be dropped are read from memory
    #[cfg(not(all(target_os = "linux", feature = "write")))]
    let _ = file;
}

/// Removes a file. A missing file is not an error.
pub(crate) fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Opens an untrusted file of a container for reading. It must be a regular file and not a link. Opening a pipe would
/// wait for a writer, a device may have no end, and a link can lead anywhere. No writer of containers creates any of
/// them.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    open_regular_by(File::options().read(true), path)
}

/// [`open_regular`] with options, for example to write to the file or to create it.
pub(crate) fn open_regular_by(options: &mut fs::OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(all(unix, feature = "write"))]
    {
        use rustix::fs::OFlags;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    // Where the system can refuse links, this check only gives a better message. Other files are not opened, because
    // that may have side effects.
    fs::symlink_metadata(path).map_or(Ok(()), |found| expect_regular(&found))?;
    let file = options.open(path)?;
    expect_regular(&file.metadata()?)?;
    // Without the flags above, the path may have become a link between check and open.
    if !cfg!(feature = "write") {
        expect_regular(&fs::symlink_metadata(path)?)?;
        if !is_same_file(&file, path)? {
            return Err(io::Error::other("another file was put in its place while it was opened"));
        }
    }
    Ok(file)
}

/// The permissions for a file that replaces another one: its read, write and execute bits. Setuid and setgid would run
/// the new content with the rights of the old file's owner, and the sticky bit has no meaning for a data file.
pub(crate) fn permissions_for_file(replaced: &Metadata) -> fs::Permissions {
    without_bits(replaced, 0o7000)
}

/// The permissions for a directory that replaces another one. It keeps the bits that only restrict or group its
/// entries: setgid and sticky.
pub(crate) fn permissions_for_directory(replaced: &Metadata) -> fs::Permissions {
    without_bits(replaced, 0o4000)
}

#[cfg(unix)]
fn without_bits(replaced: &Metadata, bits: u32) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(replaced.permissions().mode() & !bits)
}

#[cfg(not(unix))]
fn without_bits(replaced: &Metadata, _: u32) -> fs::Permissions {
    replaced.permissions()
}

/// Clears setuid, setgid and sticky of a file before its content is changed in place. The kernel does this itself
/// except for privileged processes. Best effort: for a process that may not change the mode, the kernel does it.
pub(crate) fn clear_special_bits(file: &File) {
    #[cfg(unix)]
    if let Ok(found) = file.metadata()
        && std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o7000 != 0
    {
        let _ = file.set_permissions(permissions_for_file(&found));
    }
    #[cfg(not(unix))]
    let _ = file;
}

/// Refuses everything but regular files. The error names the type of the file.
pub(crate) fn expect_regular(found: &Metadata) -> io::Result<()> {
    let found = found.file_type();
    let what = match found.is_file() {
        true => return Ok(()),
        false if found.is_symlink() => "a symbolic link",
        false if found.is_dir() => "a directory",
        false => special_file(found),
    };
    let text = format!("it is {what}, expected a regular file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, text))
}

#[cfg(unix)]
fn special_file(found: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    match found.is_fifo() {
        true => "a named pipe",
        false if found.is_socket() => "a socket",
        false => "a device",
    }
}

#[cfg(not(unix))]
fn special_file(_: fs::FileType) -> &'static str {
    "something else"
}

/// Creates a file with these bytes and syncs it to disk. An existing file of this name is removed first: nothing is
/// written through a link, nor to a file that has other names.
pub(crate) fn write_anew(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let create = || File::options().write(true).create_new(true).open(path);
    let mut file = match create() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            remove_if_there(path)?;
            create()?
        }
        created => created?,
    };
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "x").unwrap();
        symlink(at("file"), at("link")).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let says = |path: &Path| open_regular(path).unwrap_err().to_string();
        assert!(open_regular(&at("file")).is_ok());
        for link in ["link", "zero", "dangling"] {
            assert_eq!(says(&at(link)), "it is a symbolic link, expected a regular file");
        }
        assert_eq!(says(&at("pipe")), "it is a named pipe, expected a regular file");
        assert_eq!(says(Path::new("/dev/zero")), "it is a device, expected a regular file");
        assert_eq!(says(dir.path()), "it is a directory, expected a regular file");
        assert_eq!(open_regular(&at("nowhere")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("victim"), "precious").unwrap();
        symlink(at("victim"), at("link")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        fs::hard_link(at("victim"), at("other name")).unwrap();
        for name in ["link", "dangling", "other name", "new"] {
            write_anew(&at(name), b"new").unwrap();
            assert_eq!(fs::read(at(name)).unwrap(), b"new");
            assert!(fs::symlink_metadata(at(name)).unwrap().is_file());
        }
        assert_eq!(fs::read(at("victim")).unwrap(), b"precious");
        assert!(!at("nowhere").exists());
    }
}
