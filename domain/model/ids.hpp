// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "domain/model/result.hpp"

namespace kbase::model {

inline constexpr std::size_t kMaxIdBytes = 256;

/// Why `text` can be no id of an item or category: 1 to 256 bytes of valid UTF-8 without control characters, neither
/// "." nor ".." (contract section 2). Empty where it can.
std::string_view id_defect(std::string_view text);

/// An id that is known to be well formed. `Tag` keeps ids of different things apart.
template <class Tag>
class Id {
 public:
  /// InvalidArgument, parameter "id", with the defect as its message.
  static Result<Id> parse(std::string_view text) {
    if (const std::string_view defect = id_defect(text); !defect.empty())
      return invalid_argument("id", std::string(defect));
    return Id(std::string(text));
  }

  const std::string& text() const noexcept { return text_; }
  auto operator<=>(const Id&) const = default;

 private:
  explicit Id(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

using ItemId = Id<struct ItemTag>;
using CategoryId = Id<struct CategoryTag>;

/// The number of a change: one for each changed record, given in the order of the commits under the store's single
/// writer. Whoever sees r sees everything below. 0: the empty store, before its first change.
using Revision = std::uint64_t;

/// A number that grows whenever the counted views may have changed; 0: none counted yet.
using ViewsRevision = std::uint64_t;

/// 128 random bits made when a store is created: an index or cache of another lineage belongs to other content.
using Lineage = std::array<std::uint8_t, 16>;

}  // namespace kbase::model
