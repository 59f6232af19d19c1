// SPDX-License-Identifier: Apache-2.0
//! From the port's query tree to tantivy's queries.

use crate::boundary::text;
use crate::kbase::{self, QueryNode};
use crate::schema::{Fields, Searched};
use std::collections::HashSet;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, PhrasePrefixQuery, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::Term;

/// What a word's exact form counts beside its stem.
const EXACT_WEIGHT: f32 = 0.2;

struct Word {
    exact: String,
    stem: String,
}

/// What excerpts look for.
#[derive(Default)]
pub struct Marks {
    pub stems: HashSet<String>,
    pub prefixes: Vec<String>,
}

/// A tree as it was read: every phrase, no exclusion, and all or any of the clauses. A node without a word is left out.
pub struct Reading {
    fields: &'static Fields,
    exact: TextAnalyzer,
    stems: TextAnalyzer,
    pub clauses: Vec<Box<dyn Query>>,
    phrases: Vec<Box<dyn Query>>,
    exclusions: Vec<Box<dyn Query>>,
    pub marks: Marks,
}

impl Reading {
    /// The root is an ALL_OF. The analysis has to be that of the items.
    pub unsafe fn of(root: &QueryNode, fields: &'static Fields, exact: TextAnalyzer, stems: TextAnalyzer) -> Reading {
        let (clauses, phrases, exclusions) = (Vec::new(), Vec::new(), Vec::new());
        let mut reading = Reading { fields, exact, stems, clauses, phrases, exclusions, marks: Marks::default() };
        for node in children(root) {
            reading.add(node);
        }
        reading
    }

    /// Nothing but exclusions, or not even those.
    pub fn matches_nothing(&self) -> bool {
        self.clauses.is_empty() && self.phrases.is_empty()
    }

    pub fn all_words(&self) -> Box<dyn Query> {
        self.with(BooleanQuery::intersection(self.clauses.clone()))
    }

    pub fn any_word(&self) -> Box<dyn Query> {
        self.with(BooleanQuery::union(self.clauses.clone()))
    }

    fn with(&self, clauses: BooleanQuery) -> Box<dyn Query> {
        let mut parts: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        if !self.clauses.is_empty() {
            parts.push((Occur::Must, Box::new(clauses)));
        }
        parts.extend(self.phrases.iter().map(|phrase| (Occur::Must, phrase.clone())));
        parts.extend(self.exclusions.iter().map(|exclusion| (Occur::MustNot, exclusion.clone())));
        Box::new(BooleanQuery::new(parts))
    }

    unsafe fn add(&mut self, node: &QueryNode) {
        match node.kind {
            kbase::QUERY_WORD => {
                for run in self.runs(&text(node.text)) {
                    self.mark(&run);
                    let clause = self.side_by_side(&run);
                    self.clauses.extend(clause);
                }
            }
            kbase::QUERY_PREFIX => {
                let clause = self.alternative(node);
                self.clauses.extend(clause);
            }
            kbase::QUERY_PHRASE => {
                let phrase = self.alternative(node);
                self.phrases.extend(phrase);
            }
            kbase::QUERY_ANY_OF => {
                let alternatives: Vec<_> = children(node).filter_map(|child| self.alternative(child)).collect();
                if !alternatives.is_empty() {
                    self.clauses.push(Box::new(BooleanQuery::union(alternatives)));
                }
            }
            kbase::QUERY_NOT => {
                for child in children(node) {
                    let words: Vec<Word> = self.runs(&text(child.text)).into_iter().flatten().collect();
                    let is_prefix = child.kind == kbase::QUERY_PREFIX;
                    let occurs = if is_prefix { self.prefix(&words) } else { self.side_by_side(&words) };
                    self.exclusions.extend(occurs);
                }
            }
            _ => {} // of a newer server
        }
    }

    /// A node as one thing that holds or doesn't.
    unsafe fn alternative(&mut self, node: &QueryNode) -> Option<Box<dyn Query>> {
        let runs = self.runs(&text(node.text));
        if node.kind == kbase::QUERY_WORD {
            runs.iter().for_each(|run| self.mark(run));
            let parts: Vec<_> = runs.iter().filter_map(|run| self.side_by_side(run)).collect();
            return if parts.is_empty() { None } else { Some(Box::new(BooleanQuery::intersection(parts))) };
        }
        let words: Vec<Word> = runs.into_iter().flatten().collect();
        if node.kind == kbase::QUERY_PREFIX {
            let (last, before) = words.split_last()?;
            self.mark(before);
            self.marks.prefixes.push(last.exact.clone());
            return self.prefix(&words);
        }
        self.mark(&words);
        self.side_by_side(&words)
    }

    /// The words of a text: parted where something stands between them, together where they touch, as the letters of
    /// a Chinese word do.
    fn runs(&mut self, text: &str) -> Vec<Vec<Word>> {
        let mut stems = Vec::new();
        self.stems.token_stream(text).process(&mut |token| stems.push(token.text.clone()));
        let mut stems = stems.into_iter(); // as many as there are words
        let mut runs: Vec<Vec<Word>> = Vec::new();
        let mut end = None;
        self.exact.token_stream(text).process(&mut |token| {
            let word = Word { exact: token.text.clone(), stem: stems.next().unwrap_or_default() };
            match runs.last_mut() {
                Some(run) if end == Some(token.offset_from) => run.push(word),
                _ => runs.push(vec![word]),
            }
            end = Some(token.offset_to);
        });
        runs
    }

    fn mark(&mut self, words: &[Word]) {
        self.marks.stems.extend(words.iter().map(|word| word.stem.clone()));
    }

    /// The words within one field or tag, in this order, whatever their inflection.
    fn side_by_side(&self, words: &[Word]) -> Option<Box<dyn Query>> {
        let mut in_fields: Vec<Box<dyn Query>> = Vec::new();
        for field in self.fields.searched() {
            match words {
                [] => return None,
                [word] => {
                    in_fields.push(boosted(term(field.stems, &word.stem), field.weight));
                    in_fields.push(boosted(term(field.exact, &word.exact), field.weight * EXACT_WEIGHT));
                }
                _ => {
                    let terms = words.iter().map(|word| Term::from_field_text(field.stems, &word.stem)).collect();
                    in_fields.push(boosted(PhraseQuery::new(terms), field.weight));
                }
            }
        }
        Some(Box::new(BooleanQuery::union(in_fields)))
    }

    /// The same, but the last word is the beginning of one.
    fn prefix(&self, words: &[Word]) -> Option<Box<dyn Query>> {
        if words.is_empty() {
            return None;
        }
        let in_field = |field: Searched| {
            let terms = words.iter().map(|word| Term::from_field_text(field.exact, &word.exact)).collect();
            let mut query = PhrasePrefixQuery::new(terms);
            query.set_max_expansions(u32::MAX); // the port wants them all
            boosted(query, field.weight)
        };
        Some(Box::new(BooleanQuery::union(self.fields.searched().map(in_field).into())))
    }
}

unsafe fn children<'a>(node: &QueryNode) -> impl Iterator<Item = &'a QueryNode> {
    std::iter::successors(node.first_child.as_ref(), |child| child.next.as_ref())
}

fn term(field: Field, word: &str) -> TermQuery {
    TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs)
}

fn boosted(query: impl Query, weight: f32) -> Box<dyn Query> {
    Box::new(BoostQuery::new(Box::new(query), weight))
}
