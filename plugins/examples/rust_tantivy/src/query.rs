// SPDX-License-Identifier: Apache-2.0
//! Translates the port's query tree to tantivy queries.

use crate::boundary::text;
use crate::search_index::{QueryNode, QUERY_ANY_OF, QUERY_NOT, QUERY_PHRASE, QUERY_PREFIX, QUERY_WORD};
use crate::schema::{fields, Fields, Searched};
use crate::words::Analysis;
use std::collections::HashSet;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, PhrasePrefixQuery, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::Term;

/// Weight of a word's exact form; the stem has weight 1.
const EXACT_WEIGHT: f32 = 0.2;

type Queries = Vec<Box<dyn Query>>;

/// A parsed query tree: all phrases, no exclusion, and all or any of the clauses. Nodes without words are left out.
#[derive(Default)]
pub struct ParsedQuery {
    pub clauses: Queries,
    phrases: Queries,
    exclusions: Queries,
}

impl ParsedQuery {
    /// True if the query has no clauses and no phrases.
    pub fn matches_nothing(&self) -> bool {
        self.clauses.is_empty() && self.phrases.is_empty()
    }

    pub fn all_words(&self) -> Box<dyn Query> {
        self.with(Occur::Must)
    }

    pub fn any_word(&self) -> Box<dyn Query> {
        self.with(Occur::Should)
    }

    fn with(&self, rule: Occur) -> Box<dyn Query> {
        let joined = |occur: Occur, queries: &Queries| -> Box<dyn Query> {
            Box::new(BooleanQuery::new(queries.iter().map(|query| (occur, query.box_clone())).collect()))
        };
        let mut parts = vec![(Occur::MustNot, joined(Occur::Should, &self.exclusions))];
        for (rule, queries) in [(rule, &self.clauses), (Occur::Must, &self.phrases)] {
            if !queries.is_empty() {
                parts.push((Occur::Must, joined(rule, queries)));
            }
        }
        Box::new(BooleanQuery::new(parts))
    }
}

#[derive(Clone)]
struct Word {
    exact: String,
    stem: String,
}

/// Parser of query trees. Collects the words that excerpts look for.
pub struct Reader {
    pub analysis: Analysis,
    pub stems: HashSet<String>,
    pub prefixes: Vec<String>,
}

impl Reader {
    pub fn new(analysis: Analysis) -> Reader {
        Reader { analysis, stems: HashSet::new(), prefixes: Vec::new() }
    }

    /// The root is an ALL_OF node.
    pub unsafe fn read(&mut self, root: &QueryNode) -> ParsedQuery {
        let mut parsed = ParsedQuery::default();
        for node in children(root) {
            self.add(node, &mut parsed);
        }
        parsed
    }

    unsafe fn add(&mut self, node: &QueryNode, parsed: &mut ParsedQuery) {
        match node.kind {
            QUERY_ANY_OF => {
                let mut alternatives = Queries::new();
                for child in children(node) {
                    let mut alternative = ParsedQuery::default();
                    self.add(child, &mut alternative);
                    if !alternative.matches_nothing() {
                        alternatives.push(alternative.all_words());
                    }
                }
                if !alternatives.is_empty() {
                    parsed.clauses.push(Box::new(BooleanQuery::union(alternatives)));
                }
            }
            QUERY_NOT => {
                for child in children(node) {
                    let words = self.split_runs(child).concat();
                    let occurs = if child.kind == QUERY_PREFIX { prefix(&words) } else { side_by_side(&words) };
                    parsed.exclusions.extend(occurs);
                }
            }
            QUERY_WORD => {
                for run in self.split_runs(node) {
                    self.add_stems(&run);
                    parsed.clauses.extend(side_by_side(&run));
                }
            }
            QUERY_PHRASE => {
                let words = self.split_runs(node).concat();
                self.add_stems(&words);
                parsed.phrases.extend(side_by_side(&words));
            }
            QUERY_PREFIX => {
                let words = self.split_runs(node).concat();
                if let Some((last, before)) = words.split_last() {
                    self.add_stems(before);
                    self.prefixes.push(last.exact.clone());
                }
                parsed.clauses.extend(prefix(&words));
            }
            _ => {} // node kind of a newer server
        }
    }

    /// Splits a text into runs of adjacent words: words that touch form one run, like the letters of a Chinese word.
    unsafe fn split_runs(&mut self, node: &QueryNode) -> Vec<Vec<Word>> {
        let mut runs: Vec<Vec<Word>> = Vec::new();
        let mut end = None;
        self.analysis.each_word(&text(node.text), |exact, stem| {
            let word = Word { exact: exact.text.clone(), stem: stem.to_owned() };
            match runs.last_mut() {
                Some(run) if end == Some(exact.offset_from) => run.push(word),
                _ => runs.push(vec![word]),
            }
            end = Some(exact.offset_to);
        });
        runs
    }

    fn add_stems(&mut self, words: &[Word]) {
        self.stems.extend(words.iter().map(|word| word.stem.clone()));
    }
}

unsafe fn children<'a>(node: &QueryNode) -> impl Iterator<Item = &'a QueryNode> {
    std::iter::successors(node.first_child.as_ref(), |child| child.next.as_ref())
}

/// Matches the words within one field or tag, in this order, by their stems.
fn side_by_side(words: &[Word]) -> Option<Box<dyn Query>> {
    in_any_field(|field| match words {
        [] => None,
        [word] => Some(Box::new(BooleanQuery::union(vec![
            Box::new(TermQuery::new(term(field.stems, &word.stem), IndexRecordOption::WithFreqs)),
            boosted(TermQuery::new(term(field.exact, &word.exact), IndexRecordOption::WithFreqs), EXACT_WEIGHT),
        ]))),
        _ => Some(Box::new(PhraseQuery::new(words.iter().map(|word| term(field.stems, &word.stem)).collect()))),
    })
}

/// Matches the exact words in this order; the last one as a prefix.
fn prefix(words: &[Word]) -> Option<Box<dyn Query>> {
    in_any_field(|field| {
        if words.is_empty() {
            return None;
        }
        let mut query = PhrasePrefixQuery::new(words.iter().map(|word| term(field.exact, &word.exact)).collect());
        query.set_max_expansions(u32::MAX); // the port requires all matches
        Some(Box::new(query))
    })
}

fn in_any_field(query_of: impl Fn(Searched) -> Option<Box<dyn Query>>) -> Option<Box<dyn Query>> {
    let Fields { title, tags, content, .. } = *fields();
    let queries = [title, tags, content].map(|field| Some(boosted(query_of(field)?, field.weight)));
    Some(Box::new(BooleanQuery::union(queries.into_iter().collect::<Option<_>>()?)))
}

fn term(field: Field, word: &str) -> Term {
    Term::from_field_text(field, word)
}

fn boosted(query: impl Query, weight: f32) -> Box<dyn Query> {
    Box::new(BoostQuery::new(Box::new(query), weight))
}
