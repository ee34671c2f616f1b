//! The nine checksums of bloscpack and the form in which their digests are stored.
//!
//! The digest of a chunk covers the whole compressed chunk, header included, and directly follows it. The digest of the
//! metadata covers the stored (compressed) metadata, without the space preallocated after it.

use crate::crc32::Crc32;
use sha2::Digest as _;
use std::fmt;

/// A checksum, as numbered in the `checksum` byte of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Checksum {
    /// No digest at all.
    #[default]
    None = 0,
    Adler32 = 1,
    Crc32 = 2,
    Md5 = 3,
    Sha1 = 4,
    Sha224 = 5,
    Sha256 = 6,
    Sha384 = 7,
    Sha512 = 8,
}

impl Checksum {
    /// Every checksum, in the order of their ids.
    pub const ALL: [Self; 9] = [
        Self::None,
        Self::Adler32,
        Self::Crc32,
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
    ];

    /// Returns the checksum with this id.
    #[must_use]
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.get(usize::from(id)).copied()
    }

    /// Returns the id in a header, 0 to 8.
    #[must_use]
    pub fn id(self) -> u8 {
        self as u8
    }

    /// Returns the name in bloscpack: `None`, `adler32`, `crc32`, `md5`, `sha1`, ….
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Adler32 => "adler32",
            Self::Crc32 => "crc32",
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
        }
    }

    /// Returns the checksum with this [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|checksum| checksum.name() == name)
    }

    /// Returns the length of a stored digest in bytes: 0 for [`Checksum::None`].
    #[must_use]
    pub fn digest_size(self) -> usize {
        match self {
            Self::None => 0,
            Self::Adler32 | Self::Crc32 => 4,
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// Returns the digest of `bytes`.
    #[must_use]
    pub fn digest(self, bytes: &[u8]) -> Digest {
        let mut hasher = self.hasher();
        hasher.update(bytes);
        hasher.finish()
    }

    /// Returns a hasher, for bytes that arrive in parts.
    #[must_use]
    pub fn hasher(self) -> Hasher {
        Hasher(match self {
            Self::None => State::None,
            Self::Adler32 => State::Adler32(simd_adler32::Adler32::new()),
            Self::Crc32 => State::Crc32(Crc32::new()),
            Self::Md5 => State::Md5(md5::Md5::new()),
            Self::Sha1 => State::Sha1(sha1::Sha1::new()),
            Self::Sha224 => State::Sha224(sha2::Sha224::new()),
            Self::Sha256 => State::Sha256(sha2::Sha256::new()),
            Self::Sha384 => State::Sha384(sha2::Sha384::new()),
            Self::Sha512 => State::Sha512(sha2::Sha512::new()),
        })
    }
}

/// A digest in its stored form: adler32 and crc32 as a little-endian `u32`, the others unchanged.
#[derive(Clone, Copy)]
pub struct Digest {
    bytes: [u8; 64],
    len: u8,
}

impl Digest {
    /// Wraps a digest from a file, for comparison with a computed one. `None` if no checksum has this length.
    #[must_use]
    pub fn from_stored(stored: &[u8]) -> Option<Self> {
        Checksum::ALL.into_iter().any(|c| c.digest_size() == stored.len()).then(|| Self::new(stored))
    }

    /// `stored` has at most 64 bytes.
    fn new(stored: &[u8]) -> Self {
        let mut digest = Self { bytes: [0; 64], len: 0 };
        for (to, from) in digest.bytes.iter_mut().zip(stored) {
            *to = *from;
            digest.len += 1;
        }
        digest
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl Eq for Digest {}

/// The stored bytes in hexadecimal.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_ref().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// A checksum in progress.
#[derive(Clone)]
pub struct Hasher(State);

#[derive(Clone)]
enum State {
    None,
    Adler32(simd_adler32::Adler32),
    Crc32(Crc32),
    Md5(md5::Md5),
    Sha1(sha1::Sha1),
    Sha224(sha2::Sha224),
    Sha256(sha2::Sha256),
    Sha384(sha2::Sha384),
    Sha512(sha2::Sha512),
}

impl Hasher {
    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::None => {}
            State::Adler32(state) => state.write(bytes),
            State::Crc32(state) => state.update(bytes),
            State::Md5(state) => state.update(bytes),
            State::Sha1(state) => state.update(bytes),
            State::Sha224(state) => state.update(bytes),
            State::Sha256(state) => state.update(bytes),
            State::Sha384(state) => state.update(bytes),
            State::Sha512(state) => state.update(bytes),
        }
    }

    /// Returns the digest of all bytes added.
    #[must_use]
    pub fn finish(self) -> Digest {
        match self.0 {
            State::None => Digest::new(&[]),
            State::Adler32(state) => Digest::new(&state.finish().to_le_bytes()),
            State::Crc32(state) => Digest::new(&state.finalize().to_le_bytes()),
            State::Md5(state) => Digest::new(&state.finalize()),
            State::Sha1(state) => Digest::new(&state.finalize()),
            State::Sha224(state) => Digest::new(&state.finalize()),
            State::Sha256(state) => Digest::new(&state.finalize()),
            State::Sha384(state) => Digest::new(&state.finalize()),
            State::Sha512(state) => Digest::new(&state.finalize()),
        }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digests of `b"bloscpack"` from Python's zlib and hashlib, in stored form.
    const STORED: [&str; 9] = [
        "",
        "b3039912",
        "b9c7988b",
        "dea556f80fb766e4a32d6b86e077e4d3",
        "a7aac74e86a5e83dde1c848b6d4dfcc0bd0db9dd",
        "d408daad01a6f0cda6482355e0889f768ea1ee2534ff40ccdbbe1452",
        "16b7d0a8c1da5163a4c8d78c793a3a0ffbad1a4c324dd66947a2229445fa19fb",
        "171830ee17d01de6916d6d45a16fccbd3fdfeb8141d34088bf923bffd1eeab70\
         af5942305c068873ad74abb095ca100b",
        "9465e16935f7598687ba3fdf7857037cd4c880aba723f75f664f136631fce41e\
         ef896c8336599c66d0a5fb9dc25a7a1d0dcb33ad99450ca5f08df5f6913a70ad",
    ];

    #[test]
    fn digests_are_pythons() {
        for (checksum, stored) in Checksum::ALL.into_iter().zip(STORED) {
            let digest = checksum.digest(b"bloscpack");
            assert_eq!(digest.to_string(), stored, "{}", checksum.name());
            assert_eq!(digest.as_ref().len(), checksum.digest_size());
            let mut hasher = checksum.hasher();
            hasher.update(b"blosc");
            hasher.update(b"pack");
            assert_eq!(hasher.finish(), digest);
        }
    }

    #[test]
    fn ids_and_names_lead_back() {
        for (id, checksum) in (0..).zip(Checksum::ALL) {
            assert_eq!(checksum.id(), id);
            assert_eq!(Checksum::from_id(id), Some(checksum));
            assert_eq!(Checksum::from_name(checksum.name()), Some(checksum));
        }
        assert_eq!(Checksum::from_id(9), None);
        assert_eq!(Checksum::from_name("none"), None);
    }
}
