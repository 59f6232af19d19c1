// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/analyzer.hpp"

#include <algorithm>
#include <array>

#include "adapters/text/joined_words.hpp"
#include "adapters/text/unicode.hpp"
#include "adapters/text/wanted_pieces.hpp"
#include "adapters/text/word_parts.hpp"
#include "domain/base/text.hpp"

namespace kbase::text {
namespace {

// Maps an ASCII letter or digit to its lower case, a byte beyond ASCII to 1, any other byte to 0.
constexpr std::array<char, 256> kAlnum = [] {
  std::array<char, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    if (ascii::is_alphanumeric(static_cast<char>(c))) table[c] = ascii::to_lower(static_cast<char>(c));
    if (c >= 0x80) table[c] = 1;
  }
  return table;
}();
constexpr char kBeyondAscii = 1;

constexpr std::size_t kMaxNumberParts = 8;
// Two parts of a word of so many count together, too. Longer names would have as many pairs as parts.
constexpr std::size_t kPartsWithPairs = 3;

/// A single pass over one text.
class Scan {
 public:
  /// `languages.title`: language of further stems, whatever the text is.
  Scan(Lexicon& lexicon, std::string_view text, ItemLanguages languages, const PrefixSet& wanted,
       Analyzer::TokenVisitor visitor)
      : lexicon_(lexicon), text_(text), languages_(languages), wanted_(wanted), visitor_(visitor), joined_(text) {}

  void run() {
    scan(0, text_.size());
    emit_joined(joined_.finish());
  }

  /// Scans only the pieces of the text that may have a wanted word.
  void find() {
    for (WantedPieces pieces(text_, wanted_); !is_stopped_ && pieces.next();) scan(pieces.begin(), pieces.end());
    emit_joined(joined_.finish());
  }

 private:
  void scan(std::size_t i, std::size_t text_end) {
    while (i < text_end && !is_stopped_) {
      const char first = alnum_at(i);
      if (first == 0)
        ++i;
      else if (first == kBeyondAscii)
        i = scan_non_ascii(i);
      else
        i = scan_ascii(i);
    }
  }

  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  char alnum_at(std::size_t i) const { return i < text_.size() ? kAlnum[static_cast<unsigned char>(text_[i])] : '\0'; }
  std::string_view slice(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }

  /// Scans a word that starts with an ASCII letter or digit at `begin`. Like all scan functions below, it returns the
  /// offset at which scanning continues.
  std::size_t scan_ascii(std::size_t begin) {
    std::size_t end = begin + 1;
    unsigned kinds = 0;  // of the characters after the first
    for (; alnum_at(end) > kBeyondAscii; ++end) kinds |= kind_of(text_[end]);
    if (alnum_at(end) == kBeyondAscii && continues_word(end)) return scan_spaced(begin);
    if (at(end) == '.' && ascii::is_digit(at(end + 1)) && ascii::is_digit(text_[end - 1]))
      return scan_number(begin, end);
    if (const std::size_t whole = symbol_end(begin, end); whole != 0) return emit_symbol_word(begin, end, whole);
    if (begin > 0 && end - begin < kMaxWordBytes && !ascii::is_digit(text_[begin])) {
      if (text_[begin - 1] == '.' && opens_word(begin - 1)) return emit_dotted_word(begin, end);
      if (text_[begin - 1] == '-' && opens_option(begin - 1)) return emit_option(begin, end);
    }
    emit_joined(joined_.add(begin, end));
    if (end - begin > kMaxWordBytes)
      emit_long_word(begin, end);
    else if (may_have_parts(kind_of(text_[begin]), kinds))
      emit_with_parts(begin, end);
    else if (is_wanted(begin, end))
      emit_word(to_lower(begin, end), begin, end, Token::Role::Word);
    else
      ++words_;
    return skip_possessive(end);
  }

  bool is_wanted(std::size_t begin, std::size_t end) const {
    return wanted_.has(alnum_at(begin), end - begin == 1 ? '\0' : alnum_at(begin + 1));
  }

