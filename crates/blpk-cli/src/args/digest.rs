//! Parses `--digest`.

use super::bad_value::BadValue;
use super::choice::choice;
use bloscpack_format::checksum::Checksum;
use bloscpack_format::python_str_repr;

/// `--digest`: a checksum of the uncompressed bytes, and the expected digest, if one is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DigestArg {
    pub(crate) checksum: Checksum,
    /// In lower-case hexadecimal digits.
    pub(crate) expected: Option<String>,
}

/// The checksums with a `…sum` program. For the others, tools disagree about the byte order.
pub(super) const CHECKSUMS: [Checksum; 6] =
    [Checksum::Md5, Checksum::Sha1, Checksum::Sha224, Checksum::Sha256, Checksum::Sha384, Checksum::Sha512];

/// Parses the name of a checksum, such as `sha256`.
pub(super) fn checksum(text: &str) -> Result<Checksum, BadValue> {
    choice("--digest", text, &CHECKSUMS.map(Checksum::name)).map(|index| CHECKSUMS[index])
}

/// Parses the name of a checksum, optionally with a digest: `sha256:HEX`.
pub(super) fn digest(text: &str) -> Result<DigestArg, BadValue> {
    let Some((name, hex)) = text.split_once(':') else {
        return Ok(DigestArg { checksum: checksum(text)?, expected: None });
    };
    let checksum = checksum(name)?;
    let digits = 2 * checksum.digest_size();
    if hex.len() != digits || !hex.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        let hex = python_str_repr(hex);
        let text = format!("argument --digest: invalid {name} digest: {hex} (expected {digits} hexadecimal digits)");
        return Err(BadValue::Usage(text));
    }
    Ok(DigestArg { checksum, expected: Some(hex.to_ascii_lowercase()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_may_be_expected() {
        assert_eq!(digest("md5"), Ok(DigestArg { checksum: Checksum::Md5, expected: None }));
        let zeros = "0".repeat(30);
        let given = digest(&format!("md5:{zeros}Fa"));
        assert_eq!(given, Ok(DigestArg { checksum: Checksum::Md5, expected: Some(format!("{zeros}fa")) }));
        let wrong = ["0", "0g", "000"].map(|end| format!("md5:{zeros}{end}"));
        for text in ["", "None", "crc32", "sha3", "md5:", "sha256:00", &wrong[0], &wrong[1], &wrong[2]] {
            assert!(digest(text).is_err(), "{text}");
        }
    }
}
