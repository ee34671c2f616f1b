//! Settings from the environment. Nothing else in this crate reads it.

use std::collections::HashMap;
use std::env;
use std::path::PathBuf;

use ureq::ProxyProtocol;

use super::RemoteOptions;
use super::s3::Credentials;
use crate::Error;

impl RemoteOptions {
    /// Returns the settings in the environment, with defaults for the rest:
    ///
    /// | variable | meaning |
    /// |---|---|
    /// | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN` | the keys that sign requests |
    /// | `AWS_PROFILE`, `AWS_SHARED_CREDENTIALS_FILE`, `AWS_CONFIG_FILE` | else the keys of a profile |
    /// | `AWS_REGION`, `AWS_DEFAULT_REGION` | the region, else that of the profile |
    /// | `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL` | a server other than Amazon's, else that of the profile |
    /// | `SSL_CERT_FILE` | certificates in PEM that replace the built-in list |
    /// | `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY` | an HTTP proxy |
    ///
    /// # Errors
    /// [`Error::File`] if a file that is named here cannot be read. [`Error::Io`] for keys without a secret, a profile
    /// that does not exist, and proxies other than HTTP.
    pub fn from_env() -> Result<RemoteOptions, Error> {
        let mut options = RemoteOptions::new();
        if let Some(path) = env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty()) {
            let path = PathBuf::from(path);
            options.certificates = Some(std::fs::read(&path).map_err(|error| Error::file("reading", &path, error))?);
        }
        options.proxy = ureq::Proxy::try_from_env();
        let is_http = |proxy: &ureq::Proxy| matches!(proxy.protocol(), ProxyProtocol::Http | ProxyProtocol::Https);
        if options.proxy.as_ref().is_some_and(|proxy| !is_http(proxy)) {
            return Err(invalid("a SOCKS proxy is not supported: set HTTPS_PROXY to the URL of an HTTP proxy"));
        }
        let profile = Profile::read()?;
        options.s3.credentials = match (set("AWS_ACCESS_KEY_ID"), set("AWS_SECRET_ACCESS_KEY")) {
            (Some(key), Some(secret)) => Some(Credentials { key, secret, token: set("AWS_SESSION_TOKEN") }),
            (None, None) => profile.credentials()?,
            _ => return Err(invalid("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together")),
        };
        options.s3.region = set("AWS_REGION").or_else(|| set("AWS_DEFAULT_REGION")).or_else(|| profile.get("region"));
        options.s3.endpoint =
            set("AWS_ENDPOINT_URL_S3").or_else(|| set("AWS_ENDPOINT_URL")).or_else(|| profile.get("endpoint_url"));
        Ok(options)
    }
}

/// Returns a variable that is set and not empty.
fn set(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn invalid(text: &str) -> Error {
    Error::io("reading the environment")(std::io::Error::new(std::io::ErrorKind::InvalidInput, text))
}

/// The settings of a profile, from the files for credentials and for the configuration.
struct Profile(HashMap<String, String>);

impl Profile {
    fn read() -> Result<Profile, Error> {
        let asked = set("AWS_PROFILE");
        let name = asked.as_deref().unwrap_or("default");
        let mut found = None;
        for (variable, default, is_config) in
            [("AWS_CONFIG_FILE", "config", true), ("AWS_SHARED_CREDENTIALS_FILE", "credentials", false)]
        {
            let named = set(variable).map(PathBuf::from);
            let home = || set("HOME").or_else(|| set("USERPROFILE"));
            let default = || home().map(|home| PathBuf::from(home).join(".aws").join(default));
            let Some(path) = named.clone().or_else(default) else { continue };
            match std::fs::read_to_string(&path) {
                Ok(text) => {
                    if let Some(settings) = section(&text, name, is_config) {
                        found.get_or_insert_with(HashMap::new).extend(settings);
                    }
                }
                Err(error) if named.is_some() => return Err(Error::file("reading", &path, error)),
                Err(_) => {}
            }
        }
        match (found, asked) {
            (Some(found), _) => Ok(Profile(found)),
            (None, Some(name)) if set("AWS_ACCESS_KEY_ID").is_none() => {
                Err(invalid(&format!("there is no profile {name:?}, which AWS_PROFILE names")))
            }
            (None, _) => Ok(Profile(HashMap::new())),
        }
    }

    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|value| !value.is_empty()).cloned()
    }

    fn credentials(&self) -> Result<Option<Credentials>, Error> {
        match (self.get("aws_access_key_id"), self.get("aws_secret_access_key")) {
            (Some(key), Some(secret)) => Ok(Some(Credentials { key, secret, token: self.get("aws_session_token") })),
            (None, None) => Ok(None),
            _ => Err(invalid("a profile has one of aws_access_key_id and aws_secret_access_key, but not the other")),
        }
    }
}

/// Returns the settings of a section `[name]`, or `[profile name]` of the configuration. Nested settings are skipped.
fn section(text: &str, name: &str, is_config: bool) -> Option<HashMap<String, String>> {
    let mut found: Option<HashMap<String, String>> = None;
    let mut is_wanted = false;
    for line in text.lines() {
        let is_nested = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(title) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            let title = title.trim();
            let of_profile = title.strip_prefix("profile").filter(|rest| rest.starts_with([' ', '\t']));
            let title = match of_profile {
                Some(rest) if is_config => rest.trim(),
                _ if is_config && title != "default" => "",
                _ => title,
            };
            is_wanted = title == name;
            if is_wanted {
                found.get_or_insert_with(HashMap::new);
            }
        } else if let (true, false, Some((key, value))) = (is_wanted, is_nested, line.split_once('=')) {
            found.get_or_insert_with(HashMap::new).insert(key.trim().to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn profiles_are_sections() {
        let text = "# x\n[default]\naws_access_key_id = A\n[profile p q]\nregion=eu-x\ns3 =\n  region = nested\n\
                    [other]\nregion = no\n";
        assert_eq!(section(text, "default", true).unwrap()["aws_access_key_id"], "A");
        assert_eq!(section(text, "p q", true).unwrap()["region"], "eu-x");
        assert!(section(text, "other", true).is_none());
        assert_eq!(section(text, "other", false).unwrap()["region"], "no");
        assert!(section("[x", "y", false).is_none());
    }
}
