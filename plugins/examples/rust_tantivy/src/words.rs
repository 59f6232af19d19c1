// SPDX-License-Identifier: Apache-2.0
//! What a word is: a run of letters and digits, in lower case and without accents. Scripts that are written without
//! spaces are cut into single letters, and a query's word of several is found where they stand side by side.

use tantivy::tokenizer::{AsciiFoldingFilter, Language, Stemmer, TextAnalyzer, Token, TokenStream, Tokenizer};
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// The analysis of a field. The same two must analyse queries.
pub fn exact_words() -> TextAnalyzer {
    // The tokenizer takes accents off; the filter has what Unicode doesn't decompose: ł, ø, æ, ß.
    TextAnalyzer::builder(Words::default()).filter(AsciiFoldingFilter).build()
}

/// Accents go before the stem, or "café" and "cafe" had different ones.
pub fn stems(language: Language) -> TextAnalyzer {
    TextAnalyzer::builder(Words::default()).filter(AsciiFoldingFilter).filter(Stemmer::new(language)).build()
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
        self.token.text.clear();
        self.token.position = self.token.position.wrapping_add(1); // a new token's is usize::MAX
        let text = self.text;
        let Some(start) = text[self.at..].find(char::is_alphanumeric) else { return false };
        self.token.offset_from = self.at + start;
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

/// Appends `c` in lower case, without its accents. A mark that is a letter to its script (a vowel of Hindi) stays.
fn fold(c: char, folded: &mut String) {
    if c.is_ascii() {
        return folded.push(c.to_ascii_lowercase());
    }
    decompose_compatible(c, |part| {
        if !is_combining_mark(part) || part.is_alphabetic() {
            folded.extend(part.to_lowercase());
        }
    });
}

/// Thai and Lao, Burmese, Khmer, kana, Chinese characters.
fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
        && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(mut analyzer: TextAnalyzer, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        analyzer.token_stream(text).process(&mut |token| tokens.push(token.text.clone()));
        tokens
    }

    #[test]
    fn folds_case_and_accents_composed_or_not() {
        assert_eq!(tokens(exact_words(), "Caf\u{E9} CAFE\u{301}, \u{141}\u{F3}d\u{17A}"), ["cafe", "cafe", "lodz"]);
        assert_eq!(tokens(exact_words(), "\u{301}"), [""; 0], "a mark on its own is no word");
    }

    #[test]
    fn parts_words_at_what_is_no_letter_or_digit() {
        assert_eq!(tokens(exact_words(), "foo_bar(42)"), ["foo", "bar", "42"]);
    }

    #[test]
    fn cuts_scripts_without_spaces_letter_by_letter() {
        assert_eq!(tokens(exact_words(), "Python编程"), ["python", "编", "程"]);
    }

    #[test]
    fn stems_have_no_accents() {
        assert_eq!(tokens(stems(Language::English), "Caf\u{E9}s cafe running"), ["cafe", "cafe", "run"]);
    }
}
