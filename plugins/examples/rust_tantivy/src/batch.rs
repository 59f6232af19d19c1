// SPDX-License-Identifier: Apache-2.0
//! A batch: a writer of tantivy's, with the lock that makes it the only one.

use crate::boundary::{slice, text, Call, Failure, Outcome};
use crate::index::SearchIndex;
use crate::kbase::{self, Item};
use crate::schema::{self, Commit, Fields, Searched};
use std::collections::hash_map::RandomState;
use std::collections::HashSet;
use std::fs::{self, File};
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::Arc;
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Index, IndexWriter, TantivyDocument, Term};

/// What a writer gathers before it writes a segment. (An update rarely gathers more than a few items.)
const UPDATE_BYTES: usize = 16 << 20;
const REBUILD_BYTES: usize = 128 << 20;

pub struct Batch {
    index: Arc<SearchIndex>,
    fields: &'static Fields,
    lineage: [u8; 16],
    writer: Option<IndexWriter>, // until the commit
    rebuilt: Option<PathBuf>,    // a rebuild's folder, until it is published
    hasher: RandomState,
    seen: HashSet<u64>, // hashes of the ids that a rebuild has put
    _lock: File,
}

impl Batch {
    pub fn begin(index: Arc<SearchIndex>, rebuild: bool, lineage: [u8; 16]) -> Outcome<Batch> {
        let lock = index.folder.lock()?;
        let mut batch = Batch {
            fields: schema::fields(),
            lineage,
            writer: None,
            rebuilt: None,
            hasher: RandomState::new(),
            seen: HashSet::new(),
            _lock: lock,
            index,
        };
        let index = if rebuild { batch.create_next()? } else { batch.open_current()? };
        let bytes = if rebuild { REBUILD_BYTES } else { UPDATE_BYTES };
        let options = IndexWriterOptions::builder().num_merge_threads(1).memory_budget_per_thread(bytes).build();
        batch.writer = Some(index.writer_with_options(options)?);
        Ok(batch)
    }

    fn create_next(&mut self) -> Outcome<Index> {
        let folder = self.index.folder.next()?;
        self.rebuilt = Some(folder.clone());
        schema::create(&folder, self.index.language)
    }

    fn open_current(&self) -> Outcome<Index> {
        let unfit = |detail: String| {
            let message = "The search index holds no state that could be updated; it has to be rebuilt.";
            Failure::new(kbase::UNSUPPORTED, message, detail)
        };
        let content = match self.index.refresh() {
            Err(failure) if failure.is_not_built => return Err(unfit(failure.detail)),
            content => content?,
        };
        if content.commit.lineage != self.lineage {
            return Err(unfit("it was built from another store".to_owned()));
        }
        schema::open(&content.stamp.index, self.index.language)
    }

    /// The last one put of an id counts. Documents cannot be changed: what was there of the id is deleted.
    pub unsafe fn put(&mut self, call: &Call, items: &[*const Item]) -> Outcome<()> {
        for item in items {
            call.check()?;
            let item = &**item;
            let id = text(item.id);
            // Two ids with one hash cost a needless deletion, nothing else.
            let is_new = self.rebuilt.is_some() && self.seen.insert(self.hasher.hash_one(&id));
            if !is_new {
                self.remove(&id);
            }
            let document = self.document(item);
            self.writer().add_document(document)?;
        }
        Ok(())
    }

    pub fn remove(&self, id: &str) {
        self.writer().delete_term(Term::from_field_text(self.fields.id, id));
    }

    unsafe fn document(&self, item: &Item) -> TantivyDocument {
        let fields = self.fields;
        let mut document = TantivyDocument::default();
        document.add_text(fields.id, text(item.id));
        document.add_text(fields.category, text(item.category));
        document.add_i64(fields.updated, item.updated_day.into());
        document.add_u64(fields.views, item.views);
        let mut add = |field: Searched, value: kbase::View| {
            let value = text(value);
            document.add_text(field.exact, &value);
            document.add_text(field.stems, &value);
        };
        add(fields.title, item.title);
        add(fields.content, item.content);
        // Each tag is a value of its own, and between values tantivy leaves a gap that no phrase spans.
        for tag in slice(item.tags, item.tag_count) {
            add(fields.tags, *tag);
        }
        document
    }

    /// What tantivy does here cannot be interrupted: a deadline is looked at before it alone.
    pub fn commit(&mut self, revision: u64) -> Outcome<()> {
        let mut writer = self.writer.take().expect("a batch is committed once");
        let commit = Commit { fingerprint: self.index.fingerprint.clone(), lineage: self.lineage, revision };
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&commit.payload());
        prepared.commit()?;
        if self.rebuilt.is_none() {
            self.index.refresh()?; // an update shows before the merges that it started are through
        }
        // A merge that fails leaves what it was to merge.
        let _ = writer.wait_merging_threads();
        if let Some(folder) = &self.rebuilt {
            self.index.folder.publish(folder)?;
            self.rebuilt = None;
        }
        self.index.refresh().map(|_| ())
    }

    fn writer(&self) -> &IndexWriter {
        self.writer.as_ref().expect("a committed batch has ended")
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.writer = None; // ends its threads
        if let Some(folder) = &self.rebuilt {
            let _ = fs::remove_dir_all(folder); // or the next rebuild does
        }
    }
}
