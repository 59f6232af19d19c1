// SPDX-License-Identifier: Apache-2.0
//! Word segmentation: a word is a run of letters and digits, in lower case and without accents. Scripts written without
//! spaces are split into single letters; a query word of several letters matches where they are adjacent.

use tantivy::tokenizer::{AsciiFoldingFilter, Language, Stemmer, TextAnalyzer, Token, TokenStream, Tokenizer};
use tantivy::Index;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Names of the two analyses in a schema.
pub const STEMS: &str = "stems";
pub const EXACT: &str = "exact";

/// Splits a text into words, each with its exact form and its stem. Items and queries use the same analysis.
pub struct Analysis {
    exact: TextAnalyzer,
    stems: TextAnalyzer,
}

impl Analysis {
    pub fn of(language: Language) -> Analysis {
        // The tokenizer removes accents before stemming, so that "café" and "cafe" have the same stem; the filter
        // handles letters that Unicode does not decompose: ł, ø, æ, ß.
        let words = || TextAnalyzer::builder(Words::default()).filter(AsciiFoldingFilter);
        Analysis { exact: words().build(), stems: words().filter(Stemmer::new(language)).build() }
    }

    /// Passes each exact word, with its position in the text, and its stem to `sink`.
    pub fn each_word(&mut self, text: &str, mut sink: impl FnMut(&Token, &str)) {
        let mut exact = self.exact.token_stream(text);
        let mut stems = self.stems.token_stream(text);
        while exact.advance() && stems.advance() {
            sink(exact.token(), &stems.token().text);
        }
    }
}

/// Registers the analyses with an index: tantivy stores only their names on disk.
pub fn with_analysis(index: Index, language: Language) -> Index {
    let analysis = Analysis::of(language);
    index.tokenizers().register(STEMS, analysis.stems);
    index.tokenizers().register(EXACT, analysis.exact);
    index
}

#[derive(Clone, Default)]
struct Words {
    token: Token,
}

struct WordStream<'a> {
    text: &'a str,
    at: usize,
    token: &'a mut Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        WordStream { text, at: 0, token: &mut self.token }
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let text = self.text;
        let Some(start) = text[self.at..].find(char::is_alphanumeric) else { return false };
        self.token.position = self.token.position.wrapping_add(1); // starts at usize::MAX
        self.token.offset_from = self.at + start;
        self.token.text.clear();
        self.at = self.token.offset_from;
        let mut stands_alone = false;
        for c in text[self.at..].chars() {
            let is_first = self.at == self.token.offset_from;
            let is_mark = is_combining_mark(c) && !is_spaceless(c);
            if !is_first && !is_mark && (stands_alone || is_spaceless(c) || !c.is_alphanumeric()) {
                break;
            }
            stands_alone = stands_alone || is_spaceless(c);
            fold(c, &mut self.token.text);
            self.at += c.len_utf8();
        }
        self.token.offset_to = self.at;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// Appends `c` in lower case, without accents. Marks that are letters of their script (Hindi vowels) are kept.
fn fold(c: char, folded: &mut String) {
    decompose_compatible(c, |part| {
        if !is_combining_mark(part) || part.is_alphabetic() {
            folded.extend(part.to_lowercase());
        }
    });
}

/// True for letters of Thai, Lao, Burmese, Khmer, kana and Chinese characters, which are written without spaces.
fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
        && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let mut words = Vec::new();
        Analysis::of(Language::English).each_word(text, |exact, stem| words.push(format!("{} {stem}", exact.text)));
        words.join(", ")
    }

    #[test]
    fn are_parted_folded_and_stemmed() {
        assert_eq!(words("Caf\u{E9}s CAFE\u{301}, \u{141}\u{F3}d\u{17A}"), "cafes cafe, cafe cafe, lodz lodz");
        assert_eq!(words("run_ning(42)"), "run run, ning ning, 42 42");
        assert_eq!(words("Python编程"), "python python, 编 编, 程 程");
        assert_eq!(words("\u{301} ?"), "", "a mark on its own is not a word");
    }
}
