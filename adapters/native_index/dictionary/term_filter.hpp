// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::native_index {

/// Returns a hash of a term, of which all bits depend on all bytes.
inline std::uint32_t hash_term(std::string_view term) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  std::uint64_t hash = term.size() * kFactor;
  for (std::size_t at = 0; at < term.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, term.data() + at, std::min(sizeof(bytes), term.size() - at));
    hash = (hash ^ bytes) * kFactor;
    hash ^= hash >> 32;
  }
  return static_cast<std::uint32_t>(hash * kFactor >> 32);
}

/// Approximate set of the terms of a dictionary, so that most terms that it lacks are found out by reading one cache
/// line. Blocked Bloom filter (Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters", 2007): a
/// term sets kBits bits of one block; at eight bits for each term, about one missing term in thirty seems to be there.
///
/// A view of bytes that make_term_filter() wrote. Thread-safe.
class TermFilter {
 public:
  static constexpr std::size_t kBlockBytes = 64;
  static constexpr std::size_t kTermsPerBlock = 64;
  static constexpr int kBits = 5;

  TermFilter() = default;  ///< may have every term
  /// `blocks` is a multiple of kBlockBytes and best aligned to it.
  explicit TermFilter(std::string_view blocks) : blocks_(blocks) {}

  bool may_have(std::string_view term) const {
    if (blocks_.empty()) return true;
    const std::uint32_t hash = hash_term(term);
    const char* const block = blocks_.data() + block_of(hash, blocks_.size() / kBlockBytes) * kBlockBytes;
    bool has = true;
    visit_bits(hash, [&](std::size_t bit) { has = has && (block[bit / 8] >> (bit % 8) & 1) != 0; });
    return has;
  }

 private:
  friend std::string make_term_filter(std::span<const std::uint32_t> hashes);

  static std::size_t block_of(std::uint32_t hash, std::size_t blocks) {
    return static_cast<std::size_t>(std::uint64_t{hash} * blocks >> 32);
  }

  template <class Visitor> static void visit_bits(std::uint32_t hash, const Visitor& visit) {
    constexpr unsigned kBitsOfBit = 9;  // 512 bits of a block
    std::uint64_t bits = hash * std::uint64_t{0xD6E8FEB86659FD93};
    for (int i = 0; i < kBits; ++i, bits <<= kBitsOfBit) visit(static_cast<std::size_t>(bits >> (64 - kBitsOfBit)));
  }

  std::string_view blocks_;
};

/// Returns the filter of the terms with these hashes.
inline std::string make_term_filter(std::span<const std::uint32_t> hashes) {
  const std::size_t blocks = (hashes.size() + TermFilter::kTermsPerBlock - 1) / TermFilter::kTermsPerBlock;
  std::string filter(blocks * TermFilter::kBlockBytes, '\0');
  for (const std::uint32_t hash : hashes) {
    char* const block = filter.data() + TermFilter::block_of(hash, blocks) * TermFilter::kBlockBytes;
    TermFilter::visit_bits(
        hash, [block](std::size_t bit) { block[bit / 8] = static_cast<char>(block[bit / 8] | 1 << bit % 8); });
  }
  return filter;
}

}  // namespace kbase::native_index
