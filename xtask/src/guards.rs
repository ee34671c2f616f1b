//! A folder of scripts with the names of compilers, which log each call and fail.

use crate::sh;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that a build script might start. The linker is not listed: rustc needs it, and [`link_only`] guards it.
const COMPILERS: &str = "ar as bindgen c++ c89 c99 cc clang clang++ clang-cl cl cmake cpp g++ gcc gcc-ar gmake llvm-ar \
    make meson nasm ninja pkg-config tcc yasm zig";

/// The scripts.
pub(crate) struct Guards {
    folder: PathBuf,
    /// A line for each call.
    calls: PathBuf,
}

impl Guards {
    /// Writes the scripts into `folder`, which it creates. Needs a Unix shell.
    pub(crate) fn write(folder: PathBuf) -> Result<Guards> {
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let linker =
            sh::find_program("cc").or_else(|| sh::find_program("gcc")).context("rustc needs cc to link with")?;
        let calls = folder.join("calls.log");
        for compiler in COMPILERS.split(' ') {
            write_script(&folder.join(compiler), &refusal(compiler, &calls))?;
        }
        write_script(&folder.join("link-only"), &link_only(&linker, &calls))?;
        Ok(Guards { folder, calls })
    }

    /// Runs a build with all compilers replaced, except that rustc links. Fails if the build called one, even if a
    /// build script then did without it.
    pub(crate) fn run(&self, build: &mut Command) -> Result<()> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.folder.clone()).chain(std::env::split_paths(&path));
        build.env("PATH", std::env::join_paths(folders)?);
        let linker = self.folder.join("link-only");
        build.env("RUSTFLAGS", format!("-Clinker={}", linker.display())).env_remove("CARGO_ENCODED_RUSTFLAGS");
        for (variable, compiler) in [("CC", "cc"), ("CXX", "c++"), ("AR", "ar"), ("CMAKE", "cmake"), ("HOST_CC", "cc")]
        {
            build.env(variable, self.folder.join(compiler));
        }
        let built = sh::run(build);
        let calls = std::fs::read_to_string(&self.calls).unwrap_or_default();
        if !calls.is_empty() {
            bail!("the build started what it must not need:\n{calls}");
        }
        built.context("the build fails without C compilers")
    }
}

fn refusal(compiler: &str, calls: &Path) -> String {
    format!("echo \"{compiler} $*\" >> '{}'\necho '{compiler} was called' >&2\nexit 1\n", calls.display())
}

/// Returns a script that forwards linking to the real compiler driver. It logs and rejects source files and
/// compile-only calls.
fn link_only(linker: &Path, calls: &Path) -> String {
    let calls = calls.display();
    format!(
        "for argument in \"$@\"; do\n\
         \x20 case \"$argument\" in\n\
         \x20   -c|-S|-E|-x|*.c|*.cc|*.cpp|*.cxx|*.C|*.s|*.S|*.asm)\n\
         \x20     echo \"linker called as a compiler: $*\" >> '{calls}'; exit 1 ;;\n\
         \x20 esac\n\
         done\n\
         exec '{}' \"$@\"\n",
        linker.display()
    )
}

fn write_script(path: &Path, body: &str) -> Result<()> {
    std::fs::write(path, format!("#!/bin/sh\n{body}")).with_context(|| path.display().to_string())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::Guards;
    use std::process::Command;

    /// Runs a script of the guards as a build. The shell reads it: a file just written cannot always be executed, because
    /// another test may start a program that inherits it.
    fn run(name: &str, arguments: &[&str], ending: &str) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let guards = Guards::write(folder.path().join("guards"))?;
        let script = folder.path().join("guards").join(name);
        let script = format!("sh '{}' {} {ending}", script.display(), arguments.join(" "));
        guards.run(Command::new("/bin/sh").args(["-c", &script]))
    }

    #[test]
    fn a_call_of_a_compiler_fails_even_if_the_build_does_without_it() {
        let refused = run("cc", &["-c", "a.c"], "|| true").unwrap_err().to_string();
        assert!(refused.contains("cc -c a.c"), "{refused}");
    }

    #[test]
    fn linking_is_allowed_and_compiling_is_not() {
        run("link-only", &["--version"], "").unwrap();
        assert!(run("link-only", &["--version"], "&& false").is_err());
        let refused = run("link-only", &["-o", "a", "a.c"], "").unwrap_err().to_string();
        assert!(refused.contains("linker called as a compiler: -o a a.c"), "{refused}");
    }
}
