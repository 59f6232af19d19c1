// SPDX-License-Identifier: Apache-2.0
//! An instance: the content that answers now, and the counted views beside it. Any thread.

use crate::boundary::{Call, Failure, Outcome};
use crate::folder::{Folder, Stamp};
use crate::kbase;
use crate::schema::{self, Commit};
use crate::settings::Settings;
use crate::views::{Views, ViewsByDocument};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use tantivy::tokenizer::Language;
use tantivy::{ReloadPolicy, Searcher};

pub struct SearchIndex {
    pub folder: Folder,
    pub language: Language,
    pub fingerprint: String,
    shown: RwLock<Option<Arc<Content>>>,
    opening: Mutex<()>,
    views: Mutex<Arc<Views>>,
}

/// One commit, whole: every answer is computed on one of these alone. It never changes, so any thread may use it, and
/// its files stay mapped until the last one lets go.
pub struct Content {
    pub stamp: Stamp,
    pub commit: Commit,
    pub searcher: Searcher,
    counted: Mutex<Option<(Arc<Views>, Arc<ViewsByDocument>)>>,
}

/// What is under these locks is replaced as a whole, so a panic leaves nothing half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SearchIndex {
    pub fn open(settings: Settings) -> Outcome<SearchIndex> {
        let place = settings.path.display().to_string();
        let folder = Folder::open(settings.path)
            .map_err(|error| Failure::of_setting("path", format!("The folder {place} cannot be used: {error}")))?;
        Ok(SearchIndex {
            folder,
            language: settings.language,
            fingerprint: schema::fingerprint(&settings.language_code),
            shown: RwLock::new(None),
            opening: Mutex::new(()),
            views: Mutex::default(),
        })
    }

    /// The newest commit, another process's too. While somebody opens it, the others answer from the one before.
    pub fn content(&self) -> Outcome<Arc<Content>> {
        let stamp = self.stamp()?;
        let Some(shown) = self.shown() else { return self.refresh() };
        if shown.stamp == stamp {
            return Ok(shown);
        }
        match self.opening.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(shown),
            opening => {
                drop(opening);
                self.refresh()
            }
        }
    }

    /// As content(), and not without the last commit before the call.
    pub fn refresh(&self) -> Outcome<Arc<Content>> {
        let _opening = locked(&self.opening);
        loop {
            let stamp = self.stamp()?;
            if let Some(shown) = self.shown().filter(|shown| shown.stamp == stamp) {
                return Ok(shown);
            }
            let opened = self.open_content(stamp.clone());
            if self.stamp()? != stamp {
                continue; // somebody committed meanwhile, and the files may be of both commits
            }
            let content = Arc::new(opened.map_err(unfit_to_answer)?);
            *self.shown.write().unwrap_or_else(PoisonError::into_inner) = Some(content.clone());
            return Ok(content);
        }
    }

    fn shown(&self) -> Option<Arc<Content>> {
        self.shown.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn stamp(&self) -> Outcome<Stamp> {
        self.folder.stamp()?.ok_or_else(|| Failure::not_built("there has been no commit"))
    }

    fn open_content(&self, stamp: Stamp) -> Outcome<Content> {
        let index = schema::open(&stamp.index, self.language)?;
        let commit = Commit::of(&index.load_metas()?, &self.fingerprint)?;
        // Manual: no thread of tantivy's watches the folder.
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Content { stamp, commit, searcher: reader.searcher(), counted: Mutex::new(None) })
    }

    pub fn views(&self) -> Arc<Views> {
        locked(&self.views).clone()
    }

    pub fn set_views(&self, totals: impl Iterator<Item = (String, u64)>, revision: u64) {
        let mut current = locked(&self.views);
        let mut next = Views { revision, totals: current.totals.clone() };
        next.totals.extend(totals);
        *current = Arc::new(next);
    }

    /// Reads every file of the newest commit and compares its checksum, which tantivy writes at the end of each.
    pub fn verify(&self, call: &Call) -> Outcome<()> {
        let content = self.open_content(self.stamp()?)?;
        let index = content.searcher.index();
        let written = index.directory().list_managed_files();
        for file in index.load_metas()?.list_segment_files().intersection(&written) {
            call.check()?;
            if !index.directory().validate_checksum(file).map_err(tantivy::TantivyError::from)? {
                let detail = format!("the checksum of {} does not fit", file.display());
                return Err(Failure::new(kbase::CORRUPT, "The search index is damaged; rebuild it.", detail));
            }
        }
        Ok(())
    }
}

impl Content {
    pub fn counted(&self, views: &Arc<Views>) -> Outcome<Arc<ViewsByDocument>> {
        let mut counted = locked(&self.counted);
        if let Some((of, found)) = &*counted {
            if Arc::ptr_eq(of, views) {
                return Ok(found.clone());
            }
        }
        let found = Arc::new(ViewsByDocument::of(views, &self.searcher)?);
        *counted = Some((views.clone(), found.clone()));
        Ok(found)
    }
}

/// To a client, damage is one more reason why there is nothing to answer from yet.
fn unfit_to_answer(failure: Failure) -> Failure {
    if failure.status == kbase::CORRUPT {
        return Failure::not_built(failure.detail);
    }
    failure
}
