// SPDX-License-Identifier: Apache-2.0
//! A search: which rule applies, what matches, and the page that is shown of it.

use crate::boundary::{text, view, Call, Failure, Outcome};
use crate::excerpt::Excerpts;
use crate::index::{Content, SearchIndex};
use crate::kbase::{self, Hit, SearchRequest};
use crate::query::{Marks, Reading};
use crate::schema::{self, ID, UPDATED};
use crate::views::{ByViews, Views};
use crate::words;
use std::mem::size_of;
use std::sync::Arc;
use tantivy::collector::sort_key::{SortBySimilarityScore, SortByStaticFastValue, SortByString};
use tantivy::collector::{Collector, Count, SegmentCollector, SortKeyComputer, TopDocs};
use tantivy::query::{AllQuery, BooleanQuery, ConstScoreQuery, Query, TermQuery, Weight};
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{DocAddress, Order, Score, SegmentReader, TantivyDocument, TantivyError, Term, TERMINATED};

const MATCHES_BETWEEN_LOOKS: usize = 1024; // far less than 10 ms

#[derive(Default)]
pub struct Answer {
    pub any_word: bool,
    pub total: u64,
    pub revision: u64,
    pub views_revision: u64,
    pub lineage: [u8; 16],
    pub is_stopped: bool, // the sink wanted no more
}

/// The best `room` of what matches, in the order asked for.
struct Found {
    total: usize,
    best_score: Score,
    best: Vec<(Score, DocAddress)>,
}

pub struct Search<'a> {
    index: &'a SearchIndex,
    call: &'a Call,
    request: &'a SearchRequest,
    content: Arc<Content>,
    views: Arc<Views>,
}

