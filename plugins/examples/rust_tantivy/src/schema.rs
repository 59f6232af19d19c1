// SPDX-License-Identifier: Apache-2.0
//! What the index keeps of an item, and what a commit says of itself.

use crate::boundary::{Failure, Outcome};
use crate::words;
use serde_json::{json, Value as Json};
use std::path::Path;
use std::sync::LazyLock;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, FAST, STORED, STRING};
use tantivy::tokenizer::Language;
use tantivy::{Index, IndexMeta};

/// Part of the fingerprint: goes up with every change of what is stored or how it is analysed.
const FORMAT: u32 = 1;

const STEMS: &str = "stems";
const EXACT: &str = "exact";

/// The names of the columns that results are ordered by.
pub const ID: &str = "id";
pub const UPDATED: &str = "updated";
pub const VIEWS: &str = "views";

/// A part of an item that is searched, with its weight beside the others. Words match by their stems; the exact forms
/// are for prefixes, and rank a little higher.
#[derive(Clone, Copy)]
pub struct Searched {
    pub stems: Field,
    pub exact: Field,
    pub weight: f32,
}

#[derive(Clone, Copy)]
pub struct Fields {
    pub id: Field,
    pub category: Field,
    pub updated: Field,
    pub views: Field,
    pub title: Searched,
    pub tags: Searched,
    pub content: Searched,
}

impl Fields {
    pub fn searched(&self) -> [Searched; 3] {
        [self.title, self.tags, self.content]
    }
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let analysed = |analysis: &str| {
        let indexing = TextFieldIndexing::default().set_tokenizer(analysis);
        let indexing = indexing.set_index_option(IndexRecordOption::WithFreqsAndPositions);
        TextOptions::default().set_indexing_options(indexing)
    };
    let mut searched = |name: &str, weight, stems: TextOptions| Searched {
        stems: schema.add_text_field(name, stems),
        exact: schema.add_text_field(&format!("exact_{name}"), analysed(EXACT)),
        weight,
    };
    let title = searched("title", 3.0, analysed(STEMS).set_stored());
    let tags = searched("tags", 2.0, analysed(STEMS));
    let content = searched("content", 1.0, analysed(STEMS).set_stored());
    let fields = Fields {
        id: schema.add_text_field(ID, STRING | STORED | FAST),
        category: schema.add_text_field("category", STRING | STORED),
        updated: schema.add_i64_field(UPDATED, FAST),
        views: schema.add_u64_field(VIEWS, FAST),
        title,
        tags,
        content,
    };
    (schema.build(), fields)
}

static SCHEMA: LazyLock<(Schema, Fields)> = LazyLock::new(schema);

pub fn fields() -> &'static Fields {
    &SCHEMA.1
}

pub fn create(folder: &Path, language: Language) -> Outcome<Index> {
    Ok(with_analysis(Index::create_in_dir(folder, SCHEMA.0.clone())?, language))
}

pub fn open(folder: &Path, language: Language) -> Outcome<Index> {
    Ok(with_analysis(Index::open_in_dir(folder)?, language))
}

/// tantivy keeps the names of analyses on disk, not the analyses.
fn with_analysis(index: Index, language: Language) -> Index {
    index.tokenizers().register(STEMS, words::stems(language));
    index.tokenizers().register(EXACT, words::exact_words());
    index
}

pub fn fingerprint(language_code: &str) -> String {
    format!("{}, format {FORMAT}, language {language_code}", tantivy::version_string())
}

/// What a commit is of. It goes into tantivy's own commit, so that content and revision show together.
#[derive(Clone)]
pub struct Commit {
    pub fingerprint: String,
    pub lineage: [u8; 16],
    pub revision: u64,
}

impl Commit {
    pub fn payload(&self) -> String {
        json!({"fingerprint": self.fingerprint, "lineage": self.lineage, "revision": self.revision}).to_string()
    }

    /// A failure: the index was made by something else, or with other settings than `fingerprint` says.
    pub fn of(meta: &IndexMeta, fingerprint: &str) -> Outcome<Commit> {
        let parsed = || -> Option<Commit> {
            let payload: Json = serde_json::from_str(meta.payload.as_deref()?).ok()?;
            let bytes: Option<Vec<u8>> =
                payload["lineage"].as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect();
            Some(Commit {
                fingerprint: payload["fingerprint"].as_str()?.to_owned(),
                lineage: bytes?.try_into().ok()?,
                revision: payload["revision"].as_u64()?,
            })
        };
        let commit = parsed().ok_or_else(|| Failure::not_built("the last commit says nothing of its content"))?;
        if commit.fingerprint != fingerprint {
            return Err(Failure::not_built(format!("the index is of {}", commit.fingerprint)));
        }
        Ok(commit)
    }
}
