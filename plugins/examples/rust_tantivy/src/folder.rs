// SPDX-License-Identifier: Apache-2.0
//! The folder of the setting `path`. Each rebuild makes a tantivy index of its own in a new folder index-N beside the
//! old one, and the file CURRENT names the one that answers:
//!
//!     CURRENT   "index-7"
//!     lock      held by whoever writes
//!     index-7/  tantivy's: meta.json, segments
//!
//! A killed writer leaves nothing but a folder that CURRENT does not name; the next rebuild removes it.

use crate::boundary::{Failure, Outcome};
use crate::kbase;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const PREFIX: &str = "index-";

pub struct Folder {
    path: PathBuf,
}

/// Which commit lies in the folder: tantivy replaces meta.json with each one, so that another process's shows too.
#[derive(Clone, PartialEq)]
pub struct Stamp {
    pub index: PathBuf,
    meta: (u64, i64, i64),
}

impl Folder {
    pub fn open(path: PathBuf) -> io::Result<Folder> {
        fs::create_dir_all(&path)?;
        Ok(Folder { path })
    }

    /// None: there has been no commit.
    pub fn stamp(&self) -> io::Result<Option<Stamp>> {
        loop {
            let Some(name) = self.current()? else { return Ok(None) };
            let index = self.path.join(&name);
            match fs::metadata(index.join("meta.json")) {
                Ok(meta) => return Ok(Some(Stamp { index, meta: (meta.ino(), meta.mtime(), meta.mtime_nsec()) })),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Err(_) if self.current()? == Some(name) => return Ok(None),
                Err(_) => {} // it was replaced between the two looks
            }
        }
    }

    /// One writer over all processes and threads: until the file is closed, by a kill too.
    pub fn lock(&self) -> Outcome<File> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(self.path.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::Error(error)) => Err(error.into()),
            Err(TryLockError::WouldBlock) => {
                let message = format!("Another process or thread writes the search index at {}.", self.path.display());
                Err(Failure::new(kbase::CONFLICT, message, ""))
            }
        }
    }

    /// An empty folder for a rebuild. The writer's.
    pub fn next(&self) -> io::Result<PathBuf> {
        let current = self.current()?;
        self.remove_all_but(current.as_deref())?;
        let number = current.as_deref().and_then(number_of).unwrap_or(0) + 1;
        let next = self.path.join(format!("{PREFIX}{number}"));
        fs::create_dir(&next)?;
        Ok(next)
    }

    /// From now on `index` answers, over a loss of power too. The writer's.
    pub fn publish(&self, index: &Path) -> io::Result<()> {
        let name = index.file_name().and_then(|name| name.to_str()).expect("it has a name of ours");
        let draft = self.path.join("CURRENT.new");
        let mut file = File::create(&draft)?;
        file.write_all(name.as_bytes())?;
        file.sync_all()?;
        fs::rename(draft, self.path.join("CURRENT"))?;
        File::open(&self.path)?.sync_all()?;
        let _ = self.remove_all_but(Some(name)); // a rest is removed the next time
        Ok(())
    }

    fn current(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(self.path.join("CURRENT")) {
            Ok(name) => Ok(number_of(&name).map(|_| name)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Who still reads an old index has its files mapped and does not miss their names.
    fn remove_all_but(&self, kept: Option<&str>) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if number_of(&name).is_some() && Some(name.as_str()) != kept {
                fs::remove_dir_all(self.path.join(name))?;
            }
        }
        Ok(())
    }
}

/// N of "index-N".
fn number_of(name: &str) -> Option<u64> {
    name.strip_prefix(PREFIX)?.parse().ok()
}
