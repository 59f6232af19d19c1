// SPDX-License-Identifier: Apache-2.0
//! The counted views of all items, in memory: the server passes them again at each start.

use crate::index::locked;
use crate::schema::{self, VIEWS};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tantivy::columnar::Column;
use tantivy::index::SegmentId;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Searcher, SegmentReader, Term, TERMINATED};

type ByDocument = Arc<HashMap<DocId, u64>>;

/// One state of the counts.
#[derive(Default)]
pub struct Views {
    pub revision: u64,
    totals: HashMap<String, u64>,
    known: Mutex<HashMap<SegmentId, ByDocument>>, // segments are immutable, so ids are looked up once
}

/// Imported plus counted views in one segment.
#[derive(Clone)]
pub struct Popularity {
    imported: Column<u64>,
    counted: ByDocument,
}

impl Popularity {
    pub fn of(&self, document: DocId) -> u64 {
        let counted = self.counted.get(&document).copied().unwrap_or(0);
        self.imported.first(document).unwrap_or(0).saturating_add(counted)
    }
}

impl Views {
    pub fn with(&self, totals: impl Iterator<Item = (String, u64)>, revision: u64) -> Views {
        let totals = self.totals.clone().into_iter().chain(totals).collect();
        Views { revision, totals, known: Mutex::default() }
    }

    /// Returns the popularity of documents by segment.
    pub fn popularity(&self, searcher: &Searcher) -> tantivy::Result<HashMap<SegmentId, Popularity>> {
        let segments = searcher.segment_readers().iter();
        let popularity = segments.map(|segment| {
            let imported = segment.fast_fields().u64(VIEWS)?;
            Ok((segment.segment_id(), Popularity { imported, counted: self.counted(segment)? }))
        });
        popularity.collect()
    }

    /// Returns the counted views by document of a segment. Totals of items that are not in the index yet are kept for
    /// later.
    fn counted(&self, segment: &SegmentReader) -> tantivy::Result<ByDocument> {
        let mut known = locked(&self.known);
        if let Some(counted) = known.get(&segment.segment_id()) {
            return Ok(counted.clone());
        }
        let id = schema::fields().id;
        let ids = segment.inverted_index(id)?;
        let mut counted = HashMap::new();
        for (item, total) in &self.totals {
            let term = Term::from_field_text(id, item);
            let Some(mut documents) = ids.read_postings(&term, IndexRecordOption::Basic)? else { continue };
            while documents.doc() != TERMINATED {
                counted.insert(documents.doc(), *total); // includes deleted documents, which no search finds
                documents.advance();
            }
        }
        let counted = Arc::new(counted);
        known.insert(segment.segment_id(), counted.clone());
        Ok(counted)
    }
}
