// SPDX-License-Identifier: Apache-2.0
//! The text that a hit shows: one line around the place that has most of the query's words, cut at word borders, with
//! "…" where something was cut. (tantivy's own snippets measure bytes and end in the middle of words.)

use crate::query::Marks;
use std::collections::HashMap;
use tantivy::tokenizer::TextAnalyzer;

const MOST_CODE_POINTS: usize = 240;
const ROOM: usize = MOST_CODE_POINTS - 2; // beside an ellipsis at both ends

pub struct Excerpts<'a> {
    marks: &'a Marks,
    exact: TextAnalyzer,
    stems: TextAnalyzer,
}

/// Where a word of the query stands in a content.
#[derive(Clone)]
struct Match {
    begin: usize, // in bytes
    end: usize,
    column: usize, // code points before it
    word: String,
}

impl<'a> Excerpts<'a> {
    pub fn new(marks: &'a Marks, exact: TextAnalyzer, stems: TextAnalyzer) -> Self {
        Excerpts { marks, exact, stems }
    }

    /// The start of `content` where no word of the query occurs in it.
    pub fn of(&mut self, content: &str) -> String {
        let matches = self.matches(content);
        let Some((first, last)) = best_window(content, &matches) else {
            return one_line(content, MOST_CODE_POINTS, 0);
        };
        let spare = ROOM.saturating_sub(last.column + length(&content[last.begin..last.end]) - first.column);
        let start = start_before(content, first.begin, spare / 2);
        let shown = &content[start..];
        if content[..start].chars().all(is_blank) {
            return one_line(shown, MOST_CODE_POINTS, last.end - start);
        }
        format!("…{}", one_line(shown, MOST_CODE_POINTS - 1, last.end - start))
    }

    fn matches(&mut self, content: &str) -> Vec<Match> {
        let mut matches = Vec::new();
        let mut add = |begin: usize, end: usize, word: &str| {
            matches.push(Match { begin, end, column: 0, word: word.to_owned() });
        };
        let Marks { stems, prefixes } = self.marks;
        if !stems.is_empty() {
            self.stems.token_stream(content).process(&mut |token| {
                if stems.contains(&token.text) {
                    add(token.offset_from, token.offset_to, &token.text);
                }
            });
        }
        if !prefixes.is_empty() {
            self.exact.token_stream(content).process(&mut |token| {
                if let Some(prefix) = prefixes.iter().find(|prefix| token.text.starts_with(prefix.as_str())) {
                    add(token.offset_from, token.offset_to, prefix);
                }
            });
        }
        matches.sort_by_key(|each| each.begin);
        let (mut column, mut at) = (0, 0);
        for each in &mut matches {
            column += length(&content[at..each.begin]);
            at = each.begin;
            each.column = column;
        }
        matches
    }
}

/// The first and last match of the stretch of ROOM code points that has most different words; the first such.
fn best_window<'m>(content: &str, matches: &'m [Match]) -> Option<(&'m Match, &'m Match)> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut best = None;
    let mut most = 0;
    let mut first = 0;
    for (last, each) in matches.iter().enumerate() {
        *seen.entry(&each.word).or_default() += 1;
        let end = each.column + length(&content[each.begin..each.end]);
        while first < last && end - matches[first].column > ROOM {
            let word = matches[first].word.as_str();
            seen.entry(word).and_modify(|count| *count -= 1);
            if seen[word] == 0 {
                seen.remove(word);
            }
            first += 1;
        }
        if seen.len() > most {
            most = seen.len();
            best = Some((&matches[first], each));
        }
    }
    best
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// Where the first word begins of the `count` code points before the byte `from`, or these where none does.
fn start_before(text: &str, from: usize, count: usize) -> usize {
    let start = text[..from].char_indices().rev().take(count).last().map_or(from, |(at, _)| at);
    if start == 0 {
        return 0;
    }
    let mut after_blank = text[..start].ends_with(is_blank);
    for (at, c) in text[start..from].char_indices() {
        if after_blank && !is_blank(c) {
            return start + at;
        }
        after_blank = is_blank(c);
    }
    if after_blank && count < ROOM / 4 {
        from
    } else {
        start // in the middle of a word, or of a text without borders
    }
}

/// `text` as one line of at most `most` code points: white space and control characters run together to single spaces;
/// cut at a word border behind the byte `keep`, and not in the first half, which a text without borders would lose.
fn one_line(text: &str, most: usize, keep: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    let mut border = 0; // bytes of `line` before the last border
    let mut room = 0; // bytes of what fits in beside an ellipsis
    let mut after_blank = false;
    for (at, c) in text.char_indices() {
        if is_blank(c) {
            after_blank = !line.is_empty();
            continue;
        }
        for c in after_blank.then_some(' ').into_iter().chain([c]) {
            if count == most - 1 {
                room = line.len();
            }
            if c == ' ' && count < most && at >= keep {
                border = line.len();
            }
            if count == most {
                line.truncate(if 2 * border >= room { border } else { room });
                return line + "…";
            }
            line.push(c);
            count += 1;
        }
        after_blank = false;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;
    use tantivy::tokenizer::Language;

    fn excerpt(content: &str, stem: &str) -> String {
        let marks = Marks { stems: [stem.to_owned()].into(), prefixes: Vec::new() };
        Excerpts::new(&marks, words::exact_words(), words::stems(Language::English)).of(content)
    }

    #[test]
    fn a_short_content_is_shown_whole_in_one_line() {
        assert_eq!(excerpt(" plain  quartz\n\ttext ", "quartz"), "plain quartz text");
        assert_eq!(excerpt("plain text", "quartz"), "plain text");
        assert_eq!(excerpt("", "quartz"), "");
    }

    #[test]
    fn a_long_one_is_cut_around_the_match() {
        let filler = "so weiter über alles — ".repeat(80);
        let cut = excerpt(&format!("{filler} here is the quartz {filler}"), "quartz");
        assert!(cut.starts_with('…') && cut.ends_with('…') && cut.contains("is the quartz so"), "{cut}");
        assert!(length(&cut) <= MOST_CODE_POINTS, "{cut}");
    }

    #[test]
    fn without_a_match_it_is_the_start() {
        let cut = excerpt(&"word ".repeat(100), "quartz");
        assert_eq!(cut, "word ".repeat(47) + "word…");
    }

    #[test]
    fn a_text_without_borders_is_cut_where_it_must_be() {
        let cut = excerpt(&"編".repeat(1000), "quartz");
        assert_eq!(cut, "編".repeat(239) + "…");
        let cut = excerpt(&format!("{} quartz", "編".repeat(1000)), "quartz");
        assert!(cut.ends_with(" quartz") && length(&cut) <= MOST_CODE_POINTS, "{cut}");
    }
}
