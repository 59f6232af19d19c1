// SPDX-License-Identifier: Apache-2.0
//! A batch: a tantivy writer together with the lock that makes it the only one. A rebuild deletes the old documents of
//! the same index; searches see them until the commit.

use crate::boundary::{probe_memory, slice, text, Call, Failure, Outcome};
use crate::index::SearchIndex;
use crate::kbase::{self, View};
use crate::search_index::Item;
use crate::schema::{fields, Commit, Searched};
use std::fs::File;
use tantivy::indexer::IndexWriterOptions;
use tantivy::{Index, IndexWriter, TantivyDocument, Term};

/// Memory that a writer fills before it writes a segment. (An update rarely has more than a few items.)
const UPDATE_BYTES: usize = 16 << 20;
const REBUILD_BYTES: usize = 128 << 20;

pub struct Batch {
    writer: IndexWriter,
    commit: Commit,
    _lock: File, // released last
}

impl Batch {
    pub fn begin(index: &SearchIndex, rebuild: bool, lineage: [u8; 16]) -> Outcome<Batch> {
        let lock = index.lock()?;
        let target = if rebuild { to_rebuild(index)? } else { to_update(index, lineage)? };
        let bytes = if rebuild { REBUILD_BYTES } else { UPDATE_BYTES };
        probe_memory(bytes)?;
        let options = IndexWriterOptions::builder().num_merge_threads(1).memory_budget_per_thread(bytes).build();
        let writer = target.writer_with_options(options)?;
        if rebuild {
            writer.delete_all_documents()?;
        }
        let commit = Commit { revision: 0, lineage, fingerprint: index.fingerprint.clone() };
        Ok(Batch { writer, commit, _lock: lock })
    }

    /// Stores items; of several with one id the last one counts. Documents cannot be changed, so an existing one is
    /// deleted.
    pub unsafe fn put(&mut self, call: &Call, items: &[*const Item]) -> Outcome<()> {
        for item in items {
            call.check()?;
            let item = &**item;
            self.remove(&text(item.id));
            self.writer.add_document(document(item))?;
        }
        Ok(())
    }

    pub fn remove(&self, id: &str) {
        self.writer.delete_term(Term::from_field_text(fields().id, id));
    }

    /// tantivy's commit cannot be interrupted, so the deadline is only checked before it.
    pub fn commit(&mut self, revision: u64) -> Outcome<()> {
        self.commit.revision = revision;
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&self.commit.payload());
        prepared.commit()?;
        Ok(())
    }

    /// Waits for the merges that the batch started, because the lock covers them. A failed merge leaves its segments
    /// unmerged.
    pub fn end(self) {
        let _ = self.writer.wait_merging_threads();
    }
}

fn to_rebuild(index: &SearchIndex) -> Outcome<Index> {
    match index.open_index() {
        Err(failure) if failure.status == kbase::CORRUPT => index.create_index(),
        opened => opened,
    }
}

fn to_update(index: &SearchIndex, lineage: [u8; 16]) -> Outcome<Index> {
    match index.content()? {
        Some(content) if content.commit.lineage == lineage => index.open_index(),
        _ => {
            let message = "The search index holds no state that could be updated; it has to be rebuilt.";
            Err(Failure::new(kbase::UNSUPPORTED, message, ""))
        }
    }
}

unsafe fn document(item: &Item) -> TantivyDocument {
    let fields = fields();
    let mut document = TantivyDocument::default();
    document.add_text(fields.id, text(item.id));
    document.add_text(fields.category, text(item.category));
    document.add_i64(fields.updated, item.updated_day.into());
    document.add_u64(fields.views, item.views);
    let mut add = |field: Searched, value: View| {
        document.add_text(field.stems, text(value));
        document.add_text(field.exact, text(value));
    };
    add(fields.title, item.title);
    add(fields.content, item.content);
    // Each tag is a separate value; tantivy leaves a position gap between values, so no phrase matches across them.
    for tag in slice(item.tags, item.tag_count) {
        add(fields.tags, *tag);
    }
    document
}
