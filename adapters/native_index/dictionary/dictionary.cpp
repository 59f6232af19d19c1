// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/dictionary.hpp"

#include "adapters/native_index/dictionary/term_blocks.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {

TermCursor::TermCursor(const TermBlocks& blocks, std::string_view prefix) : blocks_(blocks), prefix_(prefix) {
  if (blocks_.size() > 0) next_block_ = blocks_.find_block(prefix);
}

bool TermCursor::next() {
  if (!advance()) return false;
  while (at_first_ && term_ < prefix_)
    if (!advance()) return false;
  at_first_ = false;
  return std::string_view(term_).starts_with(prefix_);
}

bool TermCursor::advance() {
  while (!block_.next()) {
    if (block_.damaged()) return mark_damaged();
    if (next_block_ == blocks_.size()) return false;
    block_ = blocks_.at(next_block_++);
  }
  term_.resize(block_.shared());
  term_ += block_.suffix();
  const auto entry = block_.entry();
  if (!entry) return mark_damaged();
  entry_ = *entry;
  return true;
}

bool TermCursor::mark_damaged() {
  damaged_ = true;
  block_ = TermBlock();
  next_block_ = blocks_.size();
  return false;
}

Result<Dictionary> Dictionary::open(std::span<const std::byte> section) {
  auto blocks = KBASE_TRY(TermBlocks::open(as_text(section)));
  return Dictionary(blocks);
}

std::optional<TermEntry> Dictionary::find(std::string_view term) const {
  if (blocks_.size() == 0) return std::nullopt;
  TermBlock block = blocks_.at(blocks_.find_block(term));
  std::size_t matched = 0;  // common prefix of `term` and the block's previous term, bytes
  while (block.next()) {
    if (block.shared() > matched) continue;  // same mismatch with `term` as the previous term
    if (block.shared() < matched) return std::nullopt;
    const std::size_t common = common_prefix_length(block.suffix(), term.substr(matched));
    matched += common;
    if (common == block.suffix().size() && matched == term.size()) return block.entry();
  }
  return std::nullopt;
}

}  // namespace kbase::native_index
