// SPDX-License-Identifier: Apache-2.0
//! Fields of the index, and the metadata of a commit.

use crate::words::{EXACT, STEMS};
use std::sync::LazyLock;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, FAST, STORED, STRING};
use tantivy::tokenizer::Language;

/// Format version, part of the fingerprint: increment it when the stored data or its analysis changes.
const FORMAT: u32 = 1;

/// Names of the fields used for sorting.
pub const ID: &str = "id";
pub const UPDATED: &str = "updated";
pub const VIEWS: &str = "views";

/// A searchable part of an item, with its relative weight. Words match by their stems; exact forms serve prefixes and
/// rank slightly higher.
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

/// Metadata of a commit. It is stored in tantivy's commit, so content and revision become visible together.
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
