// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/near_walk.hpp"

#include <algorithm>

#include "adapters/native_index/dictionary/term_order.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kMaxCharacterBytes = 4;

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

}  // namespace

NearWalk::NearWalk(const TermBlocks& blocks, const TypoAutomaton& automaton, std::string_view mark,
                   Dictionary::NearSink sink)
    : blocks_(blocks), automaton_(automaton), first_(std::string(mark) + ' '), sink_(sink) {
  const std::size_t longest = mark.size() + (automaton.reach() + 1) * kMaxCharacterBytes;
  path_.resize(longest);
  states_.resize(longest + 1);
  states_[mark.size()] = automaton.start();
}

void NearWalk::run() {
  if (blocks_.size() == 0) return;
  std::size_t block = blocks_.holding(first_);
  while (block < blocks_.size() && walk_block(blocks_.at(block))) block = next_block(block);
}

bool NearWalk::walk_block(TermBlock block) {
  while (block.next()) {
    std::size_t shared = block.shared();
    std::string_view own = block.own();
    if (block.index() == 0) {
      shared = common_prefix(path(), own);
      own.remove_prefix(shared);
    }
    if (given_up(shared, own)) continue;
    if (shared < first_.size()) {
      if (!enter(shared, own)) return false;
      if (dead_ != kNone) continue;
      own.remove_prefix(mark().size() - shared);
      shared = mark().size();
    }
    if (read_on(shared, own)) tell(block);
  }
  return true;
}

bool NearWalk::enter(std::size_t shared, std::string_view own) {
  const auto end = std::copy_n(own.data(), std::min(own.size(), first_.size() - shared), path_.data() + shared);
  depth_ = static_cast<std::size_t>(end - path_.data());
  fork_ = kNone;
  dead_ = path() < first_ ? first_.size() : kNone;
  return dead_ != kNone || path().starts_with(mark());
}

bool NearWalk::read_on(std::size_t shared, std::string_view own) {
  depth_ = shared;
  dead_ = fork_ = kNone;
  std::size_t at = shared;  // start of the current character, which may lie in the shared prefix
  if (!own.empty() && continues_character(own.front())) at = begin_of_character(shared);
  for (const char byte : own) {
    path_[depth_++] = byte;
    const auto [character, bytes] = read_character({path_.data() + at, depth_ - at});
    if (bytes > depth_ - at) continue;
    states_[depth_] = automaton_.after(states_[at], character);
    if (!automaton_.alive(states_[depth_])) {
      give_up(at, character);
      return false;
    }
    at = depth_;
  }
  return at == depth_;
}

std::size_t NearWalk::begin_of_character(std::size_t end) const {
  const std::size_t least = std::max(mark().size(), end - std::min(end, kMaxCharacterBytes - 1));
  std::size_t begin = end;
  while (begin > least && continues_character(path_[--begin])) continue;
  return begin;
}

void NearWalk::tell(const TermBlock& block) {
  const auto distance = automaton_.distance(states_[depth_]);
  if (!distance) return;
  if (const auto entry = block.entry()) sink_({path().substr(mark().size()), *entry, *distance});
}

void NearWalk::give_up(std::size_t at, TypoAutomaton::Character character) {
  const auto next = automaton_.next_alive(states_[at], character);
  dead_ = depth_ = next ? depth_ : at;
  if (!next) return;
  fork_ = at;
  resume_ = *next;
}

bool NearWalk::given_up(std::size_t shared, std::string_view own) const {
  if (shared >= dead_) return true;
  return shared == fork_ && !own.empty() && static_cast<unsigned char>(own.front()) < resume_ >> 24;
}

std::size_t NearWalk::next_block(std::size_t block) const {
  std::size_t next = block + 1;
  if (dead_ == kNone) return next;
  const std::uint64_t last = last_start_given_up();
  while (next + 1 < blocks_.size() && blocks_.start(next + 1) <= last) ++next;
  return next;
}

std::uint64_t NearWalk::last_start_given_up() const {
  const std::size_t bytes = fork_ == kNone ? dead_ : fork_;
  if (bytes >= kStartBytes) return 0;
  const std::uint64_t any = ~std::uint64_t{0} >> (8 * bytes);
  const std::uint64_t start = start_of(path()) & ~any;
  if (fork_ == kNone) return start | any;
  const std::uint64_t resume = std::uint64_t{resume_} << 32 >> (8 * bytes);
  return (start | resume) - 1;
}

}  // namespace kbase::native_index
