//! Knows whether outputs still stem from their inputs, by content: a fresh clone or a switch of
//! branches changes every file's time and hardly any content.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub(crate) struct Stamp {
    file: PathBuf,
}

impl Stamp {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self { file }
    }

    pub(crate) fn is_fresh(
        &self,
        settings: &[String],
        inputs: &[PathBuf],
        outputs: &[PathBuf],
    ) -> Result<bool> {
        if !outputs.iter().all(|output| output.is_file()) {
            return Ok(false);
        }
        match fs::read_to_string(&self.file) {
            Ok(known) => Ok(known == digest(settings, inputs, outputs)?),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error).with_context(|| format!("reading {}", self.file.display())),
        }
    }

    pub(crate) fn set(
        &self,
        settings: &[String],
        inputs: &[PathBuf],
        outputs: &[PathBuf],
    ) -> Result<()> {
        let digest = digest(settings, inputs, outputs)?;
        fs::write(&self.file, digest).with_context(|| format!("writing {}", self.file.display()))
    }
}

/// 64 bits are plenty against accidents, and nobody gains by deceiving their own build.
fn digest(settings: &[String], inputs: &[PathBuf], outputs: &[PathBuf]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    settings.hash(&mut hasher);
    for path in inputs.iter().chain(outputs) {
        hash_tree(path, &mut hasher)?;
    }
    Ok(format!("{:016x}\n", hasher.finish()))
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
