// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/dictionary/term_block.hpp"

namespace kbase::native_index {

/// Appends a dictionary (layout: TermBlocks) to `out`. The caller may empty `out` between calls, because the writer
/// counts its bytes itself. Holds one block, and 12 bytes per earlier block. Not thread-safe.
class DictionaryWriter {
 public:
  explicit DictionaryWriter(std::string& out) : out_(out) {}

  /// Adds a term. Terms must come in strictly ascending byte order.
  void add(std::string_view term, TermEntry entry);
  /// Writes the last block and the tables. No call may follow.
  void finish();

 private:
  void finish_block();
  void append_entries();

  std::string& out_;
  std::string last_term_;
  std::uint64_t terms_ = 0;

  std::string headers_;
  std::string own_;
  std::vector<TermEntry> entries_;

  std::uint64_t written_ = 0;
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint32_t> offsets_;
};

}  // namespace kbase::native_index
