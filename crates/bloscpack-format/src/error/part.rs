//! The structures that errors name.

use std::fmt;

/// The structure that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The bloscpack header.
    Header,
    /// The 32-byte header of the metadata section.
    MetadataHeader,
    /// The metadata section or its content.
    Metadata,
    /// The offsets section.
    Offsets,
    /// A JSON text.
    Json,
    /// A dtype written as a Python literal.
    Dtype,
    /// The header of a `.npy` file.
    NpyHeader,
    /// The header of a Blosc2 frame, its metalayers included.
    FrameHeader,
    /// The trailer of a Blosc2 frame, its vlmetalayers included.
    FrameTrailer,
    /// The last 23 bytes of a Blosc2 frame, by which its trailer is found.
    FrameTail,
    /// The index of a Blosc2 frame: a chunk of offsets.
    FrameIndex,
    /// A chunk of a Blosc2 frame.
    FrameChunk,
    /// The content of a vlmetalayer, a chunk.
    VlMetalayer,
    /// The metalayer that makes a Blosc2 frame an n-dimensional array.
    B2nd,
    /// `meta/storage` of a bcolz carray.
    Storage,
    /// `meta/sizes` of a bcolz carray.
    Sizes,
    /// `__attrs__` of a bcolz directory.
    Attrs,
    /// `__rootdirs__` of a bcolz ctable.
    RootDirs,
    /// `__pending__` of a bcolz directory that is being changed.
    Journal,
    /// A chunk file of a bcolz carray.
    ChunkFile,
}

impl Part {
    /// Returns the name used in messages. For a file in a bcolz directory it is the path below the directory.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "bloscpack header",
            Self::MetadataHeader => "metadata header",
            Self::Metadata => "metadata",
            Self::Offsets => "offsets",
            Self::Json => "JSON",
            Self::Dtype => "dtype",
            Self::NpyHeader => "npy header",
            Self::FrameHeader => "frame header",
            Self::FrameTrailer => "frame trailer",
            Self::FrameTail => "frame tail",
            Self::FrameIndex => "frame index",
            Self::FrameChunk => "chunk",
            Self::VlMetalayer => "vlmetalayer",
            Self::B2nd => "b2nd metalayer",
            Self::Storage => "meta/storage",
            Self::Sizes => "meta/sizes",
            Self::Attrs => "__attrs__",
            Self::RootDirs => "__rootdirs__",
            Self::Journal => "__pending__",
            Self::ChunkFile => "chunk file",
        }
    }

    /// Returns the path of the part below its directory, if the part is a file of a bcolz directory.
    #[must_use]
    pub const fn file_name(self) -> Option<&'static str> {
        match self {
            Self::Storage | Self::Sizes | Self::Attrs | Self::RootDirs | Self::Journal => Some(self.name()),
            _ => None,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
