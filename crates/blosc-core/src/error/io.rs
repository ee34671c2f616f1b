//! Errors as those of [`std::io`], for callers that read and write.

use std::io::{Error, ErrorKind};

use super::{DecodeError, EncodeError};

impl From<DecodeError> for Error {
    /// The kind is [`InvalidData`](ErrorKind::InvalidData), unless the caller or the system is the cause. The error itself
    /// is the source.
    fn from(error: DecodeError) -> Self {
        let kind = match &error {
            DecodeError::OutOfMemory(_) => ErrorKind::OutOfMemory,
            DecodeError::Range { .. } | DecodeError::Destination { .. } => ErrorKind::InvalidInput,
            DecodeError::CodecUnavailable { .. } | DecodeError::UnregisteredCodec { .. } => ErrorKind::Unsupported,
            // Not `Interrupted`, after which readers try again.
            DecodeError::Cancelled => ErrorKind::Other,
            _ => ErrorKind::InvalidData,
        };
        Error::new(kind, error)
    }
}

impl From<EncodeError> for Error {
    /// The kind is [`InvalidInput`](ErrorKind::InvalidInput), unless the system is the cause. The error itself is the
    /// source.
    fn from(error: EncodeError) -> Self {
        let kind = match &error {
            EncodeError::OutOfMemory(_) => ErrorKind::OutOfMemory,
            EncodeError::CodecUnavailable { .. } => ErrorKind::Unsupported,
            EncodeError::Cancelled => ErrorKind::Other,
            _ => ErrorKind::InvalidInput,
        };
        Error::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_source() {
        let error = Error::from(DecodeError::Lazy);
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        let inner = error.into_inner().and_then(|inner| inner.downcast::<DecodeError>().ok());
        assert_eq!(inner.as_deref(), Some(&DecodeError::Lazy));
        assert_eq!(Error::from(EncodeError::Typesize).kind(), ErrorKind::InvalidInput);
        assert_eq!(Error::from(EncodeError::Cancelled).kind(), ErrorKind::Other);
    }
}
