// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/dictionary.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kbase::native_index {
namespace {

constexpr std::size_t kMaxCharacterBytes = 4;

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// A UTF-8 character: its bytes from the highest down, so that characters compare in byte order.
using Character = std::uint32_t;

/// First character of `text`, which must not be empty. `bytes` is the length from its first byte; `character` holds the
/// bytes available.
struct DecodedCharacter {
  Character character;
  std::size_t bytes;
};

inline DecodedCharacter decode_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {std::uint32_t{byte(0)} << 24, 1};
  const std::size_t bytes = byte(0) < 0xC0 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  Character character = 0;
  for (std::size_t i = 0; i < std::min(bytes, text.size()); ++i) character |= std::uint32_t{byte(i)} << (24 - 8 * i);
  return {character, bytes};
}

/// Levenshtein automaton: reads a term character by character and tracks its distance from a word. It is the
/// nondeterministic automaton of Schulz & Mihov 2002 (section 5, with transpositions), simulated bit-parallel (Wu &
/// Manber 1992; transpositions as in Hyyrö 2003). Bit i of a state set represents the word's first i characters.
class TypoAutomaton {
 public:
  static constexpr unsigned kMaxErrors = 2;
  static constexpr std::size_t kMaxCharacters = 63;

  struct State {
    std::array<std::uint64_t, kMaxErrors + 1> reached{};  ///< with at most 0, 1, 2 errors
    std::array<std::uint64_t, kMaxErrors> transposing{};  ///< with 1, 2 errors, between two swapped characters
  };

  /// Returns nullopt for an empty word or one of more than kMaxCharacters characters.
  static std::optional<TypoAutomaton> create(std::string_view word, unsigned max_errors) {
    TypoAutomaton automaton;
    automaton.max_errors_ = std::clamp(max_errors, 1u, kMaxErrors);
    for (; !word.empty(); ++automaton.length_) {
      if (automaton.length_ == kMaxCharacters) return std::nullopt;
      const auto [character, bytes] = decode_character(word);
      word.remove_prefix(std::min(bytes, word.size()));
      automaton.word_[automaton.length_] = character;
      const std::uint64_t position = std::uint64_t{1} << automaton.length_;
      if (character < kNonAscii) {
        automaton.ascii_[character >> 24] |= position;
        continue;
      }
      auto& others = automaton.non_ascii_;
      auto known =
          std::find_if(others.begin(), others.end(), [c = character](auto& other) { return other.first == c; });
      if (known == others.end()) known = others.emplace(others.end(), character, 0);
      known->second |= position;
    }
    if (automaton.length_ == 0) return std::nullopt;
    automaton.valid_ = ~std::uint64_t{0} >> (kMaxCharacters - automaton.length_);
    return automaton;
  }

  State start_state() const {
    State state;
    for (unsigned errors = 0; errors <= kMaxErrors; ++errors)
      state.reached[errors] = ((std::uint64_t{2} << errors) - 1) & valid_;
    return state;
  }
  State next_state(const State& state, Character character) const {
    const std::uint64_t positions = positions_of(character);
    State next;
    next.reached[0] = (state.reached[0] & positions) << 1;
    const auto with = [&](unsigned errors) {
      const std::uint64_t fewer = state.reached[errors - 1];
      next.reached[errors] =
          (((state.reached[errors] & positions) << 1)             // match
           | fewer                                                // insertion
           | (fewer | next.reached[errors - 1]) << 1              // substitution; deletion
           | (state.transposing[errors - 1] & positions) << 2) &  // the earlier of two swapped characters
          valid_;
      next.transposing[errors - 1] = fewer & (positions >> 1);
    };
    with(1);
    with(2);
    return next;
  }
  /// Whether a term with this prefix can be within the maximum distance.
  bool can_match(const State& state) const { return state.reached[max_errors_] != 0; }
  /// For a state that `character` rejects because its errors are used up: returns the first later character that it
  /// accepts, or nullopt.
  std::optional<Character> next_accepted(const State& state, Character character) const {
    std::optional<Character> next;
    for (std::uint64_t positions = state.reached[max_errors_] & (valid_ >> 1); positions != 0;
         positions &= positions - 1) {
      const Character other = word_[static_cast<std::size_t>(std::countr_zero(positions))];
      if (other > character && (!next || other < *next)) next = other;
    }
    return next;
  }
  /// Returns the distance of a term that ends here; nullopt if it exceeds the maximum.
  std::optional<unsigned> distance(const State& state) const {
    for (unsigned errors = 0; errors <= max_errors_; ++errors)
      if ((state.reached[errors] >> length_ & 1) != 0) return errors;
    return std::nullopt;
  }

