//! TLS: the cryptography, and the certificates of authorities.
//!
//! The cryptography is `graviola`, for x86-64 and AArch64 processors. Elsewhere `https` is refused.

use std::io;

use ureq::config::ConfigBuilder;
use ureq::typestate::AgentScope;

use super::RemoteOptions;

/// Adds the settings of TLS to those of the client.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn configure(
    config: ConfigBuilder<AgentScope>,
    options: &RemoteOptions,
) -> io::Result<ConfigBuilder<AgentScope>> {
    use std::sync::Arc;

    use ureq::tls::{PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};

    if !is_supported() {
        // A request to `https` fails before it gets to TLS.
        return Ok(config);
    }
    let roots = match &options.certificates {
        None => RootCerts::WebPki,
        Some(pem) => {
            let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
            let mut certificates = Vec::new();
            for item in parse_pem(pem) {
                if let PemItem::Certificate(found) = item.map_err(|error| invalid(format!("certificates: {error}")))? {
                    certificates.push(found);
                }
            }
            if certificates.is_empty() {
                return Err(invalid("the file of certificates, such as that of SSL_CERT_FILE, has none in PEM".into()));
            }
            RootCerts::Specific(Arc::new(certificates))
        }
    };
    let tls = TlsConfig::builder().provider(TlsProvider::Rustls).root_certs(roots);
    Ok(config.tls_config(tls.unversioned_rustls_crypto_provider(Arc::new(rustls_graviola::default_provider())).build()))
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn configure(config: ConfigBuilder<AgentScope>, _: &RemoteOptions) -> io::Result<ConfigBuilder<AgentScope>> {
    Ok(config)
}

/// Returns whether the processor has the instructions that the cryptography needs.
#[cfg(target_arch = "x86_64")]
fn is_supported() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("aes") && has!("pclmulqdq") && has!("bmi1") && has!("bmi2") && has!("adx") && has!("avx") && has!("avx2")
}

#[cfg(target_arch = "aarch64")]
fn is_supported() -> bool {
    use std::arch::is_aarch64_feature_detected as has;
    has!("neon") && has!("aes") && has!("pmull") && has!("sha2")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn is_supported() -> bool {
    false
}

/// Refuses `https` on processors without the instructions that the cryptography needs.
pub(super) fn check() -> io::Result<()> {
    if is_supported() {
        return Ok(());
    }
    let text =
        "https is not available on this processor: TLS needs x86-64 with AVX2 and ADX, or AArch64 with AES; use http";
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}
