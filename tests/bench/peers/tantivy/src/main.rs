// SPDX-License-Identifier: Apache-2.0
//! tantivy as a peer of the search engine: the protocol is described in tests/bench/search_peer.cpp.
//!
//! One field has title (twice, as its weight), tags and content, each value apart from the next, so that no phrase spans
//! two: one posting list a word, which is what answers fastest. The content is stored for excerpts.
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::{stdin, stdout, BufRead, BufReader, Write};
use std::time::Instant;

use tantivy::collector::{Count, TopDocs};
use tantivy::query::{BooleanQuery, FuzzyTermQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, Value, FAST, STORED};
use tantivy::snippet::SnippetGenerator;
use tantivy::{DocAddress, Index, IndexWriter, Searcher, TantivyDocument, Term};

type Outcome<T> = Result<T, Box<dyn Error>>;

const WRITER_BYTES: usize = 512 << 20;
const EXCERPT_CHARACTERS: usize = 240;

#[derive(Clone, Copy)]
struct Fields {
    text: Field,
    content: Field,
    number: Field,
}

fn fields() -> (Schema, Fields) {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("en_stem")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let mut schema = Schema::builder();
    let fields = Fields {
        text: schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing)),
        content: schema.add_text_field("content", STORED),
        number: schema.add_u64_field("number", FAST),
    };
    (schema.build(), fields)
}

fn index(items: &str, folder: &str) -> Outcome<()> {
    let (schema, fields) = fields();
    let index = Index::create_in_dir(folder, schema)?;
    let mut writer: IndexWriter = index.writer_with_num_threads(1, WRITER_BYTES)?;
    for (number, line) in BufReader::new(File::open(items)?).lines().enumerate() {
        let line = line?;
        let parts: Vec<&str> = line.splitn(3, '\t').collect();
        let mut document = TantivyDocument::default();
        for part in [0, 0, 1, 2] {
            document.add_text(fields.text, parts[part]);
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
    fn open(folder: &str) -> Outcome<Peer> {
        let index = Index::open_in_dir(folder)?;
        let searcher = index.reader()?.searcher();
        Ok(Peer { searcher, index, fields: fields().1 })
    }

    fn terms(&self, words: &str) -> Outcome<Vec<Term>> {
        let mut analyzer = self.index.tokenizer_for_field(self.fields.text)?;
        let mut stream = analyzer.token_stream(words);
        let mut terms = Vec::new();
        while stream.advance() {
            terms.push(Term::from_field_text(self.fields.text, &stream.token().text));
        }
        Ok(terms)
    }

    fn query(&self, mode: &str, words: &str) -> Outcome<Box<dyn Query>> {
        if mode == "prefix" {
            let start = Term::from_field_text(self.fields.text, &words.to_lowercase());
            return Ok(Box::new(FuzzyTermQuery::new_prefix(start, 0, false)));
        }
        let mut terms = self.terms(words)?;
        if mode == "typo" && terms.len() == 1 {
            return Ok(Box::new(FuzzyTermQuery::new(terms.remove(0), 1, true)));
        }
        if mode == "phrase" && terms.len() > 1 {
            return Ok(Box::new(PhraseQuery::new(terms)));
        }
        let occur = if mode == "and" { Occur::Must } else { Occur::Should };
        let mut parts: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for term in terms {
            parts.push((occur, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))));
        }
        Ok(if parts.len() == 1 { parts.remove(0).1 } else { Box::new(BooleanQuery::new(parts)) })
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
        let mut generator = SnippetGenerator::create(&self.searcher, query, self.fields.text)?;
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

fn answer_all(folder: &str) -> Outcome<()> {
    let peer = Peer::open(folder)?;
    for line in stdin().lock().lines() {
        let mut out = stdout().lock();
        out.write_all(peer.answer(&line?)?.as_bytes())?;
        out.flush()?;
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["version"] => println!("{}", tantivy::version_string()),
        ["index", items, folder] => index(items, folder)?,
        ["query", folder] => answer_all(folder)?,
        _ => return Err("usage: tantivy_peer version | index ITEMS FOLDER | query FOLDER".into()),
    }
    Ok(())
}
