// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/settings.hpp"

#include <nlohmann/json.hpp>

#include "domain/model/units.hpp"

namespace kbase::sdk {

using Json = nlohmann::json;

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
  const auto read = model::parse_size(text(name, {}));
  if (!read) throw WrongSetting(name, "must be a size, such as 64MiB");
  return *read;
}

}  // namespace kbase::sdk
