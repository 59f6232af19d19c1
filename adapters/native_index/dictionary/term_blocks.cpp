// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/term_blocks.hpp"

#include "adapters/native_index/dictionary/term_order.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kTableBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);  // per block

model::Error damaged(std::string detail) {
  return {model::ErrorCode::Corrupt,
          "The search index is damaged; rebuild it.",
          "dictionary: " + std::move(detail),
          {},
          {}};
}

}  // namespace

model::Result<TermBlocks> TermBlocks::open(std::string_view section) {
  if (section.size() < kFooterBytes) return damaged("it ends before its footer");
  const std::string_view tables = section.substr(0, section.size() - kFooterBytes);
  const auto terms = load<std::uint64_t>(section.data() + tables.size());
  const auto bytes = load<std::uint64_t>(section.data() + tables.size() + 8);
  const std::uint64_t blocks = terms / kBlockTerms + (terms % kBlockTerms != 0 ? 1 : 0);
  if (bytes > tables.size() || blocks > tables.size() / kTableBytes ||
      padded(bytes) + blocks * kTableBytes != tables.size())
    return damaged("its footer contradicts its size");

  TermBlocks opened;
  opened.section_ = section;
  opened.bytes_ = bytes;
  opened.starts_ = section.data() + padded(bytes);
  opened.offsets_ = opened.starts_ + sizeof(std::uint64_t) * blocks;
  opened.size_ = blocks;
  opened.terms_ = terms;
  return opened;
}

TermBlock TermBlocks::at(std::size_t block) const {
  const bool last = block + 1 == size_;
  const std::size_t begin = load<std::uint32_t>(offsets_ + 4 * block);
  const std::size_t end = last ? bytes_ : load<std::uint32_t>(offsets_ + 4 * (block + 1));
  if (begin > end || end > bytes_) return {{}, 0, kBlockTerms};
  return {section_.substr(begin), end - begin, last ? terms_ - block * kBlockTerms : kBlockTerms};
}

std::size_t TermBlocks::holding(std::string_view term) const {
  const std::uint64_t wanted = start_of(term);
  std::size_t behind = starting_up_to(wanted);
  if (behind == 0) return 0;
  --behind;
  if (start(behind) < wanted || first_term(behind) <= term) return behind;
  // Several blocks may share these 8 bytes; a binary search over their first terms decides.
  std::size_t before = wanted == 0 ? 0 : starting_up_to(wanted - 1);
  while (before < behind) {
    const std::size_t middle = before + (behind - before) / 2;
    if (first_term(middle) <= term)
      before = middle + 1;
    else
      behind = middle;
  }
  return behind == 0 ? 0 : behind - 1;
}

/// Returns the number of blocks whose start is at most `wanted`. A branchless binary search, because the comparisons
/// are unpredictable and mispredicted branches would dominate the cost.
std::size_t TermBlocks::starting_up_to(std::uint64_t wanted) const {
  std::size_t passed = 0;
  for (std::size_t length = size_; length > 0;) {
    const std::size_t half = (length + 1) / 2;
    passed += half * static_cast<std::size_t>(start(passed + half - 1) <= wanted);
    length -= half;
    if (length <= 8) __builtin_prefetch(offsets_ + 4 * passed);  // read next; saves a tenth of a lookup
  }
  return passed;
}

std::string_view TermBlocks::first_term(std::size_t block) const {
  TermBlock terms = at(block);
  return terms.next() ? terms.own() : std::string_view();
}

}  // namespace kbase::native_index
