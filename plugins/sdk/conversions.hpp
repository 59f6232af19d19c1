// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/account.hpp"
#include "domain/model/api_key.hpp"
#include "domain/model/day.hpp"
#include "domain/model/item.hpp"
#include "domain/model/query.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/language_model.hpp"
#include "ports/driven/rate_limit_store.hpp"
#include "ports/driven/search_index.hpp"

/// Conversion of single values between the ports and the C header.
namespace kbase::sdk {

/// Storage for the lists of one row or one call: a buffer inside the object, then blocks on the heap. Allocations stay
/// valid until clear(). Not thread-safe.
class Arena {
 public:
  Arena() noexcept {}  // leaves the buffer uninitialized
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Returns `count` value-initialized elements.
  template <class T> std::span<T> make(std::size_t count) {
    const std::span<T> made = make_uninitialized<T>(count);
    std::uninitialized_value_construct_n(made.data(), count);
    return made;
  }

  /// Returns `count` elements that the caller must assign.
  template <class T>
  requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> std::span<T> make_uninitialized(
      std::size_t count) {
    static_assert(alignof(T) <= kAlignment);
    const std::size_t size = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    if (size > static_cast<std::size_t>(end_ - next_)) [[unlikely]]
      add_block(size);
    T* const first = reinterpret_cast<T*>(next_);
    next_ += size;
    return {first, count};
  }

  /// Invalidates all allocations.
  void clear() noexcept {
    if (next_ == buffer_) return;
    next_ = buffer_;
    if (!blocks_.empty()) [[unlikely]]
      drop_blocks();
  }

 private:
  static constexpr std::size_t kAlignment = 8;
  static constexpr std::size_t kBufferBytes = 512;  // 32 texts
  static constexpr std::size_t kBlockBytes = std::size_t{16} << 10;

  [[gnu::cold, gnu::noinline]] void drop_blocks() noexcept {
    blocks_.clear();
    end_ = buffer_ + kBufferBytes;
  }

  [[gnu::cold, gnu::noinline]] void add_block(std::size_t size) {
    const std::size_t bytes = std::max(size, kBlockBytes);
    next_ = blocks_.emplace_back(new std::byte[bytes]).get();
    end_ = next_ + bytes;
  }

  alignas(kAlignment) std::byte buffer_[kBufferBytes];
  std::byte* next_ = buffer_;
  std::byte* end_ = buffer_ + kBufferBytes;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
};

/// The flag of kb_search_request.wants for a facet, by its index in ports::kFacets.
inline constexpr std::array<std::uint32_t, ports::kFacets.size()> kFacetFlags = {KB_WANTS_CATEGORIES, KB_WANTS_TAGS,
                                                                                 KB_WANTS_LANGUAGES, KB_WANTS_VERSIONS};

inline kb_view view_of(std::string_view text) noexcept { return {text.data(), text.size()}; }
inline std::string_view text_of(kb_view view) noexcept { return {view.data, view.size}; }

/// Returns a zero-initialized struct, with struct_size set if it has one.
template <class Struct> Struct sized() noexcept {
  Struct made{};
  if constexpr (requires { made.struct_size; }) made.struct_size = sizeof made;
  return made;
}

/// Copies `made` to the caller's struct `out`, at most out.struct_size bytes; the size member stays unchanged.
template <class Struct> void fill_in(const Struct& made, Struct& out) noexcept {
  constexpr std::size_t kHead = sizeof(out.struct_size);
  const std::size_t size = std::min<std::size_t>(out.struct_size, sizeof(Struct));
  if (size <= kHead) return;
  std::memcpy(reinterpret_cast<char*>(&out) + kHead, reinterpret_cast<const char*>(&made) + kHead, size - kHead);
}

/// KB_OK has no error code. Unknown numbers become Internal.
kb_status status_of(ErrorCode code) noexcept;
ErrorCode code_of(kb_status status) noexcept;

kb_explanation explanation_of(const Error& error) noexcept;
/// Copies the texts.
Error error_of(kb_status status, const kb_explanation& why);

inline std::int32_t number_of(model::Day day) noexcept {
  return static_cast<std::int32_t>(day.time_since_epoch().count());
}
inline model::Day day_of(std::int32_t number) noexcept { return model::Day(std::chrono::days(number)); }
inline std::int64_t milliseconds_of(model::Instant instant) noexcept { return instant.time_since_epoch().count(); }
inline model::Instant instant_of(std::int64_t milliseconds) noexcept {
  return model::Instant(std::chrono::milliseconds(milliseconds));
}

/// Converts a duration in milliseconds. One above a year becomes a year, so that adding it to a time never overflows.
inline std::chrono::milliseconds duration_of(std::uint64_t milliseconds) noexcept {
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 366);
  return std::chrono::milliseconds(std::min<std::uint64_t>(milliseconds, kLongest.count()));
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

/// Converts to the ports' 32-bit counts. A larger limit becomes the maximum; a larger cost cannot be charged.
inline std::uint32_t narrowed(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, std::numeric_limits<std::uint32_t>::max()));
}

kb_take to_c(const ports::AcquireRequest& request) noexcept;
/// Requires a cost that fits into 32 bits.
ports::AcquireRequest from_c(const kb_take& take) noexcept;

/// The members of the C struct `Row` and of the port's `Value` that correspond. `visit(converter, row, value)` calls a
/// member function of the converter for each pair. Specializations are generated from ports/definitions. A row that a
/// sink receives as separate parameters is a std::tuple of them.
template <class Row, class Value> struct Fields;

/// A C number and the enumerator with the same meaning.
template <class Enum> struct Choice {
  std::int32_t number;
  Enum value;
};

/// Converts a number that no enumerator has, as a newer header may add one. nullopt: it is an error.
template <class Enum> inline constexpr std::optional<Enum> kUnknownChoice = std::nullopt;
template <>
inline constexpr std::optional<ports::FinishReason> kUnknownChoice<ports::FinishReason> = ports::FinishReason::Other;

/// null: no error. Otherwise a phrase that continues "the plugin", for a caller who passed a wrong value.
using Violation = const char*;

}  // namespace kbase::sdk