  void emit_with_parts(std::size_t begin, std::size_t end) {
    emit_word(to_lower(begin, end), begin, end, Token::Role::Word);
    const std::string_view word = slice(begin, end);
    const auto emit_range = [&](const PartOffsets& offsets, std::size_t first, std::size_t last, Token::Role role) {
      const std::size_t from = begin + offsets.at[first], to = begin + offsets.at[last];
      emit_word(to_lower(from, to), from, to, role);
    };
    const PartOffsets cases = split_at_case(word);
    for (std::size_t i = 0; i < cases.parts; ++i) {
      emit_range(cases, i, i + 1, Token::Role::Part);
      if (cases.parts == kPartsWithPairs && i + 2 <= cases.parts) emit_range(cases, i, i + 2, Token::Role::Part);
    }
    if (cases.parts != 0) return;
    const PartOffsets pieces = split_letters_and_digits(word);
    for (std::size_t i = 0; i < pieces.parts; ++i) emit_range(pieces, i, i + 1, Token::Role::Piece);
  }

  void emit_long_word(std::size_t begin, std::size_t end) {
    std::string lower(slice(begin, end));
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return ascii::to_lower(c); });
    const std::string name = long_word(fold_accents(fold_case(lower)));
    emit({name, {}, {}}, begin, end, Token::Role::Word);
  }

  /// Emits words that people also write as one word.
  void emit_joined(JoinedWords::Words words) {
    if (words.empty() || is_stopped_) return;
    std::string joined;
    for (const auto& [begin, end] : words) joined += lexicon_.exact_form(to_lower(begin, end));
    if (joined.size() < 2 || joined.size() > kMaxWordBytes || !wanted_.has(joined[0], joined[1])) return;
    emit_word(joined, words.front().begin, words.back().end, Token::Role::Joined);
  }

  /// Returns whether the character at `i` continues the word that started in ASCII.
  bool continues_word(std::size_t i) const {
    const CharacterKind kind = character_at(text_.substr(i)).kind;
    return kind != CharacterKind::Other && kind != CharacterKind::Unspaced;
  }

  /// Returns the end of `C++` or `C#` if the ASCII word [begin, end) starts one, else 0.
  std::size_t symbol_end(std::size_t begin, std::size_t end) const {
    if (ascii::is_digit(text_[begin])) return 0;
    const char after = alnum_at(end + 2);
    if (at(end) == '+' && at(end + 1) == '+' && at(end + 2) != '+' && (after == 0 || ascii::is_digit(after)))
      return end + 2;
    if (at(end) == '#' && end - begin == 1 && alnum_at(end + 1) == 0) return end + 1;
    return 0;
  }

  std::size_t emit_symbol_word(std::size_t begin, std::size_t end, std::size_t whole) {
    emit_joined(joined_.finish());
    const std::string word(to_lower(begin, end));
    std::string name(lexicon_.exact_form(word));
    name += fold_case(slice(end, whole));  // full-width signs become ASCII
    emit({name, {}, {}}, begin, whole, Token::Role::Word);
    emit_word(word, begin, end, Token::Role::Part);
    return whole;
  }

  std::size_t emit_dotted_word(std::size_t begin, std::size_t end) {
    emit_joined(joined_.finish());
    emit_marked_word('.', begin - 1, begin, end);
    return end;
  }

  /// Emits an option of a command line, whose mark may be one or two minuses.
  std::size_t emit_option(std::size_t begin, std::size_t end) {
    emit_joined(joined_.finish());
    emit_marked_word('-', begin - 1, begin, end);
    joined_.add(begin, end);
    return end;
  }

  /// Emits the word with its mark, and without it.
  void emit_marked_word(char mark, std::size_t start, std::size_t begin, std::size_t end) {
    const std::string_view word = to_lower(begin, end);
    const std::string name = mark + std::string(word);
    emit({name, {}, {}}, start, end, Token::Role::Word);
    emit_word(word, begin, end, Token::Role::Alternative);
  }

  /// Returns whether the dot at `i` starts a word (".NET", "/home/me/.profile"), rather than being inside or after a
  /// word.
  bool opens_word(std::size_t i) const {
    constexpr std::string_view kBefore = " \t\r\n/([\"'`*,=";
    return i == 0 || kBefore.find(text_[i - 1]) != std::string_view::npos;
  }

  /// Whether the minus at `i` starts an option: it is the first of one or two, before a letter, and nothing of a word
  /// is before it.
  bool opens_option(std::size_t i) const {
    constexpr std::string_view kBefore = " \t\r\n([{\"'`*,=|<";
    if (i > 0 && text_[i - 1] == '-') --i;
    return i == 0 || kBefore.find(text_[i - 1]) != std::string_view::npos;
  }

  /// Emits a version or dotted number whose first part is [begin, end): the whole, then each prefix and each part.
  /// Letters before or after it do not belong to the number: `v1.2.3`, `802.11ax`.
  std::size_t scan_number(std::size_t begin, std::size_t end) {
    std::array<std::size_t, kMaxNumberParts> starts{begin};
    std::array<std::size_t, kMaxNumberParts> ends{end};
    std::size_t parts = 1;
    while (at(end) == '.' && ascii::is_digit(at(end + 1))) {
      const std::size_t start = end + 1;
      end = start;
      while (alnum_at(end) > kBeyondAscii) ++end;
      if (parts == kMaxNumberParts) continue;
      starts[parts] = start;
      ends[parts++] = end;
    }
    emit_joined(joined_.add(begin, end));
    emit_lowered(begin, end, Token::Role::Word);
    std::size_t digits = 0;
    const std::size_t letters = leading_letters(slice(begin, ends[0]), digits);
    const bool has_letters = digits != 0 && digits != std::string_view::npos;
    if (has_letters) {
      if (letters > 1 && letters <= kMaxWordBytes)
        emit_word(to_lower(begin, begin + letters), begin, begin + letters, Token::Role::Piece);
      emit_lowered(begin + digits, end, Token::Role::Piece);
    }
    for (std::size_t i = 0; i < parts; ++i) {
      if (i > 0 && ends[i] != end) emit_lowered(begin, ends[i], Token::Role::Part);
      if (i > 0 && ends[i] != end && has_letters) emit_lowered(begin + digits, ends[i], Token::Role::Part);
      emit_lowered(starts[i], ends[i], Token::Role::Part);
    }
    std::size_t number_end = starts[parts - 1];
    while (number_end < end && ascii::is_digit(text_[number_end])) ++number_end;
    if (number_end != end && ends[parts - 1] == end) {
      emit_lowered(begin, number_end, Token::Role::Part);
      if (has_letters) emit_lowered(begin + digits, number_end, Token::Role::Part);
      emit_lowered(starts[parts - 1], number_end, Token::Role::Part);
    }
    return end;
  }

  void emit_lowered(std::size_t begin, std::size_t end, Token::Role role) {
    if (end - begin > kMaxWordBytes && role == Token::Role::Word) return emit_long_word(begin, end);
    std::array<char, kMaxWordBytes> lower;
    std::size_t length = 0;
    for (std::size_t i = begin; i < end && length < lower.size(); ++i) {
      const char c = alnum_at(i);
      lower[length++] = c == 0 ? text_[i] : c;
    }
    emit({std::string_view(lower.data(), length), {}, {}}, begin, end, role);
  }

  /// Skips an English possessive suffix after a word, because it is an inflection.
  std::size_t skip_possessive(std::size_t end) const {
    constexpr std::string_view kTypographic = "\u2019";
    std::size_t mark = 0;
    if (at(end) == '\'') mark = 1;
    if (text_.substr(end).starts_with(kTypographic)) mark = kTypographic.size();
    if (mark == 0 || alnum_at(end + mark) != 's' || alnum_at(end + mark + 1) != 0) return end;
    return end + mark + 1;
  }

  std::size_t scan_non_ascii(std::size_t begin) {
    const Character first = character_at(text_.substr(begin));
    if (first.kind == CharacterKind::Word) return scan_spaced(begin);
    if (first.kind == CharacterKind::Unspaced) return scan_unspaced(begin, begin + first.bytes);
    return begin + first.bytes;
  }

  /// Scans a word with characters beyond ASCII.
  std::size_t scan_spaced(std::size_t begin) {
    std::size_t end = begin;
    while (end < text_.size()) {
      const Character c = character_at(text_.substr(end));
      if (c.kind == CharacterKind::Other || c.kind == CharacterKind::Unspaced) break;
      end += c.bytes;
    }
    if (const std::size_t whole = wide_symbol_end(end); whole != 0) return emit_symbol_word(begin, end, whole);
    emit_joined(joined_.add(begin, end));
    if (end - begin > kMaxWordBytes) {
      emit_long_word(begin, end);
      return skip_possessive(end);
    }
    const std::string_view word = to_lower(begin, end);
    emit_word(word, begin, end, Token::Role::Word);
    if (is_hebrew(word))
      for (const std::string_view rest : without_prefixes(word))
        emit_word(rest, end - rest.size(), end, Token::Role::Alternative);
    return skip_possessive(end);
  }

  /// Returns the end of `＋＋` or `＃` (full-width signs) at `end`; 0: other text follows.
  std::size_t wide_symbol_end(std::size_t end) const {
    constexpr std::string_view kPlus = "\uFF0B", kHash = "\uFF03";
    const std::string_view rest = text_.substr(end);
    if (rest.starts_with(kHash)) return end + kHash.size();
    return rest.starts_with(kPlus) && rest.substr(kPlus.size()).starts_with(kPlus) ? end + 2 * kPlus.size() : 0;
  }

  /// Scans a run of a script without spaces, whose first letter is [begin, end), and emits overlapping pairs of
  /// characters.
  std::size_t scan_unspaced(std::size_t begin, std::size_t end) {
    emit_joined(joined_.finish());
    end = skip_marks(end);
    if (!starts_unspaced(end)) {
      emit_pair(begin, end, Token::Role::SingleCharacter);
      return end;
    }
    while (starts_unspaced(end)) {
      const std::size_t next = skip_marks(end + character_at(text_.substr(end)).bytes);
      emit_pair(begin, next, Token::Role::Word);
      begin = end;
      end = next;
    }
    emit_pair(begin, end, Token::Role::Part);
    return end;
  }

  void emit_pair(std::size_t begin, std::size_t end, Token::Role role) {
    if (end - begin > kMaxWordBytes) return;  // more combining marks than any language uses
    emit(lexicon_.forms(slice(begin, end), Language::None), begin, end, role, true);
  }

  bool starts_unspaced(std::size_t i) const {
    return i < text_.size() && character_at(text_.substr(i)).kind == CharacterKind::Unspaced;
  }

  std::size_t skip_marks(std::size_t i) const {
    while (i < text_.size()) {
      const Character c = character_at(text_.substr(i));
      if (c.kind != CharacterKind::Mark) break;
      i += c.bytes;
    }
    return i;
  }

  /// Returns the text truncated to kMaxWordBytes with ASCII letters in lower case, as Lexicon requires. Valid until the
  /// next call.
  std::string_view to_lower(std::size_t begin, std::size_t end) {
    const std::size_t length = std::min(end - begin, lower_.size());
    for (std::size_t i = 0; i < length; ++i) {
      const char lower = alnum_at(begin + i);
      lower_[i] = lower > kBeyondAscii ? lower : text_[begin + i];
    }
    return {lower_.data(), length};
  }

  /// Emits a word in lower case as Lexicon requires.
  void emit_word(std::string_view word, std::size_t begin, std::size_t end, Token::Role role) {
    if (languages_.title == Language::None) return emit(lexicon_.forms(word, languages_.content), begin, end, role);
    const std::string other(lexicon_.forms(word, languages_.title).stem);
    const WordForms forms = lexicon_.forms(word, languages_.content);
    const bool is_new = !other.empty() && other != forms.exact && other != forms.stem && other != forms.stem_of_exact;
    emit(forms, begin, end, role);
    if (is_new) emit({other, {}, {}}, begin, end, Token::Role::Part);
  }

  void emit(WordForms forms, std::size_t begin, std::size_t end, Token::Role role, bool is_pair = false) {
    if (forms.exact.empty()) return;
    if (role == Token::Role::Word || role == Token::Role::SingleCharacter || words_ == 0) ++words_;
    if (is_stopped_) return;
    is_stopped_ = visitor_({forms.exact, forms.stem, forms.stem_of_exact, begin, end, words_ - 1, role, is_pair,
                            forms.numbers}) == Visit::Stop;
  }

  Lexicon& lexicon_;
  std::string_view text_;
  ItemLanguages languages_;
  const PrefixSet& wanted_;
  Analyzer::TokenVisitor visitor_;
  bool is_stopped_ = false;
  std::uint32_t words_ = 0;
  JoinedWords joined_;
  std::array<char, kMaxWordBytes> lower_;
};

}  // namespace

void Analyzer::analyze(std::string_view text, Language language, Sink sink) {
  analyze_title(text, {language, Language::None}, sink);
}

void Analyzer::analyze_title(std::string_view text, ItemLanguages languages, Sink sink) {
  Scan(lexicon_, text, languages, PrefixSet::all(), [&sink](const Token& token) {
    sink(token);
    return Visit::Continue;
  }).run();
}

void Analyzer::find(std::string_view text, Language language, const PrefixSet& wanted, TokenVisitor visitor) {
  const ItemLanguages languages{language, Language::None};
  if (preserves_prefixes(language))
    Scan(lexicon_, text, languages, wanted, visitor).find();
  else
    Scan(lexicon_, text, languages, PrefixSet::all(), visitor).run();
}

}  // namespace kbase::text
