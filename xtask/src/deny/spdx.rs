//! SPDX licence expressions such as `MIT OR (Apache-2.0 AND Zlib)`, and the old form `MIT/Apache-2.0`.

/// Returns whether the licences in `allowed` satisfy `expression`.
pub(super) fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = any(&words, &mut at, allowed);
    met == Some(true) && at == words.len()
}

/// Parses one or more terms joined by `OR`; `None` if the expression is malformed.
fn any(words: &[&str], at: &mut usize, allowed: &[String]) -> Option<bool> {
    let mut met = all(words, at, allowed)?;
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= all(words, at, allowed)?;
    }
    Some(met)
}

/// Parses one or more terms joined by `AND`, which binds tighter than `OR`.
fn all(words: &[&str], at: &mut usize, allowed: &[String]) -> Option<bool> {
    let mut met = one(words, at, allowed)?;
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed)?;
    }
    Some(met)
}

/// Parses a licence, with its exception if it has one, or an expression in parentheses.
fn one(words: &[&str], at: &mut usize, allowed: &[String]) -> Option<bool> {
    let first = *words.get(*at)?;
    *at += 1;
    if first == "(" {
        let met = any(words, at, allowed)?;
        let closes = words.get(*at) == Some(&")");
        *at += 1;
        return closes.then_some(met);
    }
    let mut licence = first.to_owned();
    if words.get(*at) == Some(&"WITH") {
        licence = format!("{licence} WITH {}", words.get(*at + 1)?);
        *at += 2;
    }
    Some(allowed.contains(&licence))
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn expressions() {
        let allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(String::from);
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "Unlicense/MIT",
            "(MIT OR GPL-3.0) AND Zlib",
            "MIT AND Zlib OR GPL-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "MIT AND (Zlib OR GPL-3.0",
            "MIT Zlib",
            "OR MIT",
            "Apache-2.0",
            "(MIT OR GPL-3.0) AND GPL-2.0",
            "MIT WITH",
        ] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }
}
