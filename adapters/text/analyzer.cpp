// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/analyzer.hpp"

#include <array>

#include "adapters/text/characters.hpp"

namespace kbase::text {
namespace {

// Of each byte: its lower case where it is an ASCII letter or digit, 1 where it is beyond ASCII, else 0.
constexpr std::array<char, 256> kAlnum = [] {
  std::array<char, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) table[c] = static_cast<char>(c);
    if (c >= 'A' && c <= 'Z') table[c] = static_cast<char>(c - 'A' + 'a');
    if (c >= 0x80) table[c] = 1;
  }
  return table;
}();
constexpr char kBeyondAscii = 1;

constexpr std::size_t kMaxNumberParts = 8;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// One pass over one text.
class Scan {
 public:
  Scan(Lexicon& lexicon, std::string_view text, Language language, const Analyzer::FirstBytes& wanted,
       Analyzer::Finder finder)
      : lexicon_(lexicon), text_(text), language_(language), wanted_(wanted), finder_(finder) {}

  void run() {
    std::size_t i = 0;
    while (i < text_.size() && !is_over_) {
      const char first = alnum_at(i);
      if (first == 0)
        ++i;
      else if (first == kBeyondAscii)
        i = wide(i);
      else
        i = ascii(i);
    }
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  char alnum_at(std::size_t i) const { return i < text_.size() ? kAlnum[static_cast<unsigned char>(text_[i])] : '\0'; }
  std::string_view slice(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }

  /// A word that starts with an ASCII letter or digit at `begin`. Like all that follow it returns where to go on.
  std::size_t ascii(std::size_t begin) {
    std::size_t end = begin;
    std::size_t length = 0;
    char c = 0;
    for (; (c = alnum_at(end)) > kBeyondAscii; ++end)
      if (length < lower_.size()) lower_[length++] = c;
    if (c == kBeyondAscii && character_at(text_.substr(end)).kind != CharacterKind::Other &&
        character_at(text_.substr(end)).kind != CharacterKind::Unspaced)
      return spaced(begin);
    if (at(end) == '.' && is_digit(at(end + 1)) && is_digit(text_[end - 1])) return number(begin, end);
    const std::string_view word(lower_.data(), length);
    if (const std::size_t whole = symbol_end(begin, end); whole != 0) return with_symbol(begin, end, whole, word);
    if (begin > 0 && text_[begin - 1] == '.' && !is_digit(text_[begin]) && opens_word(begin - 1))
      return with_dot(begin, end, word);
    if (wanted_[static_cast<unsigned char>(word.front())])
      emit(lexicon_.forms(word, language_), begin, end, Token::Role::Word);
    else
      ++words_;
    return after_possessive(end);
  }

  /// The end of `C++`, `C#` where the ASCII word [begin, end) is the beginning of one; else 0.
  std::size_t symbol_end(std::size_t begin, std::size_t end) const {
    if (is_digit(text_[begin])) return 0;
    const char after = alnum_at(end + 2);
    if (at(end) == '+' && at(end + 1) == '+' && at(end + 2) != '+' && (after == 0 || is_digit(after))) return end + 2;
    if (at(end) == '#' && end - begin == 1 && alnum_at(end + 1) == 0) return end + 1;
    return 0;
  }

  std::size_t with_symbol(std::size_t begin, std::size_t end, std::size_t whole, std::string_view word) {
    std::string name(word);
    name += slice(end, whole);
    emit({name, {}, {}}, begin, whole, Token::Role::Word);
    emit(lexicon_.forms(word, language_), begin, end, Token::Role::Part);
    return whole;
  }

  std::size_t with_dot(std::size_t begin, std::size_t end, std::string_view word) {
    std::string name(".");
    name += word;
    emit({name, {}, {}}, begin - 1, end, Token::Role::Word);
    emit(lexicon_.forms(word, language_), begin, end, Token::Role::Part);
    return end;
  }

  /// Whether the dot at `i` begins a word (".NET", "/home/me/.profile") rather than standing in or behind one.
  bool opens_word(std::size_t i) const {
    constexpr std::string_view kBefore = " \t\r\n/([\"'`*,=";
    return i == 0 || kBefore.find(text_[i - 1]) != std::string_view::npos;
  }

  /// A version or number with points whose first part is [begin, end). Whole, then each beginning, then each part.
  std::size_t number(std::size_t begin, std::size_t end) {
    std::array<std::size_t, kMaxNumberParts> starts{begin};
    std::array<std::size_t, kMaxNumberParts> ends{end};
    std::size_t parts = 1;
    while (at(end) == '.' && is_digit(at(end + 1))) {
      const std::size_t start = end + 1;
      end = start;
      while (alnum_at(end) > kBeyondAscii) ++end;
      if (parts == kMaxNumberParts) continue;
      starts[parts] = start;
      ends[parts++] = end;
    }
    emit_lowered(begin, end, Token::Role::Word);
    for (std::size_t i = 0; i < parts; ++i) {
      if (i > 0 && ends[i] != end) emit_lowered(begin, ends[i], Token::Role::Part);
      emit_lowered(starts[i], ends[i], Token::Role::Part);
    }
    return end;
  }

  void emit_lowered(std::size_t begin, std::size_t end, Token::Role role) {
    std::array<char, kMaxWordBytes> lower;
    std::size_t length = 0;
    for (std::size_t i = begin; i < end && length < lower.size(); ++i) {
      const char c = alnum_at(i);
      lower[length++] = c == 0 ? text_[i] : c;
    }
    emit({std::string_view(lower.data(), length), {}, {}}, begin, end, role);
  }

  /// Behind the English possessive that may follow a word, which is an inflection and no word.
  std::size_t after_possessive(std::size_t end) const {
    constexpr std::string_view kTypographic = "\u2019";
    std::size_t mark = 0;
    if (at(end) == '\'') mark = 1;
    if (text_.substr(end).starts_with(kTypographic)) mark = kTypographic.size();
    if (mark == 0 || alnum_at(end + mark) != 's' || alnum_at(end + mark + 1) != 0) return end;
    return end + mark + 1;
  }

  std::size_t wide(std::size_t begin) {
    const Character first = character_at(text_.substr(begin));
    if (first.kind == CharacterKind::Word) return spaced(begin);
    if (first.kind == CharacterKind::Unspaced) return unspaced(begin, begin + first.bytes);
    return begin + first.bytes;
  }

  /// A word with characters beyond ASCII.
  std::size_t spaced(std::size_t begin) {
    std::size_t end = begin;
    std::size_t cut = begin;  // behind the last character that counts
    while (end < text_.size()) {
      const Character c = character_at(text_.substr(end));
      if (c.kind == CharacterKind::Other || c.kind == CharacterKind::Unspaced) break;
      end += c.bytes;
      if (end - begin <= kMaxWordBytes) cut = end;
    }
    emit(lexicon_.forms(lowered(slice(begin, cut)), language_), begin, end, Token::Role::Word);
    return after_possessive(end);
  }

  /// A run of a script without spaces, whose first letter is [begin, end), as pairs.
  std::size_t unspaced(std::size_t begin, std::size_t end) {
    end = behind_marks(end);
    if (!starts_unspaced(end)) {
      emit_pair(begin, end, Token::Role::Lone);
      return end;
    }
    while (starts_unspaced(end)) {
      const std::size_t next = behind_marks(end + character_at(text_.substr(end)).bytes);
      emit_pair(begin, next, Token::Role::Word);
      begin = end;
      end = next;
    }
    emit_pair(begin, end, Token::Role::Part);
    return end;
  }

  void emit_pair(std::size_t begin, std::size_t end, Token::Role role) {
    if (end - begin > kMaxWordBytes) return;  // more marks than any language has
    emit(lexicon_.forms(slice(begin, end), Language::None), begin, end, role);
  }

  bool starts_unspaced(std::size_t i) const {
    return i < text_.size() && character_at(text_.substr(i)).kind == CharacterKind::Unspaced;
  }

  std::size_t behind_marks(std::size_t i) const {
    while (i < text_.size()) {
      const Character c = character_at(text_.substr(i));
      if (c.kind != CharacterKind::Mark) break;
      i += c.bytes;
    }
    return i;
  }

  /// A lexicon takes ASCII words in lower case; a cut can leave one of these.
  std::string_view lowered(std::string_view word) {
    std::size_t length = 0;
    for (const char c : word) {
      const char lower = kAlnum[static_cast<unsigned char>(c)];
      lower_[length++] = lower > kBeyondAscii ? lower : c;
    }
    return {lower_.data(), length};
  }

  void emit(WordForms forms, std::size_t begin, std::size_t end, Token::Role role) {
    if (forms.exact.empty()) return;
    if (role != Token::Role::Part || words_ == 0) ++words_;
    if (is_over_) return;
    is_over_ =
        finder_({forms.exact, forms.stem, forms.stem_of_exact, begin, end, words_ - 1, role}) == model::Visit::Stop;
  }

  Lexicon& lexicon_;
  std::string_view text_;
  Language language_;
  const Analyzer::FirstBytes& wanted_;
  Analyzer::Finder finder_;
  bool is_over_ = false;
  std::uint32_t words_ = 0;
  std::array<char, kMaxWordBytes> lower_;
};

}  // namespace

void Analyzer::analyze(std::string_view text, Language language, Sink sink) {
  static const FirstBytes kAll = FirstBytes().set();
  Scan(lexicon_, text, language, kAll, [&sink](const Token& token) {
    sink(token);
    return model::Visit::Continue;
  }).run();
}

void Analyzer::find(std::string_view text, Language language, const FirstBytes& wanted, Finder finder) {
  static const FirstBytes kAll = FirstBytes().set();
  Scan(lexicon_, text, language, keeps_beginnings(language) ? wanted : kAll, finder).run();
}

}  // namespace kbase::text
