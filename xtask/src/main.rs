//! Tasks that need more than cargo: `cargo run -p xtask -- VERB`.

mod compiler;
mod package;
mod stamp;

use std::path::PathBuf;
use std::process::ExitCode;

use compiler::Compiler;
use package::Package;

const USAGE: &str = "usage: cargo run -p xtask -- VERB

  wasm         build the page's wasm packages: www/pkg, and www/pkg-threads for many threads
  wasm-tests   build the core's tests for wasm into target/wasm-tests-pkg, and for many
               threads into target/wasm-tests-threads-pkg
  wasm-clippy  lint what is built for wasm, warnings denied
  compiler     say which compiler builds wasm; exit code 3 when there is none";

fn main() -> ExitCode {
    let verbs: Vec<String> = std::env::args().skip(1).collect();
    let done = match verbs.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["wasm"] => build_all(&[Package::PAGE, Package::THREADS]),
        ["wasm-tests"] => build_all(&[Package::TESTS, Package::TESTS_THREADS]),
        ["wasm-clippy"] => package::clippy(&root()),
        ["compiler"] => return tell_compiler(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn build_all(packages: &[Package]) -> anyhow::Result<()> {
    packages
        .iter()
        .try_for_each(|package| package::build(&root(), package))
}

fn tell_compiler() -> ExitCode {
    match Compiler::find() {
        Ok(compiler) => {
            println!("{compiler}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error:#}");
            ExitCode::from(3)
        }
    }
}

fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map(PathBuf::from).unwrap_or(xtask)
}