  /// Maximum length, in characters, of a prefix that is alive.
  std::size_t max_characters() const { return length_ + max_errors_; }

 private:
  static constexpr Character kNonAscii = 0x80000000;

  TypoAutomaton() = default;
  std::uint64_t positions_of(Character character) const {
    if (character < kNonAscii) return ascii_[character >> 24];
    for (const auto& [other, positions] : non_ascii_)
      if (other == character) return positions;
    return 0;
  }

  unsigned max_errors_ = 0;
  std::size_t length_ = 0;
  std::uint64_t valid_ = 0;
  std::array<Character, kMaxCharacters> word_{};
  std::array<std::uint64_t, 128> ascii_{};  // positions of each character in the word; bit 0: first
  std::vector<std::pair<Character, std::uint64_t>> non_ascii_;
};

/// Implementation of Dictionary::find_near: runs the automaton over the sorted terms, resuming at the prefix shared
/// with the previous term, and skips terms that begin with a rejected prefix.
class NearTermSearch {
 public:
  NearTermSearch(const TermBlocks& blocks, const TypoAutomaton& automaton, std::string_view mark,
                 Dictionary::NearSink sink)
      : blocks_(blocks), automaton_(automaton), lower_bound_(std::string(mark) + ' '), sink_(sink) {
    const std::size_t max_path_bytes = mark.size() + (automaton.max_characters() + 1) * kMaxCharacterBytes;
    path_.resize(max_path_bytes);
    states_.resize(max_path_bytes + 1);
    states_[mark.size()] = automaton.start_state();
  }

