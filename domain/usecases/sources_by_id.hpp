// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace kbase::usecases {

/// Ids and the number of the source in which each was seen last, in about 25 bytes and the length of the id. An id has
/// at most model::kMaxIdBytes. Not thread-safe.
class SourcesById {
 public:
  /// Returns false if the source contained the id already. `source`: at least 1.
  bool insert(std::string_view id, std::uint32_t source);

  /// Adds an id that no source contains, unless it is known.
  void mention(std::string_view id) { find_or_add(id); }

  void remove(std::string_view id);

  bool contains(std::string_view id) const;

  std::uint64_t size() const { return size_; }

 private:
  /// Precedes the text of an id.
  struct Head {
    std::uint32_t source = 0;  // 0: only mentioned
    std::uint16_t size = 0;
    bool is_present = true;
  };

  static std::string_view text_of(const Head& head) { return {reinterpret_cast<const char*>(&head + 1), head.size}; }
  std::size_t slot_of(std::string_view id) const;
  Head& find_or_add(std::string_view id);
  void grow();

  std::vector<Head*> slots_ = std::vector<Head*>(1024);  // hash table with linear probing; null: free
  std::size_t used_ = 0;                                 // slots, with those of removed ids
  std::uint64_t size_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;  // of heads and texts
  std::size_t block_used_ = 0;
};

}  // namespace kbase::usecases
