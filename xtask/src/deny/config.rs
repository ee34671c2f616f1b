//! Parses `deny.toml`: the part of cargo-deny's schema that this project uses.

use crate::sh;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;

/// The rules that `cargo xtask deny` enforces itself.
pub(crate) struct Config {
    /// Features, as `package/feature`, with which no banned crate may be a dependency.
    pub(super) features: Vec<String>,
    /// Names of crates that must not be dependencies.
    pub(crate) banned: Vec<String>,
    /// Allowed SPDX licence identifiers.
    pub(super) licences: Vec<String>,
}

/// Maps `section.key` to the text of its value, without comments and line breaks.
type Values = BTreeMap<String, String>;

impl Config {
    /// Reads the file in the root of the repository.
    pub(crate) fn read() -> Result<Config> {
        Config::parse(&std::fs::read_to_string(sh::root().join("deny.toml")).context("deny.toml")?)
    }

    fn parse(text: &str) -> Result<Config> {
        let values = values(text)?;
        // The check in `super` always enforces these and supports no weaker setting.
        for key in ["bans.multiple-versions", "sources.unknown-registry", "sources.unknown-git"] {
            ensure!(values.get(key).is_some_and(|value| value == "\"deny\""), "deny.toml: {key} has to be \"deny\"");
        }
        for key in values.keys() {
            let known = ["graph.", "advisories.", "licenses.allow", "bans.deny", "bans.multiple-versions"];
            let known = known.into_iter().chain(["bans.wildcards", "bans.allow-wildcard-paths", "sources.unknown-"]);
            ensure!(known.into_iter().any(|start| key.starts_with(start)), "deny.toml: xtask does not know {key}");
        }
        Ok(Config {
            features: strings(&values, "graph.features")?,
            banned: strings(&values, "bans.deny")?,
            licences: strings(&values, "licenses.allow")?,
        })
    }
}

/// Returns every `"string"` in an array; an entry `{ crate = "name" }` yields its name.
fn strings(values: &Values, key: &str) -> Result<Vec<String>> {
    let value = values.get(key).with_context(|| format!("deny.toml has no {key}"))?;
    let strings: Vec<String> = value.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    ensure!(!strings.is_empty(), "deny.toml: {key} is empty");
    Ok(strings)
}

fn values(text: &str) -> Result<Values> {
    let (mut values, mut section) = (Values::new(), String::new());
    let mut lines = text.lines().map(without_comment).filter(|line| !line.is_empty());
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name.to_owned();
            continue;
        }
        let Some((key, value)) = line.split_once(" = ") else { bail!("deny.toml: not understood: {line}") };
        let mut value = value.to_owned();
        while value.starts_with('[') && !value.ends_with(']') {
            value.push_str(lines.next().with_context(|| format!("deny.toml: {key} does not end"))?);
        }
        values.insert(format!("{section}.{key}"), value);
    }
    Ok(values)
}

/// Returns a line up to `#`. No string in deny.toml contains `#`.
fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::Config;

    const RULES: &str = "[graph]\nfeatures = [\"a/b\"]\n[licenses]\nallow = [\n  \"MIT\", # short\n  \"Zlib\",\n]\n\n[bans]\nmultiple-versions = \"deny\"\n\
        deny = [{ crate = \"cc\" }, { crate = \"cmake\" }]\n[sources]\nunknown-registry = \"deny\"\nunknown-git = \"deny\"\n";

    #[test]
    fn rules_are_read_and_weaker_or_unknown_ones_refused() {
        let config = Config::parse(RULES).unwrap();
        assert_eq!(
            (config.features, config.licences, config.banned),
            (vec!["a/b".into()], vec!["MIT".into(), "Zlib".into()], vec!["cc".into(), "cmake".into()])
        );
        assert!(Config::parse(&RULES.replace("unknown-git = \"deny\"", "unknown-git = \"warn\"")).is_err());
        assert!(Config::parse(&format!("{RULES}allow-git = [\"x\"]\n")).is_err());
        assert!(Config::read().unwrap().banned.contains(&"pkg-config".to_owned()));
    }
}
