// SPDX-License-Identifier: Apache-2.0
//! The excerpt of a hit: one line around the place with most of the query's words, cut at word boundaries, with "…" at
//! each cut. (tantivy's own snippets count bytes and start in the middle of a sentence.)

use crate::query::Reader;
use std::collections::HashSet;

const MAX_LENGTH: usize = 240; // in code points, like all positions here
const INNER_LENGTH: usize = MAX_LENGTH - 2; // without an ellipsis at both ends

/// Position of a query word.
struct Match {
    begin: usize,
    end: usize,
    word: String,
}

/// Returns the excerpt; the start of `content` if it contains no word of the query.
pub fn excerpt(content: &str, query: &mut Reader) -> String {
    let is_blank = |c: char| c.is_whitespace() || c.is_control();
    let line = content.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let chars: Vec<char> = line.chars().collect();
    if chars.len() <= MAX_LENGTH {
        return line;
    }
    let (first, last) = best_stretch(&matches(&line, query));
    let from = first.saturating_sub(INNER_LENGTH.saturating_sub(last - first) / 2);
    let start = (from..=first).find(|&at| at == 0 || chars[at - 1] == ' ').unwrap_or(from);
    let before = if start == 0 { "" } else { "…" };
    let room = MAX_LENGTH - before.chars().count();
    if chars.len() - start <= room {
        return before.chars().chain(chars[start..].iter().copied()).collect();
    }
    // Ignore a boundary in the first half: it would lose most of a text that has few boundaries.
    let most = start + room - 1;
    let end = (last.max(start + room / 2)..=most).rev().find(|&at| chars[at] == ' ').unwrap_or(most);
    before.chars().chain(chars[start..end].iter().copied()).chain(['…']).collect()
}

fn matches(line: &str, query: &mut Reader) -> Vec<Match> {
    let Reader { analysis, stems, prefixes } = query;
    let mut matches = Vec::new();
    let (mut at, mut column) = (0, 0);
    analysis.each_word(line, |exact, stem| {
        let is_begun = |prefix: &&String| exact.text.starts_with(prefix.as_str());
        if let Some(word) = stems.get(stem).or_else(|| prefixes.iter().find(is_begun)) {
            column += line[at..exact.offset_from].chars().count();
            at = exact.offset_from;
            let end = column + line[at..exact.offset_to].chars().count();
            matches.push(Match { begin: column, end, word: word.clone() });
        }
    });
    matches
}

/// Returns the first stretch of INNER_LENGTH code points with the most different words; (0, 0) if there is no match.
fn best_stretch(matches: &[Match]) -> (usize, usize) {
    let stretches = (0..matches.len()).map(|first| {
        let most = matches[first].begin + INNER_LENGTH;
        let (mut words, mut last) = (HashSet::new(), matches[first].end);
        for each in matches[first..].iter().take_while(|each| each.end <= most) {
            words.insert(&each.word);
            last = each.end;
        }
        (words.len(), matches[first].begin, last)
    });
    stretches.rev().max_by_key(|(words, ..)| *words).map_or((0, 0), |(_, first, last)| (first, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Analysis;
    use tantivy::tokenizer::Language;

    fn excerpt_of(content: &str) -> String {
        let mut query = Reader::new(Analysis::of(Language::English));
        query.stems.insert("quartz".to_owned());
        excerpt(content, &mut query)
    }

    #[test]
    fn a_short_content_is_shown_whole_in_one_line() {
        assert_eq!(excerpt_of(" plain  quartz\n\ttext "), "plain quartz text");
        assert_eq!(excerpt_of(""), "");
    }

    #[test]
    fn a_long_one_is_cut_around_the_match_at_borders() {
        let filler = "so weiter über alles ".repeat(80);
        let cut = excerpt_of(&format!("{filler} here is the quartz {filler}"));
        assert!(cut.starts_with("…") && cut.ends_with('…') && cut.contains("is the quartz so"), "{cut}");
        assert!((200..=MAX_LENGTH).contains(&cut.chars().count()), "{cut}");
        assert_eq!(excerpt_of(&"word ".repeat(100)), "word ".repeat(47) + "word…", "without a match it is the start");
    }

    #[test]
    fn a_text_without_borders_is_cut_where_it_must_be() {
        assert_eq!(excerpt_of(&"編".repeat(1000)), "編".repeat(239) + "…");
        let cut = excerpt_of(&format!("{} quartz", "編".repeat(1000)));
        assert!(cut.starts_with('…') && cut.ends_with("quartz"), "{cut}");
    }
}
