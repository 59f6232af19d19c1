// SPDX-License-Identifier: Apache-2.0
//! tantivy as a peer of the search engine: the protocol is described in tests/bench/search_peer.cpp.
//!
//! One field has title (twice, as its weight), tags and content, each value apart from the next, so that no phrase spans
//! two. With --fields, title (with twice the weight), tags and content are three fields, and a word matches in any of
//! them. The content is stored for excerpts.
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{stdin, stdout, BufRead, BufReader, Write};
use std::time::Instant;

use tantivy::collector::{Count, TopDocs};
use tantivy::query::{BooleanQuery, BoostQuery, FuzzyTermQuery, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, Value, FAST, STORED};
use tantivy::snippet::SnippetGenerator;
use tantivy::{DocAddress, Index, IndexWriter, Searcher, TantivyDocument, Term};

type Outcome<T> = Result<T, Box<dyn Error>>;

const WRITER_BYTES: usize = 512 << 20;
const EXCERPT_CHARACTERS: usize = 240;

/// A searched field, the weight of its words, and the columns of an item that it has.
struct Text {
    field: Field,
    weight: f32,
    parts: Vec<usize>,
}

struct Fields {
    texts: Vec<Text>,
    content: Field,
    number: Field,
}

fn fields(apart: bool) -> (Schema, Fields) {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("en_stem")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let columns: Vec<(&str, f32, Vec<usize>)> = if apart {
        vec![("title", 2.0, vec![0]), ("tags", 1.0, vec![1]), ("text", 1.0, vec![2])]
    } else {
        vec![("text", 1.0, vec![0, 0, 1, 2])]
    };
    let mut schema = Schema::builder();
    let mut texts = Vec::new();
    for (name, weight, parts) in columns {
        let field = schema.add_text_field(name, TextOptions::default().set_indexing_options(indexing.clone()));
        texts.push(Text { field, weight, parts });
    }
    let fields = Fields {
        texts,
        content: schema.add_text_field("content", STORED),
        number: schema.add_u64_field("number", FAST),
    };
    (schema.build(), fields)
}

fn index(apart: bool, items: &str, folder: &str) -> Outcome<()> {
    let (schema, fields) = fields(apart);
    let index = Index::create_in_dir(folder, schema)?;
    let threads = std::env::var("KBASE_PEER_THREADS").map_or(Ok(1), |threads| threads.parse())?;
    let mut writer: IndexWriter = index.writer_with_num_threads(threads, WRITER_BYTES)?;
    for (number, line) in BufReader::new(File::open(items)?).lines().enumerate() {
        let line = line?;
        let parts: Vec<&str> = line.splitn(3, '\t').collect();
        let mut document = TantivyDocument::default();
        for text in &fields.texts {
            for &part in &text.parts {
                document.add_text(text.field, parts[part]);
            }
        }
        document.add_text(fields.content, parts[2]);
        document.add_u64(fields.number, number as u64);
        writer.add_document(document)?;
    }
    writer.commit()?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.garbage_collect_files().wait()?;
    writer.wait_merging_threads()?;
    Ok(())
}

struct Peer {
    searcher: Searcher,
    index: Index,
    fields: Fields,
}

impl Peer {
    fn open(apart: bool, folder: &str) -> Outcome<Peer> {
        let index = Index::open_in_dir(folder)?;
        let searcher = index.reader()?.searcher();
        Ok(Peer { searcher, index, fields: fields(apart).1 })
    }

    fn words(&self, text: &str) -> Outcome<Vec<String>> {
        let mut analyzer = self.index.tokenizer_for_field(self.fields.texts[0].field)?;
        let mut stream = analyzer.token_stream(text);
        let mut words = Vec::new();
        while stream.advance() {
            words.push(stream.token().text.clone());
        }
        Ok(words)
    }

    fn query(&self, mode: &str, text: &str) -> Outcome<Box<dyn Query>> {
        if mode == "prefix" {
            let start = text.to_lowercase();
            return Ok(self.in_any_field(|field| {
                Box::new(FuzzyTermQuery::new_prefix(Term::from_field_text(field, &start), 0, false))
            }));
        }
        let words = self.words(text)?;
        if mode == "typo" && words.len() == 1 {
            return Ok(self.in_any_field(|field| {
                Box::new(FuzzyTermQuery::new(Term::from_field_text(field, &words[0]), 1, true))
            }));
        }
        if mode == "phrase" && words.len() > 1 {
            return Ok(self.in_any_field(|field| {
                Box::new(PhraseQuery::new(words.iter().map(|word| Term::from_field_text(field, word)).collect()))
            }));
        }
        let term = |word: &str, field: Field| -> Box<dyn Query> {
            Box::new(TermQuery::new(Term::from_field_text(field, word), IndexRecordOption::WithFreqs))
        };
        if mode == "and" {
            let mut all: Vec<_> = words.iter().map(|word| self.in_any_field(|field| term(word, field))).collect();
            return Ok(if all.len() == 1 { all.remove(0) } else { Box::new(BooleanQuery::intersection(all)) });
        }
        // Any word: one flat union, which lets block-max WAND work.
        Ok(union(words.iter().flat_map(|word| self.in_each_field(|field| term(word, field))).collect()))
    }

