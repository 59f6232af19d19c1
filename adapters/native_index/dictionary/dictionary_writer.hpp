// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/dictionary/term_block.hpp"

namespace kbase::native_index {

/// Appends a dictionary (see TermBlocks) to `out`, which may be emptied between calls: the writer counts by itself. It
/// holds one block and 12 bytes for each block before it. One thread.
class DictionaryWriter {
 public:
  explicit DictionaryWriter(std::string& out) : out_(out) {}

  /// Terms come in strictly ascending order of their bytes.
  void add(std::string_view term, TermEntry entry);
  /// Writes what is left and the tables. Nothing may follow.
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
