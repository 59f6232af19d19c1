// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "adapters/native_index/dictionary/term_block.hpp"
#include "adapters/native_index/files/bytes.hpp"
#include "domain/model/result.hpp"

namespace kbase::native_index {

/// The section of a dictionary:
///
///     blocks   each of kBlockTerms terms, only the last of fewer
///     zeros    up to a multiple of 8
///     u64      for each block the first 8 bytes of its first term, as start_of makes them of it
///     u32      for each block where it begins: a section of blocks is below 4 GiB, some 500 million terms
///     u64 u64  the footer: number of terms, bytes of all blocks
///
/// Numbers are little-endian. A view: the section has to outlive it. Any number of threads.
class TermBlocks {
 public:
  TermBlocks() = default;
  static model::Result<TermBlocks> open(std::string_view section);

  std::size_t size() const { return size_; }
  std::uint64_t terms() const { return terms_; }
  std::uint64_t start(std::size_t block) const { return load<std::uint64_t>(starts_ + 8 * block); }
  TermBlock at(std::size_t block) const;

  /// The last block whose first term is not behind `term`; the first one where all are. Not for an empty dictionary.
  std::size_t holding(std::string_view term) const;

 private:
  std::size_t starting_up_to(std::uint64_t start) const;
  std::string_view first_term(std::size_t block) const;

  std::string_view section_;
  std::size_t bytes_ = 0;  // of all blocks
  const char* starts_ = nullptr;
  const char* offsets_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t terms_ = 0;
};

inline constexpr std::size_t kFooterBytes = 16;

inline std::size_t padded(std::size_t bytes) {
  return (bytes + 7) & ~std::size_t{7};
}

}  // namespace kbase::native_index
