// SPDX-License-Identifier: Apache-2.0
//! The counted views of all items, kept in memory beside the index: the server hands them over anew at each start.

use crate::boundary::Outcome;
use crate::schema::{self, VIEWS};
use std::collections::HashMap;
use std::sync::Arc;
use tantivy::collector::sort_key::NaturalComparator;
use tantivy::collector::{SegmentSortKeyComputer, SortKeyComputer};
use tantivy::columnar::Column;
use tantivy::index::SegmentId;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, Term, TERMINATED};

/// One state of the counts.
#[derive(Clone, Default)]
pub struct Views {
    pub revision: u64,
    pub totals: HashMap<String, u64>,
}

/// The counts by the documents of one searcher: an id is looked up once, not with every match of every search.
pub struct ViewsByDocument(HashMap<SegmentId, Arc<HashMap<DocId, u64>>>);

impl ViewsByDocument {
    /// Ids that the index lacks wait for their items.
    pub fn of(views: &Views, searcher: &Searcher) -> Outcome<ViewsByDocument> {
        let id = schema::fields().id;
        let mut by_segment = HashMap::new();
        for segment in searcher.segment_readers() {
            let ids = segment.inverted_index(id)?;
            let mut by_document = HashMap::new();
            for (item, total) in &views.totals {
                let term = Term::from_field_text(id, item);
                let Some(mut documents) = ids.read_postings(&term, IndexRecordOption::Basic)? else { continue };
                while documents.doc() != TERMINATED {
                    by_document.insert(documents.doc(), *total); // of a removed one too, which no search finds
                    documents.advance();
                }
            }
            by_segment.insert(segment.segment_id(), Arc::new(by_document));
        }
        Ok(ViewsByDocument(by_segment))
    }
}

/// Orders by imported plus counted views: what the port calls popularity.
pub struct ByViews(pub Arc<ViewsByDocument>);

pub struct ByViewsInSegment {
    imported: Column<u64>,
    counted: Arc<HashMap<DocId, u64>>,
}

impl SortKeyComputer for ByViews {
    type SortKey = u64;
    type Child = ByViewsInSegment;
    type Comparator = NaturalComparator;

    fn segment_sort_key_computer(&self, segment: &SegmentReader) -> tantivy::Result<ByViewsInSegment> {
        Ok(ByViewsInSegment {
            imported: segment.fast_fields().u64(VIEWS)?,
            counted: self.0 .0.get(&segment.segment_id()).cloned().unwrap_or_default(),
        })
    }
}

impl SegmentSortKeyComputer for ByViewsInSegment {
    type SortKey = u64;
    type SegmentSortKey = u64;
    type SegmentComparator = NaturalComparator;

    fn segment_sort_key(&mut self, document: DocId, _score: Score) -> u64 {
        let counted = self.counted.get(&document).copied().unwrap_or(0);
        self.imported.first(document).unwrap_or(0).saturating_add(counted)
    }

    fn convert_segment_sort_key(&self, key: u64) -> u64 {
        key
    }
}
