//! Conversion to [`std::io::Error`], for callers that read and write.

use std::io::Error;

use super::{DecodeError, EncodeError};

impl From<DecodeError> for Error {
    /// The kind is that of [`DecodeError::kind`]. The error itself is inside.
    fn from(error: DecodeError) -> Self {
        Error::new(error.kind().into(), error)
    }
}

impl From<EncodeError> for Error {
    /// The kind is that of [`EncodeError::kind`]. The error itself is inside.
    fn from(error: EncodeError) -> Self {
        Error::new(error.kind().into(), error)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn the_error_is_the_source() {
        let error = Error::from(DecodeError::Lazy);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let inner = error.into_inner().and_then(|inner| inner.downcast::<DecodeError>().ok());
        assert_eq!(inner.as_deref(), Some(&DecodeError::Lazy));
        assert_eq!(Error::from(EncodeError::Typesize).kind(), ErrorKind::InvalidInput);
        assert_eq!(Error::from(EncodeError::Cancelled).kind(), ErrorKind::Other);
    }
}
