// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/packed_views.hpp"

#include <cstddef>
#include <cstdint>

namespace kbase::usecases {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr unsigned kBitsPerByte = 7;  // the eighth is set if more follow
constexpr std::uint8_t kMore = 1u << kBitsPerByte;

void append(std::string& bytes, std::uint64_t number) {
  for (; number >= kMore; number >>= kBitsPerByte) bytes.push_back(static_cast<char>(number | kMore));
  bytes.push_back(static_cast<char>(number));
}

/// Removes a number that append() has written.
std::uint64_t take(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += kBitsPerByte) {
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & (kMore - 1)) << shift;
    if (byte < kMore) return number;
  }
}

/// Days are written as their distance from the day before, modulo 2^32, so that any order is possible.
std::uint32_t number_of(model::Day day) { return static_cast<std::uint32_t>(day.time_since_epoch().count()); }
model::Day day_with(std::uint32_t number) { return model::Day(std::chrono::days(static_cast<std::int32_t>(number))); }

}  // namespace

void PackedViews::add(std::string_view item, std::span<const ports::DayViews> days) {
  if (blocks_.empty() || blocks_.back().size() >= kBlockBytes) blocks_.emplace_back();
  std::string& block = blocks_.back();
  append(block, item.size());
  block.append(item);
  append(block, days.size());
  std::uint32_t before = 0;
  for (const ports::DayViews& each : days) {
    append(block, number_of(each.day) - before);
    append(block, each.views);
    before = number_of(each.day);
  }
}

Status PackedViews::visit(
    FunctionRef<Status(std::string_view item, std::span<const ports::DayViews> days)> visitor) const {
  std::vector<ports::DayViews> days;
  for (std::string_view block : blocks_)
    while (!block.empty()) {
      const auto size = static_cast<std::size_t>(take(block));
      const std::string_view item = block.substr(0, size);
      block.remove_prefix(size);
      days.resize(static_cast<std::size_t>(take(block)));
      std::uint32_t day = 0;
      for (ports::DayViews& each : days) {
        day += static_cast<std::uint32_t>(take(block));
        each = {day_with(day), take(block)};
      }
      KBASE_TRY(visitor(item, days));
    }
  return {};
}

}  // namespace kbase::usecases
