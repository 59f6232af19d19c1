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

/// Section of a dictionary. Layout:
///
///     blocks   of kBlockTerms terms each; only the last may have fewer
///     zeros    up to a multiple of 8
///     u64      per block the first 8 bytes of its first term, encoded by start_of
///     u32      per block its offset; limits the blocks to 4 GiB, about 500 million terms
///     u64 u64  footer: number of terms, bytes of all blocks
///
/// Numbers are little-endian. A view: the section must outlive it. Thread-safe.
class TermBlocks {
 public:
  TermBlocks() = default;
  static model::Result<TermBlocks> open(std::string_view section);

  std::size_t size() const { return size_; }
  std::uint64_t terms() const { return terms_; }
  std::uint64_t start(std::size_t block) const { return load<std::uint64_t>(starts_ + 8 * block); }
  TermBlock at(std::size_t block) const;

  /// Returns the last block whose first term is at most `term`, or block 0 if there is none. Requires size() > 0.
  std::size_t holding(std::string_view term) const;

 private:
  std::size_t starting_up_to(std::uint64_t start) const;
  std::string_view first_term(std::size_t block) const;

  std::string_view section_;
  std::size_t bytes_ = 0;  // total bytes of all blocks
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
