//! Finds a compiler that can build the standard library for wasm.
//!
//! Both packages unwind on panic, which no precompiled standard library for wasm32 does, so the
//! library is compiled with them. That takes one release of rustc with its library's source.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

/// The one release that builds wasm, whoever packaged it. Later ones emit the final exception
/// instructions, which Node 20 can't run; move on when Node 20 is no longer supported.
const RELEASE: &str = "1.96.0";

/// Debian's linker for wasm; rustup's toolchain brings its own.
const DEBIAN_LINKER: &str = "wasm-ld-22";

enum Source {
    Rustup,
    Debian,
}

pub(crate) struct Compiler {
    source: Source,
    sysroot: PathBuf,
    version: String,
}

impl Compiler {
    /// The first source that is there whole.
    pub(crate) fn find() -> Result<Self> {
        let rustup = Self::rustup();
        let debian = Self::debian();
        match (rustup, debian) {
            (Ok(compiler), _) | (_, Ok(compiler)) => Ok(compiler),
            (Err(rustup), Err(debian)) => bail!(
                "no compiler for wasm: rustup: {rustup:#}; Debian: {debian:#}. Install it with \
                 `rustup toolchain install {RELEASE} --profile minimal -c rust-src,clippy`, or on \
                 Debian 12, as root, with `apt-get install --no-install-recommends rustc-web \
                 cargo-web rust-web-src rust-web-clippy lld-22`"
            ),
        }
    }

    fn rustup() -> Result<Self> {
        Self::probe(Source::Rustup, || rustup_run("rustc"))
    }

    fn debian() -> Result<Self> {
        let compiler = Self::probe(Source::Debian, || Command::new("/usr/bin/rustc"))?;
        text_of(Command::new(DEBIAN_LINKER).arg("--version"))?;
        text_of(Command::new("/usr/bin/cargo").arg("--version"))?;
        Ok(compiler)
    }

    fn probe(source: Source, rustc: impl Fn() -> Command) -> Result<Self> {
        let version = text_of(rustc().arg("-vV"))?;
        if !version
            .lines()
            .any(|line| line == format!("release: {RELEASE}"))
        {
            bail!(
                "{} is not {RELEASE}",
                version.lines().next().unwrap_or("rustc")
            );
        }
        let sysroot = PathBuf::from(text_of(rustc().arg("--print=sysroot"))?.trim_end());
        if !sysroot
            .join("lib/rustlib/src/rust/library/Cargo.toml")
            .exists()
        {
            bail!("the source of the standard library is missing");
        }
        Ok(Self {
            source,
            sysroot,
            version,
        })
    }

    /// A cargo that compiles for wasm with this compiler and these flags.
    pub(crate) fn cargo(&self, flags: &[String]) -> Command {
        let mut cargo = match self.source {
            Source::Rustup => rustup_run("cargo"),
            Source::Debian => {
                let mut cargo = clean(Command::new("/usr/bin/cargo"));
                let path = std::env::var("PATH").unwrap_or_default();
                cargo
                    .env("PATH", format!("/usr/bin:{path}"))
                    .env("RUSTC", "/usr/bin/rustc")
                    .env("RUSTDOC", "/usr/bin/rustdoc")
                    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DEBIAN_LINKER);
                cargo
            }
        };
        // RUSTC_BOOTSTRAP lets a stable release take -Zbuild-std; the encoded form of RUSTFLAGS
        // bears spaces in paths.
        cargo
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
        cargo
    }

    /// Where the standard library's source lies, by every name that may get into the wasm.
    pub(crate) fn library_sources(&self) -> Vec<PathBuf> {
        let source = self.sysroot.join("lib/rustlib/src/rust");
        let real = source.canonicalize().ok().filter(|real| *real != source);
        std::iter::once(source).chain(real).collect()
    }

    pub(crate) fn version(&self) -> &str {
        &self.version
    }
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match self.source {
            Source::Rustup => "rustup's toolchain",
            Source::Debian => "Debian's package",
        };
        write!(f, "{source}, rustc {RELEASE}")
    }
}

fn rustup_run(tool: &str) -> Command {
    let mut command = clean(Command::new("rustup"));
    command.args(["run", RELEASE, tool]);
    command
}

/// Without what the cargo that runs this task left in the environment: it would choose that
/// cargo's toolchain again.
fn clean(mut command: Command) -> Command {
    for name in [
        "RUSTUP_TOOLCHAIN",
        "CARGO",
        "RUSTC",
        "RUSTDOC",
        "RUSTC_WRAPPER",
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
    ] {
        command.env_remove(name);
    }
    command
}

fn text_of(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => bail!("{program} can't be run ({error})"),
    };
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        bail!(
            "{program}: {}",
            reason.lines().next().unwrap_or("it failed").trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
