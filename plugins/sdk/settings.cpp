// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/settings.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace kbase::sdk {
namespace {

using Json = nlohmann::json;

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array<Unit, 4> kUnits = {{{"", 1}, {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}}};

std::optional<std::uint64_t> bytes_of(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc()) return std::nullopt;
  const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : kUnits)
    if (unit.name == name && count <= std::numeric_limits<std::uint64_t>::max() / unit.bytes) return count * unit.bytes;
  return std::nullopt;
}

}  // namespace

struct Settings::Values {
  Json json;

  /// Null where there is none.
  const Json* find(std::string_view name) const {
    const auto found = json.find(name);
    return found == json.end() ? nullptr : &*found;
  }
};

model::Result<Settings> Settings::parse(std::string_view json) {
  Json parsed = json.empty() ? Json::object() : Json::parse(json, nullptr, false);
  if (!parsed.is_object()) return model::invalid_argument("config", "the settings are no JSON object");
  return Settings(std::make_shared<const Values>(Values{std::move(parsed)}));
}

std::string Settings::text(std::string_view name, std::string_view otherwise) const {
  const Json* value = values_->find(name);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is_string()) throw WrongSetting(name, "must be a text");
  return value->get<std::string>();
}

std::filesystem::path Settings::path(std::string_view name, const std::filesystem::path& otherwise) const {
  return text(name, otherwise.native());
}

bool Settings::flag(std::string_view name, bool otherwise) const {
  const Json* value = values_->find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) throw WrongSetting(name, "must be true or false");
  return value->get<bool>();
}

std::uint64_t Settings::number(std::string_view name, std::uint64_t otherwise) const {
  const Json* value = values_->find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_number_unsigned()) throw WrongSetting(name, "must be a whole number, 0 or more");
  return value->get<std::uint64_t>();
}

std::uint64_t Settings::bytes(std::string_view name, std::uint64_t otherwise) const {
  const Json* value = values_->find(name);
  if (value == nullptr || value->is_number()) return number(name, otherwise);
  const auto read = bytes_of(text(name, {}));
  if (!read) throw WrongSetting(name, "must be a size, such as 64MiB");
  return *read;
}

}  // namespace kbase::sdk
