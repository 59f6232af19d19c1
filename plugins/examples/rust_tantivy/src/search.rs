// SPDX-License-Identifier: Apache-2.0
//! A search: chooses the match rule, finds the matches, and returns a page of them.

use crate::boundary::{text, view, Call, Failure, Outcome};
use crate::excerpt::excerpt;
use crate::index::{Content, SearchIndex};
use crate::kbase::{self, Status};
use crate::search_index::{Hit, SearchAnswer, SearchRequest, SORT_DATE, SORT_POPULARITY};
use crate::query::{ParsedQuery, Reader};
use crate::schema::{fields, ID, UPDATED};
use crate::views::Views;
use crate::words::Analysis;
use std::mem::size_of;
use std::sync::Arc;
use tantivy::collector::sort_key::{SortBySimilarityScore, SortByStaticFastValue, SortByString};
use tantivy::collector::{Collector, Count, SegmentCollector, SortKeyComputer, TopDocs};
use tantivy::query::{AllQuery, BooleanQuery, ConstScoreQuery, Query, TermQuery, Weight};
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{DocAddress, DocId, Order, Score, SegmentReader, TantivyDocument, TantivyError, Term, TERMINATED};

const MATCHES_PER_CHECK: usize = 1024; // takes far less than 10 ms

pub struct Search<'a> {
    index: &'a SearchIndex,
    call: &'a Call,
    request: &'a SearchRequest,
    content: Arc<Content>,
    views: Arc<Views>,
}

/// Number of matches, and the first ones in order, up to the end of the page.
struct Found {
    total: usize,
    best_score: Score,
    first: Vec<(Score, DocAddress)>,
}

