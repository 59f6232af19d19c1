// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "domain/model/api_key.hpp"
#include "domain/model/item.hpp"
#include "domain/model/query.hpp"
#include "domain/model/result.hpp"
#include "plugins/sdk/small_array.hpp"
#include "ports/driven/api_key_store.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

/// Conversion between the ports' values and the structs of the C header. Host and plugin both use both directions. A
/// result points into its source or into the translator that made it; it is valid until the translator's next use.
namespace kbase::sdk {

inline kb_view view_of(std::string_view text) noexcept {
  return {text.data(), text.size()};
}
inline std::string_view text_of(kb_view view) noexcept {
  return {view.data, view.size};
}

/// Returns a zero-initialized struct with struct_size set.
template <class Struct>
Struct sized() noexcept {
  Struct made{};
  made.struct_size = sizeof made;
  return made;
}

/// Copies `made` to the caller's struct `out`, at most out.struct_size bytes; the size member stays unchanged.
template <class Struct>
void fill_in(const Struct& made, Struct& out) noexcept {
  constexpr std::size_t kHead = sizeof(out.struct_size);
  const std::size_t size = std::min<std::size_t>(out.struct_size, sizeof(Struct));
  if (size <= kHead) return;
  std::memcpy(reinterpret_cast<char*>(&out) + kHead, reinterpret_cast<const char*>(&made) + kHead, size - kHead);
}

/// KB_OK has no error code. Unknown numbers become Internal.
kb_status status_of(model::ErrorCode code) noexcept;
model::ErrorCode code_of(kb_status status) noexcept;

kb_explanation explanation_of(const model::Error& error) noexcept;
/// Copies the texts.
model::Error error_of(kb_status status, const kb_explanation& why);

inline std::int32_t number_of(model::Day day) noexcept {
  return static_cast<std::int32_t>(day.time_since_epoch().count());
}
inline model::Day day_of(std::int32_t number) noexcept {
  return model::Day(std::chrono::days(number));
}
inline std::int64_t milliseconds_of(model::Instant instant) noexcept {
  return instant.time_since_epoch().count();
}
inline model::Instant instant_of(std::int64_t milliseconds) noexcept {
  return model::Instant(std::chrono::milliseconds(milliseconds));
}

/// Converts a deadline to nanoseconds of the host's monotonic clock, and back.
inline std::uint64_t nanoseconds_of(ports::Call::SteadyTime time) noexcept {
  if (time == ports::Call::SteadyTime::max()) return std::numeric_limits<std::uint64_t>::max();
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  return since < 0 ? 0 : static_cast<std::uint64_t>(since);
}
inline ports::Call::SteadyTime time_of(std::uint64_t nanoseconds) noexcept {
  using Nanoseconds = std::chrono::nanoseconds;
  if (nanoseconds > static_cast<std::uint64_t>(Nanoseconds::max().count())) return ports::Call::SteadyTime::max();
  return ports::Call::SteadyTime(std::chrono::duration_cast<ports::Call::SteadyTime::duration>(
      Nanoseconds(static_cast<std::int64_t>(nanoseconds))));
}

/// Number of tags, related ids etc. that are converted without heap allocation.
inline constexpr std::size_t kFewTexts = 24;

/// Creates the C struct of one row at a time. Not thread-safe. Reuses its memory for the next row.
class RowToC {
 public:
  kb_item item(const model::ItemView& item);
  /// `content` and `related` are empty.
  kb_item summary(const model::ItemSummaryView& summary);
  kb_category category(const model::CategoryView& category);

 private:
  SmallArray<kb_view, kFewTexts> views_;
};

/// Creates the C structs of a call's arguments. Not thread-safe.
class ToC {
 public:
  /// Returns pointers to the conversions of all `items`.
  std::span<const kb_item* const> items(std::span<const model::ItemView* const> items);
  kb_category category(const model::CategoryView& category) { return row_.category(category); }

  /// Returns null for null.
  const kb_query_node* query(const model::QueryNode* root);

 private:
  kb_query_node* node(const model::QueryNode& node);

  RowToC row_;
  std::vector<kb_view> views_;
  std::vector<kb_item> items_;
  std::vector<const kb_item*> pointers_;
  std::vector<kb_query_node> nodes_;
};

/// Creates port values from C structs. Not thread-safe.
class FromC {
 public:
  model::ItemView item(const kb_item& item);
  model::CategoryView category(const kb_category& category);
  std::span<const model::ItemView* const> items(const kb_item* const* items, std::size_t count);
  std::span<const std::string_view> texts(const kb_view* views, std::size_t count);

  /// Error: InvalidArgument if the tree is not one that parse_query can return (too large, too deep, or with an unknown
  /// kind).
  static model::Result<model::QueryNode> query(const kb_query_node& root);

 private:
  SmallArray<std::string_view, kFewTexts> texts_;
  std::vector<model::ItemView> items_;
  std::vector<const model::ItemView*> pointers_;
};

/// Converts to the ports' 32-bit counts. A larger limit becomes the maximum; a larger cost cannot be charged.
inline std::uint32_t narrowed(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}
kb_take take_of(const ports::AcquireRequest& take) noexcept;
/// Requires a cost that fits into 32 bits.
ports::AcquireRequest take_of(const kb_take& take) noexcept;
/// Writes at most out.struct_size bytes.
void give(const ports::Decision& taken, kb_taken& out) noexcept;
ports::Decision taken_of(const kb_taken& taken) noexcept;

kb_key key_of(const model::ApiKey& key) noexcept;
model::ApiKey key_of(const kb_key& key);
inline kb_key_usage usage_of(const ports::KeyUsage& usage) noexcept {
  return {sizeof(kb_key_usage), number_of(usage.day), view_of(usage.id), usage.requests};
}

kb_completion_request request_of(const ports::Prompt& prompt) noexcept;
ports::Prompt prompt_of(const kb_completion_request& request) noexcept;
kb_completion completion_of(const ports::Completion& completion) noexcept;
/// An unknown finish reason becomes Other.
ports::Completion completion_of(const kb_completion& completion);

}  // namespace kbase::sdk
