//! What is absent from the sources, and stays so.
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::{Path, PathBuf};

/// The only file that knows JavaScript.
const BOUNDARY: &str = "src/wasm.rs";

/// Where `unsafe` may be. A file added here has gone through the address sanitizer.
const MAY_BE_UNSAFE: [&str; 16] = [
    "src/actor.rs",
    "src/cell.rs",
    "src/mailbox.rs",
    "src/parallel/letters.rs",
    "src/parallel/strand.rs",
    "src/parallel/worker.rs",
    "src/parallel.rs",
    "src/ready.rs",
    "src/registry.rs",
    "src/run_queue.rs",
    "src/scheduler.rs",
    "src/system.rs",
    "src/table.rs",
    "src/task.rs",
    "src/turn.rs",
    "src/wake.rs",
];

/// The only file of the core that knows of threads; the others take what is shared as given.
const USES_THREADS: &str = "src/parallel.rs:";

/// Where conditions on the target may be, besides the boundary: the crate's root, and what
/// says which contenders a build has.
const MAY_ASK_FOR_THE_TARGET: [&str; 3] =
    ["src/lib.rs", "src/workload.rs", "src/workload/runtime.rs"];

/// Paths of the standard library, and words of others, that the core may not name.
const ABSENT: [(&str, &[&str]); 6] = [
    ("a clock", &["Instant", "SystemTime", "UNIX_EPOCH"]),
    ("a thread", &["std::thread", "thread::", "mpsc", "rayon"]),
    (
        "input or output",
        &[
            "std::io",
            "std::fs",
            "std::net",
            "std::process",
            "std::env",
            "println!",
            "eprintln!",
            "print!",
            "eprint!",
            "dbg!",
        ],
    ),
    ("the DOM", &["wasm_bindgen", "js_sys", "web_sys", "JsValue"]),
    (
        "global state",
        &[
            "static mut",
            "OnceLock",
            "LazyLock",
            "set_hook",
            "take_hook",
        ],
    ),
    (
        "randomness",
        &["RandomState", "rand::", "getrandom", "DefaultHasher"],
    ),
];

struct Source {
    path: String,
    text: String,
}

impl Source {
    /// Its lines without comments and without its tests, with their numbers.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines
            .take_while(|(_, line)| *line != "mod tests {")
            .map(|(number, line)| (number + 1, line.trim()))
            .filter(|(_, line)| !line.starts_with("//"))
            .map(|(number, line)| (number, line.split(" // ").next().unwrap_or(line)))
    }
}

fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    walk(&root.join(folder), &mut files);
    files.sort();
    files
        .into_iter()
        .map(|file| Source {
            text: fs::read_to_string(&file).expect("a text"),
            path: file
                .strip_prefix(root)
                .expect("inside")
                .to_string_lossy()
                .replace('\\', "/"),
        })
        .collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn is_core(source: &Source) -> bool {
    source.path != BOUNDARY
}

/// Every line of the core that names one of the words.
fn naming(words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources("src").iter().filter(|source| is_core(source)) {
        for (number, line) in source.code() {
            if words.iter().any(|word| begins_in(line, word)) {
                found.push(format!("{}:{number}: {line}", source.path));
            }
        }
    }
    found
}

/// Whether the line has the word, and not as the end of another: `rand::` is not in `strand::`.
fn begins_in(line: &str, word: &str) -> bool {
    let goes_on = |before: &str| before.ends_with(|letter: char| letter.is_alphanumeric());
    line.match_indices(word)
        .any(|(at, _)| !goes_on(&line[..at]))
}

#[test]
fn the_core_has_no_clock_thread_dom_io_state_or_randomness() {
    for (what, words) in ABSENT {
        let found: Vec<_> = naming(words)
            .into_iter()
            .filter(|line| !(what == "a thread" && line.starts_with(USES_THREADS)))
            .collect();
        assert_eq!(found, [""; 0], "{what}");
    }
}

