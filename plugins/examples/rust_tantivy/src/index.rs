// SPDX-License-Identifier: Apache-2.0
//! An instance: the current content, and the counted views. Thread-safe.
//!
//! The folder of the setting `path` contains tantivy's folder `index` and the file `lock`, which the writer locks.

use crate::boundary::{Failure, Outcome};
use crate::kbase;
use crate::schema::{self, Commit};
use crate::settings::Settings;
use crate::views::Views;
use crate::words;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tantivy::tokenizer::Language;
use tantivy::{Index, ReloadPolicy, Searcher};

pub struct SearchIndex {
    pub language: Language,
    pub fingerprint: String,
    path: PathBuf,
    current: Mutex<Option<Arc<Content>>>,
    views: Mutex<Arc<Views>>,
}

/// One complete commit; each search uses exactly one. Immutable, so any thread can use it; its files stay mapped until
/// the last reference is dropped.
pub struct Content {
    pub commit: Commit,
    pub searcher: Searcher,
    meta: Vec<u8>,
}

/// Locks a mutex, ignoring poisoning: values under locks are replaced as a whole, so a panic leaves no incomplete
/// change.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SearchIndex {
    pub fn open(settings: Settings) -> Outcome<SearchIndex> {
        fs::create_dir_all(&settings.path).map_err(|error| {
            let place = settings.path.display();
            Failure::of_setting("path", format!("The folder {place} cannot be used: {error}"))
        })?;
        Ok(SearchIndex {
            language: settings.language,
            fingerprint: schema::fingerprint(settings.language),
            path: settings.path,
            current: Mutex::default(),
            views: Mutex::default(),
        })
    }

    /// Returns the newest commit, including one of another process. None: there is no commit, or no commit that this instance can
    /// search.
    pub fn content(&self) -> Outcome<Option<Arc<Content>>> {
        let mut current = locked(&self.current);
        loop {
            let Some(meta) = self.meta()? else { return Ok(None) };
            if current.as_ref().is_some_and(|current| current.meta == meta) {
                return Ok(current.clone());
            }
            let opened = self.open_content(&meta);
            if self.meta()? != Some(meta) {
                continue; // another commit came in between; the opened files can be of both
            }
            *current = match opened {
                Err(failure) if failure.status == kbase::CORRUPT => None,
                opened => Some(Arc::new(opened?)),
            };
            return Ok(current.clone());
        }
    }

    /// Returns the content for a search. UNAVAILABLE: there is no commit.
    pub fn whole_content(&self) -> Outcome<Arc<Content>> {
        let being_built = || {
            let detail = format!("there is no whole commit of {}", self.fingerprint);
            Failure::new(kbase::UNAVAILABLE, "The search index is being built.", detail)
        };
        self.content()?.ok_or_else(being_built)
    }

    fn folder(&self) -> PathBuf {
        self.path.join("index")
    }

    /// Reads the list of a commit's files, which tantivy replaces atomically with each commit: a different text is a
    /// different commit.
    fn meta(&self) -> Outcome<Option<Vec<u8>>> {
        match fs::read(self.folder().join("meta.json")) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            meta => Ok(Some(meta?)),
        }
    }

    fn open_content(&self, meta: &[u8]) -> Outcome<Content> {
        let index = self.open_index()?;
        let commit = index.load_metas()?.payload.as_deref().and_then(Commit::of);
        let commit = commit.filter(|commit| commit.fingerprint == self.fingerprint);
        let commit = commit.ok_or_else(|| Failure::damage("the last commit was made by something else"))?;
        // Manual: tantivy starts no thread that watches the folder.
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Content { commit, searcher: reader.searcher(), meta: meta.to_vec() })
    }

    pub fn open_index(&self) -> Outcome<Index> {
        let index = Index::open_in_dir(self.folder())?;
        if index.schema() != *schema::schema() {
            return Err(Failure::damage("the index has other fields"));
        }
        Ok(words::with_analysis(index, self.language))
    }

    /// Replaces the index by an empty one. Only for the writer.
    pub fn create_index(&self) -> Outcome<Index> {
        match fs::remove_dir_all(self.folder()) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => fs::create_dir(self.folder())?,
        }
        let index = Index::create_in_dir(self.folder(), schema::schema().clone())?;
        Ok(words::with_analysis(index, self.language))
    }

    /// Acquires the lock of the only writer across processes and threads. Closing the file releases it, even when the
    /// process is killed.
    pub fn lock(&self) -> Outcome<File> {
        let file = File::options().create(true).truncate(false).write(true).open(self.path.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::Error(error)) => Err(error.into()),
            Err(TryLockError::WouldBlock) => {
                let message = format!("Somebody else writes the search index at {}.", self.path.display());
                Err(Failure::new(kbase::CONFLICT, message, ""))
            }
        }
    }

    pub fn views(&self) -> Arc<Views> {
        locked(&self.views).clone()
    }

    pub fn set_views(&self, totals: impl Iterator<Item = (String, u64)>, revision: u64) {
        let mut views = locked(&self.views);
        *views = Arc::new(views.with(totals, revision));
    }

    /// Reads every file of the newest commit and checks the checksum that tantivy writes at its end.
    pub fn verify(&self) -> Outcome<()> {
        let Some(meta) = self.meta()? else { return self.whole_content().map(|_| ()) };
        let damaged = self.open_content(&meta)?.searcher.index().validate_checksum()?;
        if damaged.is_empty() {
            return Ok(());
        }
        Err(Failure::damage(format!("the checksums of {damaged:?} do not fit")))
    }
}
