// SPDX-License-Identifier: Apache-2.0
#include "domain/model/units.hpp"

#include <charconv>
#include <span>

namespace kbase::model {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Unit kDurations[] = {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
constexpr Unit kSizes[] = {{"", 1}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}};
constexpr std::uint64_t kMaxDurationMs = 100ull * 366 * 86'400'000;
constexpr std::uint64_t kMaxSizeBytes = (std::uint64_t{1} << 63) - 1;

std::optional<std::uint64_t> parse(std::string_view text, std::span<const Unit> units, std::uint64_t maximum) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const Unit& unit : units)
    if (unit.name == name && number <= maximum / unit.factor) return number * unit.factor;
  return std::nullopt;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto count = parse(text, kDurations, kMaxDurationMs);
  if (!count) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(*count));
}

std::optional<std::uint64_t> parse_size(std::string_view text) { return parse(text, kSizes, kMaxSizeBytes); }

}  // namespace kbase::model
