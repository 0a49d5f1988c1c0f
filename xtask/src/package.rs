//! Compiles a crate for wasm and wraps it for the page.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::compiler::Compiler;
use crate::stamp::Stamp;

const TARGET: &str = "wasm32-unknown-unknown";

/// One wasm file with the script that wraps it.
pub(crate) struct Package {
    krate: &'static str,
    /// Name of the generated files.
    name: &'static str,
    folder: &'static str,
    /// What the crate is made of.
    inputs: &'static [&'static str],
    memory: Memory,
    /// Compiled quickly rather than to be quick.
    is_optimized_little: bool,
}

/// Whose memory a package works on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Its own.
    Own,
    /// One that several workers share, which its host makes.
    Shared {
        /// The module that starts the workers, as seen from [`HELPER`]'s folder.
        starter: &'static str,
    },
}

/// What wasm-bindgen-rayon starts workers with, in a folder of its own below `snippets`.
const HELPER: &str = "src/workerHelpers.no-bundler.js";

/// The most that a shared memory may grow to. Browsers reserve as much address space, and
/// some refuse more, so it is no larger than it need be; a host may allow less.
const SHARED_MEMORY_LIMIT: u64 = 1 << 30;

impl Package {
    pub(crate) const PAGE: Self = Self {
        krate: "ringspawn",
        name: "ringspawn",
        folder: "www/pkg",
        inputs: &["Cargo.toml", "Cargo.lock", "src", "xtask"],
        memory: Memory::Own,
        is_optimized_little: false,
    };

    pub(crate) const THREADS: Self = Self {
        name: "ringspawn_threads",
        folder: "www/pkg-threads",
        memory: Memory::Shared {
            starter: "../../../../threads/start-workers.ts",
        },
        ..Self::PAGE
    };

    pub(crate) const TESTS: Self = Self {
        krate: "ringspawn-wasm-tests",
        name: "ringspawn_wasm_tests",
        folder: "target/wasm-tests-pkg",
        inputs: &["Cargo.toml", "Cargo.lock", "src", "xtask", "tests/wasm"],
        memory: Memory::Own,
        is_optimized_little: false,
    };

    pub(crate) const TESTS_THREADS: Self = Self {
        folder: "target/wasm-tests-threads-pkg",
        memory: Memory::Shared {
            // Put there by whoever serves it.
            starter: "../../../start-workers.js",
        },
        is_optimized_little: true,
        ..Self::TESTS
    };

    /// Name of what belongs to this package alone.
    fn id(&self) -> String {
        self.folder.replace('/', "-")
    }

    /// Its own folder for each way of compiling: native builds would take turns with it at
    /// one lock, and the standard library would be compiled anew whenever the flags change.
    fn target_folder(&self, root: &Path) -> PathBuf {
        root.join(match self.memory {
            Memory::Own => "target/wasm",
            Memory::Shared { .. } => "target/wasm-threads",
        })
    }

    fn features(&self) -> &'static [&'static str] {
        match self.memory {
            Memory::Own => &[],
            Memory::Shared { .. } => &["--features", "threads"],
        }
    }

    /// The wasm comes last.
    fn outputs(&self, root: &Path) -> [PathBuf; 3] {
        let folder = root.join(self.folder);
        [".js", ".d.ts", "_bg.wasm"].map(|end| folder.join(format!("{}{end}", self.name)))
    }
}

/// Builds `package` unless nothing that it is made of changed.
pub(crate) fn build(root: &Path, package: &Package) -> Result<()> {
    let compiler = Compiler::find()?;
    let flags = flags(root, &compiler, package.memory);
    let inputs: Vec<PathBuf> = package.inputs.iter().map(|path| root.join(path)).collect();
    let outputs = package.outputs(root);
    let [.., wasm_output] = outputs.clone();
    // Wasm has no environment, so the tests read this one while they are compiled.
    let soak = std::env::var("RINGSPAWN_SOAK").unwrap_or_default();
    let settings = [compiler.version().to_owned(), flags.join(" "), soak];
    let stamp_file = package
        .target_folder(root)
        .join(format!("{}.stamp", package.id()));
    let stamp = Stamp::new(stamp_file, &settings, &inputs, outputs.into())?;
    if stamp.is_fresh()? {
        println!("{} is up to date", package.folder);
        return Ok(());
    }
    println!(
        "compiling {} for {} with {compiler}, its standard library included",
        package.krate, package.folder
    );
    let wasm = compile(root, package, &compiler, &flags)?;
    wrap(root, package, &wasm)?;
    stamp.set()?;
    let size = fs::metadata(wasm_output)?.len();
    println!("{} is built: {size} bytes of wasm", package.folder);
    Ok(())
}

/// Lints the crates as they are compiled for wasm: the boundary exists only there.
pub(crate) fn clippy(root: &Path) -> Result<()> {
    let compiler = Compiler::find()?;
    for packages in [
        [Package::PAGE, Package::TESTS],
        [Package::THREADS, Package::TESTS_THREADS],
    ] {
        let flags = flags(root, &compiler, packages[0].memory);
        let mut cargo = cargo(root, &packages[0], &compiler, &flags, "clippy");
        for package in &packages {
            cargo.args(["-p", package.krate]);
        }
        run(cargo.args(["--lib", "--", "-D", "warnings"]))?;
    }
    Ok(())
}

