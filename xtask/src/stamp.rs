//! Knows whether outputs still stem from their inputs, by content: a fresh clone or a switch of
//! branches changes every file's time and hardly any content.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub(crate) struct Stamp {
    file: PathBuf,
    outputs: Vec<PathBuf>,
    /// Of settings and inputs, taken before the build: what changes during one counts as new.
    made_of: u64,
}

impl Stamp {
    pub(crate) fn new(
        file: PathBuf,
        settings: &[String],
        inputs: &[PathBuf],
        outputs: Vec<PathBuf>,
    ) -> Result<Self> {
        let made_of = digest(settings, inputs)?;
        Ok(Self {
            file,
            outputs,
            made_of,
        })
    }

    pub(crate) fn is_fresh(&self) -> Result<bool> {
        if !self.outputs.iter().all(|output| output.is_file()) {
            return Ok(false);
        }
        match fs::read_to_string(&self.file) {
            Ok(known) => Ok(known == self.text()?),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error).with_context(|| format!("reading {}", self.file.display())),
        }
    }

    pub(crate) fn set(&self) -> Result<()> {
        fs::write(&self.file, self.text()?)
            .with_context(|| format!("writing {}", self.file.display()))
    }

    /// Outputs are in it too: one that was changed by hand is made again.
    fn text(&self) -> Result<String> {
        let outputs = digest(&[], &self.outputs)?;
        Ok(format!("{:016x} {outputs:016x}\n", self.made_of))
    }
}

/// 64 bits are plenty against accidents, and nobody gains by deceiving their own build.
fn digest(settings: &[String], paths: &[PathBuf]) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    settings.hash(&mut hasher);
    for path in paths {
        hash_tree(path, &mut hasher)?;
    }
    Ok(hasher.finish())
}

fn hash_tree(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    path.hash(hasher);
    if path.is_dir() {
        let mut entries = fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        return entries
            .iter()
            .try_for_each(|entry| hash_tree(&entry.path(), hasher));
    }
    match fs::read(path) {
        Ok(bytes) => bytes.hash(hasher),
        // Cargo.lock before the first build.
        Err(error) if error.kind() == ErrorKind::NotFound => 0_u8.hash(hasher),
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    }
    Ok(())
}
