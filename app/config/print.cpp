// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/config/expansion.hpp"
#include "app/config/settings.hpp"

namespace kbase::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlainCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-";

/// Whether all YAML parsers, old ones included, read the unquoted text as a string: it contains a letter and is neither
/// a YAML keyword nor a number.
bool is_plain(std::string_view text) {
  constexpr std::string_view kWords[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  const bool has_letter =
      std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z' && c != 'e'; });
  return has_letter && text.find_first_not_of(kPlainCharacters) == text.npos && !text.starts_with('-') &&
         std::find(std::begin(kWords), std::end(kWords), text) == std::end(kWords);
}

std::string scalar(const Json& value) {
  if (!value.is_string()) return value.dump();  // also an empty list or map
  const std::string text = without_expansion(value.get<std::string>());
  return is_plain(text) ? text : Json(text).dump();  // JSON strings are valid YAML strings
}

void append(std::string& yaml, const Json& value, std::size_t indent);

/// Appends `value` after its key or dash: on the same line, or on lines of its own.
void append_after(std::string& yaml, const Json& value, std::size_t indent) {
  if (!value.is_structured() || value.empty()) {
    yaml.append(" ").append(scalar(value)).append("\n");
  } else {
    yaml += '\n';
    append(yaml, value, indent);
  }
}

void append(std::string& yaml, const Json& value, std::size_t indent) {
  constexpr std::size_t kStep = 2;
  for (const auto& [key, entry] : value.items()) {
    yaml.append(indent, ' ').append(value.is_array() ? "-" : scalar(Json(key)) + ":");
    append_after(yaml, entry, indent + kStep);
  }
}

}  // namespace

std::string print(const Settings& settings) {
  std::string yaml;
  append(yaml, Json::parse(settings.shown), 0);
  return yaml;
}

}  // namespace kbase::config