impl<'a> Search<'a> {
    pub fn begin(index: &'a SearchIndex, call: &'a Call, request: &'a SearchRequest) -> Outcome<Search<'a>> {
        Ok(Search { index, call, request, content: index.content()?, views: index.views() })
    }

    /// `sink` says whether it wants more.
    pub unsafe fn run(&self, sink: impl FnMut(&Hit) -> bool) -> Outcome<Answer> {
        let mut answer = Answer {
            revision: self.content.commit.revision,
            lineage: self.content.commit.lineage,
            views_revision: self.views.revision,
            ..Answer::default()
        };
        let (query, marks) = match self.request.query.as_ref() {
            None => (None, Marks::default()),
            Some(root) => {
                let analysis = (words::exact_words(), words::stems(self.index.language));
                let reading = Reading::of(root, schema::fields(), analysis.0, analysis.1);
                if reading.matches_nothing() {
                    return Ok(answer);
                }
                answer.any_word = self.is_any_word_enough(&reading)?;
                let query = if answer.any_word { reading.any_word() } else { reading.all_words() };
                (Some(query), reading.marks)
            }
        };
        let found = self.find(self.in_category(query))?;
        answer.total = found.total as u64;
        answer.is_stopped = self.show(&found, &marks, sink)?;
        Ok(answer)
    }

    /// Decided on the whole index, before the category filter. Where both rules match the same items it is "all".
    fn is_any_word_enough(&self, reading: &Reading) -> Outcome<bool> {
        if reading.clauses.len() < 2 || self.request.fallback_below == 0 {
            return Ok(false);
        }
        let with_all = self.ask(&reading.all_words(), Count)?;
        if with_all as u64 >= self.request.fallback_below {
            return Ok(false);
        }
        Ok(self.ask(&reading.any_word(), Count)? != with_all)
    }

    /// What the query matches (None: everything) of the category that is asked for, which adds nothing to the score.
    unsafe fn in_category(&self, query: Option<Box<dyn Query>>) -> Box<dyn Query> {
        let Some(category) = self.request.category.as_ref() else { return query.unwrap_or(Box::new(AllQuery)) };
        let term = Term::from_field_text(schema::fields().category, &text(*category));
        let filter = Box::new(TermQuery::new(term, IndexRecordOption::Basic));
        match query {
            None => Box::new(ConstScoreQuery::new(filter, 1.0)),
            Some(query) => {
                Box::new(BooleanQuery::intersection(vec![query, Box::new(ConstScoreQuery::new(filter, 0.0))]))
            }
        }
    }

    fn find(&self, query: Box<dyn Query>) -> Outcome<Found> {
        let newest = (SortByStaticFastValue::<i64>::for_field(UPDATED), Order::Desc);
        let by_id = (SortByString::for_field(ID), Order::Asc);
        let score = SortBySimilarityScore; // of no weight at the end, where it only is to be known
        match self.request.sort {
            kbase::SORT_DATE => self.ranked(&query, (newest, by_id, score), |key| key.2),
            kbase::SORT_POPULARITY => {
                let by_views = ByViews(self.content.counted(&self.views)?);
                self.ranked(&query, (by_views, by_id, score), |key| key.2)
            }
            _ => self.ranked(&query, (score, newest, by_id), |key| key.0),
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
        let room = self.room();
        if room == 0 {
            return Ok(Found { total: self.ask(query, Count)?, best_score: 1.0, best: Vec::new() });
        }
        let page = TopDocs::with_limit(room).order_by(order);
        let first = TopDocs::with_limit(1).order_by_score();
        let (total, page, first) = self.ask(query, (Count, page, first))?;
        let best_score = first.first().map_or(1.0, |(score, _)| *score);
        Ok(Found { total, best_score, best: page.iter().map(|(key, document)| (score_of(key), *document)).collect() })
    }

    /// How many of the best have to be kept to show the page: no more than there are documents, however far the page is.
    fn room(&self) -> usize {
        let documents = self.content.searcher.num_docs();
        let shown = self.request.limit.min(documents.saturating_sub(self.request.offset));
        if shown == 0 {
            return 0;
        }
        (self.request.offset + shown) as usize
    }

    /// The answer of tantivy, unless nobody waits for it any more.
    fn ask<C: Collector>(&self, query: &dyn Query, collector: C) -> Outcome<C::Fruit> {
        let answer = self.content.searcher.search(query, &Watched { collector, call: self.call });
        answer.map_err(|error| self.call.check().err().unwrap_or_else(|| Failure::from(error)))
    }

    fn show(&self, found: &Found, marks: &Marks, mut sink: impl FnMut(&Hit) -> bool) -> Outcome<bool> {
        let fields = schema::fields();
        let mut excerpts = Excerpts::new(marks, words::exact_words(), words::stems(self.index.language));
        for (score, address) in found.best.iter().skip(self.request.offset as usize) {
            self.call.check()?;
            let document: TantivyDocument = self.content.searcher.doc(*address)?;
            let stored = |field| document.get_first(field).and_then(|value| value.as_str()).unwrap_or_default();
            let excerpt = excerpts.of(stored(fields.content.stems));
            let hit = Hit {
                struct_size: size_of::<Hit>() as u32,
                reserved: 0,
                relevance: f64::from(*score) / f64::from(found.best_score),
                id: view(stored(fields.id)),
                title: view(stored(fields.title.stems)),
                category: view(stored(fields.category)),
                excerpt: view(&excerpt),
            };
            if !sink(&hit) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// A collector that gives up when the call has to end. (tantivy's own loop ends with the last match alone.)
struct Watched<'a, C> {
    collector: C,
    call: &'a Call,
}

impl<C: Collector> Collector for Watched<'_, C> {
    type Fruit = C::Fruit;
    type Child = C::Child;

    fn for_segment(&self, number: u32, segment: &SegmentReader) -> tantivy::Result<C::Child> {
        self.collector.for_segment(number, segment)
    }

    fn requires_scoring(&self) -> bool {
        self.collector.requires_scoring()
    }

    fn merge_fruits(&self, fruits: Vec<<C::Child as SegmentCollector>::Fruit>) -> tantivy::Result<C::Fruit> {
        self.collector.merge_fruits(fruits)
    }

    fn collect_segment(
        &self,
        weight: &dyn Weight,
        number: u32,
        segment: &SegmentReader,
    ) -> tantivy::Result<<C::Child as SegmentCollector>::Fruit> {
        let mut collector = self.collector.for_segment(number, segment)?;
        let with_score = self.requires_scoring();
        let mut matches = weight.scorer(segment, 1.0)?;
        for count in 0.. {
            let document = matches.doc();
            if document == TERMINATED {
                break;
            }
            if count % MATCHES_BETWEEN_LOOKS == 0 && self.call.check().is_err() {
                return Err(TantivyError::InternalError("the call has to end".to_owned()));
            }
            if segment.alive_bitset().map_or(true, |alive| alive.is_alive(document)) {
                collector.collect(document, if with_score { matches.score() } else { 0.0 });
            }
            matches.advance();
        }
        Ok(collector.harvest())
    }
}