#[test]
fn the_core_has_one_thread_local_and_no_other_statics() {
    let locals = naming(&["thread_local!"]);
    assert_eq!(locals.len(), 1, "{locals:#?}");
    assert!(locals[0].starts_with("src/task.rs:"), "{locals:#?}");
    let statics = naming(&["static "]);
    let is_item = |line: &&String| {
        let code = line.splitn(3, ':').nth(2).unwrap_or_default().trim();
        let code = code
            .trim_start_matches("pub(crate) ")
            .trim_start_matches("pub ");
        code.starts_with("static ")
    };
    let statics: Vec<_> = statics.iter().filter(is_item).collect();
    // The thread-local's own, and the functions of the borrowed waker, which don't change.
    let allowed = ["static POLLED: Cell", "static BORROWED: RawWakerVTable"];
    assert!(
        statics
            .iter()
            .all(|line| allowed.iter().any(|allowed| line.contains(allowed))),
        "{statics:#?}"
    );
    assert_eq!(statics.len(), 2, "{statics:#?}");
}

#[test]
fn hash_maps_of_the_core_have_a_hasher_without_randomness() {
    let made = naming(&["HashMap::new", "HashSet::new", "HashMap::with_capacity"]);
    assert_eq!(made, [""; 0]);
    for line in naming(&["HashMap<", "HashSet<"]) {
        assert!(line.contains("BuildHasherDefault<FoldHasher>"), "{line}");
    }
}

#[test]
fn only_the_boundary_is_compiled_for_wasm_alone() {
    for source in sources("src").iter().filter(|source| is_core(source)) {
        let conditions = source.code().filter(|(_, line)| line.contains("target_"));
        for (number, line) in conditions {
            let path = source.path.as_str();
            assert!(
                MAY_ASK_FOR_THE_TARGET.contains(&path),
                "{path}:{number}: {line}"
            );
        }
    }
}

#[test]
fn workloads_use_only_what_is_public() {
    let of_crate = |source: &Source, import: &str| -> Vec<String> {
        let code: Vec<_> = source.code().map(|(_, line)| line).collect();
        let code = code.join(" ");
        let uses = code.split(import).skip(1).map(first_names);
        uses.flatten().collect()
    };
    let sources = sources("src");
    let lib = sources.iter().find(|source| source.path == "src/lib.rs");
    let lib = lib.expect("the crate has a root");
    // `pub use module::{A, B};` and `pub use module::A;`
    let exported: Vec<String> = lib
        .code()
        .filter_map(|(_, line)| line.strip_prefix("pub use ")?.split_once("::"))
        .flat_map(|(_, names)| first_names(names))
        .collect();
    assert!(exported.iter().any(|name| name == "System"), "{exported:?}");
    let is_workload = |source: &&Source| source.path.starts_with("src/workload");
    for source in sources.iter().filter(is_workload) {
        for name in of_crate(source, "crate::") {
            let is_public = name == "workload" || exported.contains(&name);
            assert!(is_public, "{} uses crate::{name}", source.path);
        }
        let above = of_crate(source, "super::super");
        assert!(above.is_empty(), "{} reaches for the core", source.path);
    }
}

/// The names in `A, …}` after a brace or the one name before whatever ends it.
fn first_names(path: &str) -> Vec<String> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    match path.strip_prefix('{') {
        Some(names) => {
            let names = names.split('}').next().unwrap_or_default().split(',');
            let names = names.map(|name| name.trim().to_owned());
            names.filter(|name| !name.is_empty()).collect()
        }
        None => {
            let end = path.find(|letter| !is_name(letter)).unwrap_or(path.len());
            vec![path[..end].to_owned()]
        }
    }
}

#[test]
fn unsafe_code_is_in_few_files() {
    let named = |source: &Source| {
        source
            .code()
            .any(|(_, line)| line.contains("allow(unsafe_code)"))
    };
    let found: Vec<_> = sources("src")
        .into_iter()
        .filter(named)
        .map(|source| source.path)
        .collect();
    assert_eq!(found, MAY_BE_UNSAFE);
}

#[test]
fn no_file_is_longer_than_700_lines() {
    for folder in ["src", "tests", "benches", "examples", "xtask/src"] {
        for source in sources(folder) {
            let lines = source.text.lines().count();
            assert!(lines <= 700, "{} has {lines} lines", source.path);
        }
    }
}
