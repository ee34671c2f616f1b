//! Signatures of requests: AWS Signature Version 4, in headers.
//!
//! The signature covers the method, the path, the query and the headers given here. The payload is covered by its
//! SHA-256, which small bodies have, or else only by the transport.

use std::fmt::Write as _;
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};

use super::time::stamp;

/// The keys of an account.
#[derive(Clone)]
pub(in super::super) struct Credentials {
    pub(in super::super) key: String,
    pub(in super::super) secret: String,
    /// The session token of temporary keys.
    pub(in super::super) token: Option<String>,
}

/// The parts of a request that are signed. The path and the query are percent-encoded, and the names in the query are
/// sorted.
pub(in super::super) struct Signed<'a> {
    pub(in super::super) method: &'a str,
    pub(in super::super) host: &'a str,
    pub(in super::super) path: &'a str,
    pub(in super::super) query: &'a str,
    pub(in super::super) body: &'a [u8],
}

/// Returns the headers that sign a request.
pub(in super::super) fn sign(
    request: &Signed<'_>,
    keys: &Credentials,
    region: &str,
    now: SystemTime,
) -> Vec<(&'static str, String)> {
    let (time, payload) = (stamp(now), hex(&Sha256::digest(request.body)));
    let date = time.get(..8).unwrap_or_default();
    // In the order of their names, as the signature needs them.
    let mut headers = vec![("host", request.host.to_owned()), ("x-amz-content-sha256", payload.clone())];
    headers.push(("x-amz-date", time.clone()));
    headers.extend(keys.token.iter().map(|token| ("x-amz-security-token", token.clone())));
    let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
    let mut canonical = format!("{}\n{}\n{}\n", request.method, request.path, request.query);
    for (name, value) in &headers {
        let _ = writeln!(canonical, "{name}:{}", value.trim());
    }
    let _ = write!(canonical, "\n{names}\n{payload}");
    let scope = format!("{date}/{region}/s3/aws4_request");
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
    let mut derived = format!("AWS4{}", keys.secret).into_bytes();
    for part in [date, region, "s3", "aws4_request", &text] {
        derived = hmac(&derived, part.as_bytes()).to_vec();
    }
    let signature = hex(&derived);
    let value = format!("AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}", keys.key);
    // The client sends the host itself.
    headers.retain(|(name, _)| *name != "host");
    headers.push(("authorization", value));
    headers
}

/// HMAC-SHA-256 of RFC 2104.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0; 64];
    let hashed: [u8; 32] = Sha256::digest(key).into();
    let key = if key.len() > block.len() { &hashed } else { key };
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    /// The cases 1, 2 and 6 of RFC 4231.
    #[test]
    fn macs_are_those_of_the_rfc() {
        for (key, text, mac) in [
            (&[0x0b; 20][..], "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 131],
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ] {
            assert_eq!(hex(&hmac(key, text.as_bytes())), mac);
        }
    }

    /// The example "GET Bucket Lifecycle" of the documentation of Amazon S3, with its keys.
    #[test]
    fn signatures_are_those_of_the_documentation() {
        let keys = Credentials {
            key: "AKIAIOSFODNN7EXAMPLE".into(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
            token: None,
        };
        let now = UNIX_EPOCH + Duration::from_secs(1_369_353_600);
        let host = "examplebucket.s3.amazonaws.com";
        for (query, signature) in [
            ("lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            ("max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        ] {
            let request = Signed { method: "GET", host, path: "/", query, body: b"" };
            let headers = sign(&request, &keys, "us-east-1", now);
            let (_, value) = headers.iter().find(|(name, _)| *name == "authorization").unwrap();
            assert!(value.ends_with(&format!("Signature={signature}")), "{value}");
        }
    }
}