    fn in_any_field(&self, make: impl Fn(Field) -> Box<dyn Query>) -> Box<dyn Query> {
        union(self.in_each_field(make))
    }

    /// Returns a query for each searched field, with its weight.
    fn in_each_field(&self, make: impl Fn(Field) -> Box<dyn Query>) -> Vec<Box<dyn Query>> {
        let weighted = |text: &Text| -> Box<dyn Query> {
            let query = make(text.field);
            if text.weight == 1.0 { query } else { Box::new(BoostQuery::new(query, text.weight)) }
        };
        self.fields.texts.iter().map(weighted).collect()
    }

    /// Returns the best hits, and their total if requested. A collector that also counts must visit every match, which
    /// costs less than a second look for queries that match little; for the others the best are found by skipping, and
    /// counted apart.
    fn find(&self, query: &dyn Query, mode: &str, best: usize, counts: bool) -> Outcome<(usize, Vec<DocAddress>)> {
        let top = TopDocs::with_limit(best).order_by_score();
        let (total, hits) = match (counts, mode) {
            (false, _) => (0, self.searcher.search(query, &top)?),
            (true, "and" | "phrase") => self.searcher.search(query, &(Count, top))?,
            (true, _) => (self.searcher.search(query, &Count)?, self.searcher.search(query, &top)?),
        };
        Ok((total, hits.into_iter().map(|(_, address)| address).collect()))
    }

    fn excerpts(&self, query: &dyn Query, hits: &[DocAddress]) -> Outcome<usize> {
        let highlighted = self.fields.texts.last().ok_or("no text field")?.field;
        let mut generator = SnippetGenerator::create(&self.searcher, query, highlighted)?;
        generator.set_max_num_chars(EXCERPT_CHARACTERS);
        for address in hits {
            let document: TantivyDocument = self.searcher.doc(*address)?;
            let content = document.get_first(self.fields.content).and_then(|value| value.as_str()).unwrap_or("");
            black_box(generator.snippet(content).to_html());
        }
        Ok(hits.len())
    }

    fn answer(&self, request: &str) -> Outcome<String> {
        let parts: Vec<&str> = request.splitn(4, '\t').collect();
        let (operation, mode, best, words) = (parts[0], parts[1], parts[2].parse()?, parts[3]);
        let mut start = Instant::now();
        let query = self.query(mode, words)?;
        let (mut total, hits) = self.find(&*query, mode, best, operation == "count")?;
        if operation == "snip" {
            start = Instant::now();
            total = self.excerpts(&*query, &hits)?;
        }
        let nanoseconds = start.elapsed().as_nanos();
        let mut numbers = Vec::new();
        for address in hits {
            let column = self.searcher.segment_reader(address.segment_ord).fast_fields().u64("number")?;
            numbers.push(column.first(address.doc_id).unwrap_or(0).to_string());
        }
        Ok(format!("{total}\t{nanoseconds}\t{}\n", numbers.join(",")))
    }
}

fn union(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    if queries.len() == 1 { queries.remove(0) } else { Box::new(BooleanQuery::union(queries)) }
}

fn answer_all(apart: bool, folder: &str) -> Outcome<()> {
    let peer = Peer::open(apart, folder)?;
    for line in stdin().lock().lines() {
        let mut out = stdout().lock();
        out.write_all(peer.answer(&line?)?.as_bytes())?;
        out.flush()?;
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let apart = arguments.first().is_some_and(|first| first == "--fields");
    if apart {
        arguments.remove(0);
    }
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["version"] => println!("{}", tantivy::version_string()),
        ["index", items, folder] => index(apart, items, folder)?,
        ["query", folder] => answer_all(apart, folder)?,
        _ => return Err("usage: tantivy_peer [--fields] version | index ITEMS FOLDER | query FOLDER".into()),
    }
    Ok(())
}
