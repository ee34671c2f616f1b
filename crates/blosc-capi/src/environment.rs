//! Environment variables, read as C programs read them.

/// Returns the number at the start of a variable.
pub(crate) fn number(name: &str) -> Option<i64> {
    variable(name).map(|text| leading_number(&text))
}

/// Returns a variable.
pub(crate) fn variable(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(std::ffi::OsString::into_encoded_bytes)
}

/// Returns the number at the start of a text, as `strtol` does: 0 if there is none.
fn leading_number(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0_i64, |number, digit| number.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    if negative { -number } else { number }
}

#[cfg(test)]
mod tests {
    use super::leading_number;

    #[test]
    fn numbers_are_read_as_by_strtol() {
        let expected: [(&str, i64); 8] = [
            ("5", 5),
            (" \t+12abc", 12),
            ("-3", -3),
            ("", 0),
            ("abc", 0),
            ("-", 0),
            ("0x10", 0),
            ("99999999999999999999", i64::MAX),
        ];
        for (text, number) in expected {
            assert_eq!(leading_number(text.as_bytes()), number, "{text:?}");
        }
    }
}