fn compile(
    root: &Path,
    package: &Package,
    compiler: &Compiler,
    flags: &[String],
) -> Result<PathBuf> {
    let mut cargo = cargo(root, package, compiler, flags, "build");
    // The release profile of Cargo.toml, pinned here where the size and speed of the wasm hang on it.
    for setting in [
        "opt-level=3",
        "lto=\"fat\"",
        "codegen-units=1",
        "panic=\"unwind\"",
        "debug=false",
    ] {
        cargo.args(["--config", &format!("profile.release.{setting}")]);
    }
    if package.is_optimized_little {
        let krate = package.krate;
        cargo.args([
            "--config",
            &format!("profile.release.package.{krate}.opt-level=1"),
        ]);
    }
    run(cargo.args(["--release", "--lib", "-p", package.krate]))?;
    let file = format!("{}.wasm", package.krate.replace('-', "_"));
    let folder = package.target_folder(root);
    Ok(folder.join(TARGET).join("release").join(file))
}

fn wrap(root: &Path, package: &Package, wasm: &Path) -> Result<()> {
    let staging = package
        .target_folder(root)
        .join(format!("{}-staging", package.id()));
    remove(&staging)?;
    Bindgen::new()
        .input_path(wasm)
        .out_name(package.name)
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)?
        .generate(&staging)
        .with_context(|| format!("wrapping {}", wasm.display()))?;
    if let Memory::Shared { starter } = package.memory {
        replace_worker_helper(&staging, starter)?;
    }
    // Moved as a whole, so that nobody ever sees a script beside another build's wasm.
    let folder = root.join(package.folder);
    remove(&folder)?;
    fs::create_dir_all(folder.parent().unwrap_or(root))?;
    fs::rename(&staging, &folder).with_context(|| format!("moving {}", staging.display()))
}

/// Has the pool's workers started by our own module: what comes with wasm-bindgen-rayon starts
/// them from `blob:` addresses, which a strict Content-Security-Policy forbids, and waits for
/// ever for one that doesn't load.
fn replace_worker_helper(package: &Path, starter: &str) -> Result<()> {
    let snippets = folders_in(&package.join("snippets"));
    let helpers: Vec<PathBuf> = snippets
        .iter()
        .map(|folder| folder.join(HELPER))
        .filter(|helper| helper.exists())
        .collect();
    let [helper] = &helpers[..] else {
        bail!("there are {} worker helpers instead of one", helpers.len());
    };
    let ours = format!("export {{ startWorkers }} from '{starter}';\n");
    fs::write(helper, ours).with_context(|| format!("writing {}", helper.display()))
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("removing {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn cargo(
    root: &Path,
    package: &Package,
    compiler: &Compiler,
    flags: &[String],
    verb: &str,
) -> Command {
    let mut cargo = compiler.cargo(flags);
    cargo
        .current_dir(root)
        .arg(verb)
        .args(["--target", TARGET, "-Zbuild-std=std,panic_unwind"])
        .args(package.features());
    cargo.arg("--target-dir").arg(package.target_folder(root));
    cargo
}

fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("running {:?}", command.get_program()))?;
    if !status.success() {
        bail!("cargo failed ({status}): see above");
    }
    Ok(())
}

/// Unwinding, and no path of the building machine in the panic messages.
fn flags(root: &Path, compiler: &Compiler, memory: Memory) -> Vec<String> {
    let mut flags = vec!["-Cpanic=unwind".to_owned()];
    if let Memory::Shared { .. } = memory {
        flags.push("-Ctarget-feature=+atomics,+bulk-memory,+mutable-globals".to_owned());
        let exports = ["__wasm_init_tls", "__tls_size", "__tls_align", "__tls_base"];
        let exports = exports.map(|name| format!("--export={name}"));
        let mut arguments = vec!["--shared-memory".to_owned(), "--import-memory".to_owned()];
        arguments.push(format!("--max-memory={SHARED_MEMORY_LIMIT}"));
        arguments.extend(exports);
        flags.extend(arguments.iter().map(|it| format!("-Clink-arg={it}")));
    }
    let mut remap = |from: &Path, to: &str| {
        flags.push(format!("--remap-path-prefix={}={to}", from.display()));
    };
    // The last one that fits counts, so the narrower ones come later.
    remap(&cargo_home(), "/cargo");
    for registry in folders_in(&cargo_home().join("registry/src")) {
        remap(&registry, "/crates");
    }
    for source in compiler.library_sources() {
        remap(&source, "/rust");
    }
    remap(root, "/ringspawn");
    flags
}

fn cargo_home() -> PathBuf {
    let from_env = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    from_env
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .unwrap_or_default()
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort_by(|a, b| OsStr::cmp(a.as_os_str(), b.as_os_str()));
    folders
}