  void run() {
    if (blocks_.size() == 0) return;
    std::size_t block = blocks_.find_block(lower_bound_);
    while (block < blocks_.size() && search_block(blocks_.at(block))) block = next_block(block);
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// Returns false if no later term can be near.
  bool search_block(TermBlock block) {
    while (block.next()) {
      std::size_t shared = block.shared();
      std::string_view suffix = block.suffix();
      if (block.index() == 0) {
        shared = common_prefix_length(path(), suffix);
        suffix.remove_prefix(shared);
      }
      if (is_rejected(shared, suffix)) continue;
      if (shared < lower_bound_.size()) {
        if (!enter_range(shared, suffix)) return false;
        if (rejected_prefix_ != kNone) continue;
        suffix.remove_prefix(mark().size() - shared);
        shared = mark().size();
      }
      if (run_automaton(shared, suffix)) emit(block);
    }
    return true;
  }
  /// Handles a term that shares at most the mark with the path. Returns false if it sorts after all terms with the
  /// mark.
  bool enter_range(std::size_t shared, std::string_view suffix) {
    const auto end =
        std::copy_n(suffix.data(), std::min(suffix.size(), lower_bound_.size() - shared), path_.data() + shared);
    path_bytes_ = static_cast<std::size_t>(end - path_.data());
    resume_prefix_ = kNone;
    rejected_prefix_ = path() < lower_bound_ ? lower_bound_.size() : kNone;
    return rejected_prefix_ != kNone || path().starts_with(mark());
  }
  /// Runs the automaton over a term: `shared` bytes of the path, then `suffix`. Returns false if the term is not near.
  bool run_automaton(std::size_t shared, std::string_view suffix) {
    path_bytes_ = shared;
    rejected_prefix_ = resume_prefix_ = kNone;
    std::size_t at = shared;  // start of the current character, which may lie in the shared prefix
    if (!suffix.empty() && continues_character(suffix.front())) at = character_start(shared);
    for (const char byte : suffix) {
      path_[path_bytes_++] = byte;
      const auto [character, bytes] = decode_character({path_.data() + at, path_bytes_ - at});
      if (bytes > path_bytes_ - at) continue;
      states_[path_bytes_] = automaton_.next_state(states_[at], character);
      if (!automaton_.can_match(states_[path_bytes_])) {
        reject(at, character);
        return false;
      }
      at = path_bytes_;
    }
    return at == path_bytes_;
  }
  /// Returns the start of the character that byte `end` of the path cuts.
  std::size_t character_start(std::size_t end) const {
    const std::size_t lowest = std::max(mark().size(), end - std::min(end, kMaxCharacterBytes - 1));
    std::size_t begin = end;
    while (begin > lowest && continues_character(path_[--begin])) continue;
    return begin;
  }
  void emit(const TermBlock& block) {
    const auto distance = automaton_.distance(states_[path_bytes_]);
    if (!distance) return;
    if (const auto entry = block.entry()) sink_({path().substr(mark().size()), *entry, *distance});
  }
  void reject(std::size_t at, Character character) {
    const auto next = automaton_.next_accepted(states_[at], character);
    rejected_prefix_ = path_bytes_ = next ? path_bytes_ : at;
    if (!next) return;
    resume_prefix_ = at;
    resume_character_ = *next;
  }
  bool is_rejected(std::size_t shared, std::string_view suffix) const {
    if (shared >= rejected_prefix_) return true;
    return shared == resume_prefix_ && !suffix.empty() &&
           static_cast<unsigned char>(suffix.front()) < resume_character_ >> 24;
  }
  /// Returns the first block after `block` that may contain a term that is not rejected.
  std::size_t next_block(std::size_t block) const {
    std::size_t next = block + 1;
    if (rejected_prefix_ == kNone) return next;
    const std::uint64_t last = last_rejected_key();
    while (next + 1 < blocks_.size() && blocks_.sort_key(next + 1) <= last) ++next;
    return next;
  }
  std::uint64_t last_rejected_key() const {
    const std::size_t bytes = resume_prefix_ == kNone ? rejected_prefix_ : resume_prefix_;
    if (bytes >= kSortKeyBytes) return 0;
    const std::uint64_t any = ~std::uint64_t{0} >> (8 * bytes);
    const std::uint64_t key = make_sort_key(path()) & ~any;
    if (resume_prefix_ == kNone) return key | any;
    const std::uint64_t resume = std::uint64_t{resume_character_} << 32 >> (8 * bytes);
    return (key | resume) - 1;
  }
  std::string_view path() const { return {path_.data(), path_bytes_}; }
  std::string_view mark() const { return std::string_view(lower_bound_).substr(0, lower_bound_.size() - 1); }

  const TermBlocks& blocks_;
  const TypoAutomaton& automaton_;
  // Lower bound of the searched terms: the mark and the lowest character of a word.
  std::string lower_bound_;
  Dictionary::NearSink sink_;

  std::vector<char> path_;                    // current term, up to the point where it was rejected
  std::vector<TypoAutomaton::State> states_;  // state after n bytes of the path, at character ends
  std::size_t path_bytes_ = 0;                // length of the path, bytes
  // Rejected terms: those that begin with the first rejected_prefix_ bytes of the path, and, if resume_prefix_ is set,
  // those that begin with its first resume_prefix_ bytes and sort before these bytes followed by resume_character_.
  std::size_t rejected_prefix_ = kNone;
  std::size_t resume_prefix_ = kNone;
  Character resume_character_ = 0;
};

}  // namespace

void Dictionary::find_near(std::string_view word, unsigned max_distance, std::string_view mark, NearSink sink) const {
  const std::optional<TypoAutomaton> automaton = TypoAutomaton::create(word, max_distance);
  if (automaton) NearTermSearch(blocks_, *automaton, mark, sink).run();
}

}  // namespace kbase::native_index