impl<'a> Search<'a> {
    pub fn begin(index: &'a SearchIndex, call: &'a Call, request: &'a SearchRequest) -> Outcome<Search<'a>> {
        Ok(Search { index, call, request, content: index.whole_content()?, views: index.views() })
    }

    /// `sink` returns whether it wants more hits.
    pub unsafe fn run(&self, answer: &mut SearchAnswer, sink: impl FnMut(&Hit) -> bool) -> Outcome<Status> {
        answer.any_word = 0;
        answer.total = 0;
        answer.revision = self.content.commit.revision;
        answer.lineage = self.content.commit.lineage;
        answer.views_revision = self.views.revision;
        let mut reader = Reader::new(Analysis::of(self.index.language));
        let query = match self.request.query.as_ref() {
            None => Box::new(AllQuery),
            Some(root) => {
                let parsed = reader.read(root);
                if parsed.matches_nothing() {
                    return Ok(kbase::OK);
                }
                let any_word = self.is_any_word_enough(&parsed)?;
                answer.any_word = any_word.into();
                if any_word {
                    parsed.any_word()
                } else {
                    parsed.all_words()
                }
            }
        };
        let found = self.find(self.in_category(query))?;
        answer.total = found.total as u64;
        self.show(&found, &mut reader, sink)
    }

    /// Decides on the whole index, before the category filter. If both rules match the same number of items, the rule
    /// is "all".
    fn is_any_word_enough(&self, parsed: &ParsedQuery) -> Outcome<bool> {
        if parsed.clauses.len() < 2 || self.request.fallback_below == 0 {
            return Ok(false);
        }
        let with_all = self.ask(&*parsed.all_words(), Count)?;
        Ok((with_all as u64) < self.request.fallback_below && self.ask(&*parsed.any_word(), Count)? != with_all)
    }

    /// Restricts `query` to the requested category, without a change of scores.
    unsafe fn in_category(&self, query: Box<dyn Query>) -> Box<dyn Query> {
        let Some(category) = self.request.category.as_ref() else { return query };
        let term = Term::from_field_text(fields().category, &text(*category));
        let filter = ConstScoreQuery::new(Box::new(TermQuery::new(term, IndexRecordOption::Basic)), 0.0);
        Box::new(BooleanQuery::intersection(vec![query, Box::new(filter)]))
    }

    fn find(&self, query: Box<dyn Query>) -> Outcome<Found> {
        let newest = (SortByStaticFastValue::<i64>::for_field(UPDATED), Order::Desc);
        let by_id = (SortByString::for_field(ID), Order::Asc);
        let score = SortBySimilarityScore; // last in a sort key: reported, but does not affect the order
        match self.request.sort {
            SORT_DATE => self.ranked(&*query, (newest, by_id, score), |key| key.2),
            SORT_POPULARITY => {
                let popularity = self.views.popularity(&self.content.searcher)?;
                let by_views = move |segment: &SegmentReader| {
                    let popularity = popularity[&segment.segment_id()].clone();
                    move |document: DocId| popularity.of(document)
                };
                self.ranked(&*query, (by_views, by_id, score), |key| key.2)
            }
            _ => self.ranked(&*query, (score, newest, by_id), |key| key.0),
        }
    }

    fn ranked<Key>(
        &self,
        query: &dyn Query,
        order: impl SortKeyComputer<SortKey = Key> + Send + 'static,
        score_of: impl Fn(&Key) -> Score,
    ) -> Outcome<Found>
    where
        Key: 'static + Clone + Send + Sync + std::fmt::Debug,
    {
        // Limit the page to the number of documents, however far it is.
        let (offset, documents) = (self.request.offset, self.content.searcher.num_docs());
        let end = if offset < documents { offset.saturating_add(self.request.limit).min(documents) } else { 0 };
        let page = TopDocs::with_limit(end.max(1) as usize).order_by(order);
        let (total, best, first) = self.ask(query, (Count, TopDocs::with_limit(1).order_by_score(), page))?;
        let best_score = best.first().map_or(1.0, |best| best.0);
        Ok(Found { total, best_score, first: first.iter().map(|(key, place)| (score_of(key), *place)).collect() })
    }

    /// Runs a tantivy search; fails if the call was cancelled or is past its deadline.
    fn ask<C: Collector>(&self, query: &dyn Query, collector: C) -> Outcome<C::Fruit> {
        let answer = self.content.searcher.search(query, &CancellableCollector { collector, call: self.call });
        answer.map_err(|error| self.call.check().err().unwrap_or_else(|| Failure::from(error)))
    }

    fn show(&self, found: &Found, reader: &mut Reader, mut sink: impl FnMut(&Hit) -> bool) -> Outcome<Status> {
        let fields = fields();
        let page = found.first.iter().skip(self.request.offset as usize).take(self.request.limit as usize);
        for (score, place) in page {
            self.call.check()?;
            let document: TantivyDocument = self.content.searcher.doc(*place)?;
            let stored = |field| document.get_first(field).and_then(|value| value.as_str()).unwrap_or_default();
            let excerpt = excerpt(stored(fields.content.stems), reader);
            let is_ranked = !self.request.query.is_null();
            let hit = Hit {
                struct_size: size_of::<Hit>() as u32,
                reserved: 0,
                relevance: if is_ranked { f64::from(*score) / f64::from(found.best_score) } else { 1.0 },
                id: view(stored(fields.id)),
                title: view(stored(fields.title.stems)),
                category: view(stored(fields.category)),
                excerpt: view(&excerpt),
                title_marks: std::ptr::null(),
                title_mark_count: 0,
                excerpt_marks: std::ptr::null(),
                excerpt_mark_count: 0,
            };
            if !sink(&hit) {
                return Ok(kbase::STOPPED);
            }
        }
        Ok(kbase::OK)
    }
}

type SegmentFruit<C> = <<C as Collector>::Child as SegmentCollector>::Fruit;

/// A collector that stops when the call ends. (tantivy's own loop stops only after the last match.)
struct CancellableCollector<'a, C> {
    collector: C,
    call: &'a Call,
}

impl<C: Collector> Collector for CancellableCollector<'_, C> {
    type Fruit = C::Fruit;
    type Child = C::Child;

    fn for_segment(&self, number: u32, segment: &SegmentReader) -> tantivy::Result<C::Child> {
        self.collector.for_segment(number, segment)
    }

    fn requires_scoring(&self) -> bool {
        self.collector.requires_scoring()
    }

    fn merge_fruits(&self, fruits: Vec<SegmentFruit<C>>) -> tantivy::Result<C::Fruit> {
        self.collector.merge_fruits(fruits)
    }

    fn collect_segment(
        &self,
        weight: &dyn Weight,
        number: u32,
        segment: &SegmentReader,
    ) -> tantivy::Result<SegmentFruit<C>> {
        let mut collector = self.collector.for_segment(number, segment)?;
        let with_score = self.requires_scoring();
        let mut matches = weight.scorer(segment, 1.0)?;
        for count in 0.. {
            let document = matches.doc();
            if document == TERMINATED {
                break;
            }
            if count % MATCHES_PER_CHECK == 0 && self.call.check().is_err() {
                return Err(TantivyError::InternalError("the call has to end".to_owned()));
            }
            if segment.alive_bitset().is_none_or(|alive| alive.is_alive(document)) {
                collector.collect(document, if with_score { matches.score() } else { 0.0 });
            }
            matches.advance();
        }
        Ok(collector.harvest())
    }
}
