// SPDX-License-Identifier: Apache-2.0
//! An instance: the content that answers now, and the counted views beside it. Any thread.
//!
//! The folder of the setting `path` has tantivy's own folder `index`, and the file `lock`, which whoever writes holds.

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
    shown: Mutex<Option<Arc<Content>>>,
    views: Mutex<Arc<Views>>,
}

/// One commit, whole: every answer is computed on one of these alone. It never changes, so any thread may use it, and
/// its files stay mapped until the last one lets go.
pub struct Content {
    pub commit: Commit,
    pub searcher: Searcher,
    meta: Vec<u8>,
}

/// What is under a lock is replaced as a whole, so a panic leaves nothing half done.
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
            shown: Mutex::default(),
            views: Mutex::default(),
        })
    }

    /// The newest commit, another process's too. None: there is none, or none that this instance can answer from.
    pub fn content(&self) -> Outcome<Option<Arc<Content>>> {
        let mut shown = locked(&self.shown);
        loop {
            let Some(meta) = self.meta()? else { return Ok(None) };
            if shown.as_ref().is_some_and(|shown| shown.meta == meta) {
                return Ok(shown.clone());
            }
            let opened = self.open_content(&meta);
            if self.meta()? != Some(meta) {
                continue; // somebody committed meanwhile, and what was opened may be of both commits
            }
            *shown = match opened {
                Err(failure) if failure.status == kbase::CORRUPT => None,
                opened => Some(Arc::new(opened?)),
            };
            return Ok(shown.clone());
        }
    }

    /// To answer from.
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

    /// The list of a commit's files, which tantivy replaces in one step with each: another text is another commit.
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
        // Manual: no thread of tantivy's watches the folder.
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

    /// An empty one in place of what is there. The writer's.
    pub fn create_index(&self) -> Outcome<Index> {
        match fs::remove_dir_all(self.folder()) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => fs::create_dir(self.folder())?,
        }
        let index = Index::create_in_dir(self.folder(), schema::schema().clone())?;
        Ok(words::with_analysis(index, self.language))
    }

    /// One writer over all processes and threads: until the file is closed, by a kill too.
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

    /// Reads every file of the newest commit and compares its checksum, which tantivy writes at the end of each.
    pub fn verify(&self) -> Outcome<()> {
        let Some(meta) = self.meta()? else { return self.whole_content().map(|_| ()) };
        let damaged = self.open_content(&meta)?.searcher.index().validate_checksum()?;
        if damaged.is_empty() {
            return Ok(());
        }
        Err(Failure::damage(format!("the checksums of {damaged:?} do not fit")))
    }
}
