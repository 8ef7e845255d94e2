//! Which files there are to measure, and who may read them.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// A file to measure.
#[derive(Clone, Debug)]
pub struct Found {
    /// Where it is, as it was reached from what the caller named.
    pub path: PathBuf,
    /// Bytes on disk.
    pub bytes: u64,
    /// Permission bits, where the system has them.
    pub mode: Option<u32>,
}

/// Something that could not be read.
#[derive(Clone, Debug)]
pub struct Unreadable {
    /// Where.
    pub path: PathBuf,
    /// What the system says, in a word: `not_found`, `permission_denied` ...
    pub reason: &'static str,
}

/// What was found under some paths.
#[derive(Debug, Default)]
pub struct Files {
    /// Regular files, each once, in the order of their paths.
    pub files: Vec<Found>,
    /// Paths that could not be read.
    pub errors: Vec<Unreadable>,
}

/// The regular files under these paths. Links to folders inside of a folder are not followed.
pub fn find(paths: &[PathBuf]) -> Files {
    let mut found = Files::default();
    let mut seen = BTreeSet::new();
    for path in paths {
        match fs::metadata(path) {
            Ok(metadata) => add(path.clone(), &metadata, &mut found, &mut seen),
            Err(error) => found.errors.push(Unreadable { path: path.clone(), reason: reason(&error) }),
        }
    }
    found
}

fn add(path: PathBuf, metadata: &Metadata, found: &mut Files, seen: &mut BTreeSet<PathBuf>) {
    let mut open = vec![(path, metadata.clone())];
    while let Some((path, metadata)) = open.pop() {
        if metadata.is_file() {
            if seen.insert(path.clone()) {
                found.files.push(Found { mode: mode(&metadata), bytes: metadata.len(), path });
            }
        } else if metadata.is_dir() {
            match children(&path) {
                Ok(children) => open.extend(children),
                Err(error) => found.errors.push(Unreadable { reason: reason(&error), path }),
            }
        }
    }
}

/// What is in a folder, last name first: it is used as a stack.
fn children(folder: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let mut children = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let link = fs::symlink_metadata(&path)?;
        // A link to a file is measured as that file; one that leads nowhere is passed over like any special file.
        let metadata = if link.is_symlink() { fs::metadata(&path).ok().filter(Metadata::is_file) } else { Some(link) };
        children.extend(metadata.map(|metadata| (path, metadata)));
    }
    children.sort_by(|a, b| b.0.cmp(&a.0));
    Ok(children)
}

/// Permission bits of a file or folder.
#[cfg(unix)]
pub fn mode(metadata: &Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.mode() & 0o7777)
}

/// Permission bits, which this system has not.
#[cfg(not(unix))]
pub fn mode(_metadata: &Metadata) -> Option<u32> {
    None
}

/// What the system says, in a word.
pub fn reason(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "not_found",
        io::ErrorKind::PermissionDenied => "permission_denied",
        io::ErrorKind::UnexpectedEof => "packed_file_is_cut",
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => "packed_file_is_damaged",
        io::ErrorKind::IsADirectory => "is_a_directory",
        _ => "input_output_error",
    }
}
