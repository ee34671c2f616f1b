//! Builds and installs the C libraries of `cargo xtask capi`.
//!
//! ```text
//! PREFIX/include/                 the headers
//! PREFIX/lib/libNAME.so.VERSION   ◄── libNAME.so.MAJOR ◄── libNAME.so
//! PREFIX/lib/libNAME.a            one object; only the functions of the header are visible
//! PREFIX/lib/pkgconfig/NAME.pc
//! ```

use crate::{metadata, release, sh};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// One C library: the crate blosc-capi, built with one feature.
struct Library {
    name: &'static str,
    /// The version of the original whose functions these are, for file names.
    version: &'static str,
    /// The name by which programs find the shared library at run time.
    soname: &'static str,
    feature: &'static str,
    /// Headers in the folder `include` of the crate.
    headers: &'static [&'static str],
    /// Patterns of the functions that the static library shows, and of those that only the test build has.
    symbols: &'static [&'static str],
    test_symbols: &'static [&'static str],
    description: &'static str,
    /// A line of a header, and the line that replaces it.
    replaced: Option<(&'static str, &'static str)>,
}

const BLOSC1: Library = Library {
    name: "blosc",
    version: "1.21.7",
    soname: "libblosc.so.1",
    feature: "blosc1",
    headers: &["blosc.h", "blosc-export.h"],
    symbols: &["blosc_*"],
    test_symbols: &[],
    description: "Compressed chunks of binary data",
    replaced: None,
};

const BLOSC2: Library = Library {
    name: "blosc2",
    version: "3.3.2",
    soname: "libblosc2.so.9",
    feature: "blosc2",
    headers: &[
        "blosc2.h",
        "blosc2/blosc2-export.h",
        "blosc2/blosc2-common.h",
        "b2nd.h",
        "blosc2/blosc2-stdio.h",
        "blosc2/codecs-registry.h",
        "blosc2/filters-registry.h",
    ],
    symbols: &["blosc1_*", "blosc2_*", "b2nd_*", "blosc_set_timestamp", "blosc_elapsed_*"],
    test_symbols: &["shuffle_*", "unshuffle_*"],
    description: "Compressed chunks of binary data, second generation",
    replaced: None,
};

const BLOSC2_ABI7: Library = Library {
    version: "2.23.1",
    soname: "libblosc2.so.7",
    feature: "blosc2-abi7",
    replaced: Some(("#define BLOSC2_ABI 9", "#define BLOSC2_ABI 7")),
    ..BLOSC2
};

/// The C compiler and the tools of GNU binutils: only installing and testing needs them.
pub(crate) const TOOLS: [&str; 4] = ["cc", "ld", "objcopy", "ar"];

/// The purpose of a library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    User,
    /// With internal functions that the originals' tests call.
    Test,
}

/// The version of the structures of libblosc2: the number in the name of the shared library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Abi {
    /// The structures of C-Blosc2 2.23.
    Seven,
    /// The structures of C-Blosc2 3.3.
    Nine,
}

/// Builds both libraries and installs them below `prefix`.
pub(crate) fn install(prefix: &Path, build: Build, abi: Abi) -> Result<()> {
    BLOSC1.install(prefix, build)?;
    let blosc2 = if abi == Abi::Seven { BLOSC2_ABI7 } else { BLOSC2 };
    blosc2.install(prefix, build)
}

impl Library {
    fn install(&self, prefix: &Path, build: Build) -> Result<()> {
        let built = self.compile(build)?;
        let (folder, include) = (prefix.join("lib"), prefix.join("include"));
        for folder in [&folder.join("pkgconfig"), &include.join("blosc2")] {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        for header in self.headers {
            copy(&sh::root().join("crates/blosc-capi/include").join(header), &include.join(header))?;
        }
        if let Some((line, other)) = self.replaced {
            let header = include.join(self.headers.first().context("no header")?);
            let text = std::fs::read_to_string(&header).with_context(|| header.display().to_string())?;
            ensure!(text.contains(line), "{} lacks the line {line:?}", header.display());
            std::fs::write(&header, text.replace(line, other)).with_context(|| header.display().to_string())?;
        }
        let Library { name, soname, version, .. } = self;
        let full_name = format!("lib{name}.so.{version}");
        copy(&built.join("libblosc_capi.so"), &folder.join(&full_name))?;
        link(&full_name, &folder.join(soname))?;
        link(soname, &folder.join(format!("lib{name}.so")))?;
        self.archive(&built.join("libblosc_capi.a"), &folder.join(format!("lib{name}.a")), build)?;
        let package = folder.join(format!("pkgconfig/{name}.pc"));
        std::fs::write(&package, self.package_config(prefix)).with_context(|| package.display().to_string())
    }

    /// Compiles the shared and the static library. Returns their folder.
    fn compile(&self, build: Build) -> Result<PathBuf> {
        let mut cargo = release::cargo(["rustc", "--package", "blosc-capi", "--no-default-features"])?;
        let features = if build == Build::Test { format!("{},testing", self.feature) } else { self.feature.to_owned() };
        cargo.args(["--features", &features, "--crate-type", "cdylib,staticlib"]);
        cargo.args(["--", "-C", &format!("link-arg=-Wl,-soname,{}", self.soname)]);
        if build == Build::User {
            // Small chunks take less time: docs/decisions/022-release-profile.md.
            cargo
                .env("CARGO_PROFILE_RELEASE_LTO", "fat")
                .args(["-C", "llvm-args=-align-loops=32 -align-all-nofallthru-blocks=5"]);
        }
        sh::run(&mut cargo)?;
        Ok(metadata::target_directory()?.join("release"))
    }

    /// Makes an archive of one object from that of the compiler, in which all of Rust's functions are visible: two such
    /// archives cannot be linked into one program.
    fn archive(&self, from: &Path, to: &Path, build: Build) -> Result<()> {
        let object = to.with_extension("o");
        sh::run(sh::command("ld").args(["-r", "--whole-archive"]).arg(from).arg("-o").arg(&object))?;
        let mut objcopy = sh::command("objcopy");
        objcopy.args(["--wildcard", "--strip-unneeded"]);
        let tested = if build == Build::Test { self.test_symbols } else { &[] };
        objcopy.args(self.symbols.iter().chain(tested).map(|symbol| format!("--keep-global-symbol={symbol}")));
        // Bitcode of the standard library, which some versions of `ar` try to read.
        sh::run(objcopy.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]).arg(&object))?;
        remove(to)?;
        sh::run(sh::command("ar").arg("rcs").arg(to).arg(&object))?;
        remove(&object)
    }

    fn package_config(&self, prefix: &Path) -> String {
        let (prefix, Library { name, version, description, .. }) = (prefix.display(), self);
        format!(
            "prefix={prefix}\nlibdir=${{prefix}}/lib\nincludedir=${{prefix}}/include\n\nName: {name}\nDescription: \
             {description}\nVersion: {version}\nLibs: -L${{libdir}} -l{name}\nLibs.private: -lm -lpthread -ldl\nCflags: \
             -I${{includedir}}\n"
        )
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    // A new file: programs may have the old one mapped.
    remove(to)?;
    std::fs::copy(from, to).with_context(|| format!("copying {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn link(target: &str, link: &Path) -> Result<()> {
    remove(link)?;
    std::os::unix::fs::symlink(target, link).with_context(|| link.display().to_string())
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| path.display().to_string())
        }
        _ => Ok(()),
    }
}
