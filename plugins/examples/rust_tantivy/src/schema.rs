// SPDX-License-Identifier: Apache-2.0
//! What the index keeps of an item, and what a commit says of itself.

use crate::words::{EXACT, STEMS};
use std::sync::LazyLock;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, FAST, STORED, STRING};
use tantivy::tokenizer::Language;

/// Part of the fingerprint: goes up with every change of what is stored or how it is analysed.
const FORMAT: u32 = 1;

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

pub struct Fields {
    pub id: Field,
    pub category: Field,
    pub updated: Field,
    pub views: Field,
    pub title: Searched,
    pub tags: Searched,
    pub content: Searched,
}

static SCHEMA: LazyLock<(Schema, Fields)> = LazyLock::new(|| {
    let mut schema = Schema::builder();
    let analysed = |analysis: &str| {
        let indexing = TextFieldIndexing::default().set_tokenizer(analysis);
        TextOptions::default().set_indexing_options(indexing.set_index_option(IndexRecordOption::WithFreqsAndPositions))
    };
    let mut searched = |name: &str, weight, stems| Searched {
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
});

pub fn schema() -> &'static Schema {
    &SCHEMA.0
}

pub fn fields() -> &'static Fields {
    &SCHEMA.1
}

pub fn fingerprint(language: Language) -> String {
    format!("{}, format {FORMAT}, {language:?}", tantivy::version_string())
}

/// What a commit is of. It goes into tantivy's own commit, so that content and revision show together.
pub struct Commit {
    pub revision: u64,
    pub lineage: [u8; 16],
    pub fingerprint: String,
}

impl Commit {
    pub fn payload(&self) -> String {
        format!("{} {:032x} {}", self.revision, u128::from_be_bytes(self.lineage), self.fingerprint)
    }

    pub fn of(payload: &str) -> Option<Commit> {
        let mut parts = payload.splitn(3, ' ');
        Some(Commit {
            revision: parts.next()?.parse().ok()?,
            lineage: u128::from_str_radix(parts.next()?, 16).ok()?.to_be_bytes(),
            fingerprint: parts.next()?.to_owned(),
        })
    }
}
