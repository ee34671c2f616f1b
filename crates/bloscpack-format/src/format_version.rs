//! Format versions of bloscpack files.

/// A bloscpack format version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Written by bloscpack 0.1.0-rc3 to 0.1.1; bcolz keeps it for its chunk files.
    V1,
    /// Written by bloscpack 0.2.x.
    V2,
    /// Written by bloscpack since 0.3.0.
    V3,
}

impl Version {
    /// Returns the version byte.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
            Self::V3 => 3,
        }
    }
}
