// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "app/composition/backends.hpp"

namespace kbase::composition {
namespace {

struct PluginSchema {
  std::string_view section, plugin, schema;
};

constexpr std::array<PluginSchema, 6> kSchemas = {{
    {"storage", "sqlite", R"({
      "type": "object", "additionalProperties": false, "properties": {
        "path": {"type": "string", "format": "path",
          "description": "The file of items and categories, on a local disk; default: content.db in data_dir."}}})"},
    {"storage", "memory", R"({"type": "object", "additionalProperties": false, "properties": {}})"},
    {"search", "fts5", R"({
      "type": "object", "additionalProperties": false, "properties": {
        "path": {"type": "string", "format": "path",
          "description": "The folder of the index, on a local disk; default: index in data_dir."},
        "language": {"type": "string", "default": "auto",
          "description": "Whose inflection is stemmed: auto (found for each item), none, or an ISO 639-1 code. A change rebuilds the index."}}})"},
    {"search", "memory", R"({"type": "object", "additionalProperties": false, "properties": {}})"},
    {"rate_limit", "memory", R"({
      "type": "object", "additionalProperties": false, "properties": {
        "max_subjects": {"type": "integer", "minimum": 1000, "default": 1000000,
          "description": "Keys and addresses counted at a time, some 120 bytes each; past it idle ones are forgotten first."}}})"},
    {"cache", "memory", R"({
      "type": "object", "additionalProperties": false, "properties": {
        "max_bytes": {"type": "string", "format": "size", "default": "64MiB",
          "description": "Memory for remembered answers; past it the least used ones go."}}})"},
}};

}  // namespace

model::Result<config::PluginConfig> plugin_config(const config::ChosenPlugin& chosen) {
  std::string names;
  for (const PluginSchema& known : kSchemas) {
    if (known.section != chosen.section) continue;
    if (known.plugin == chosen.plugin)
      return config::PluginConfig{known.schema, chosen.section == "storage" && chosen.plugin == "memory"};
    names.append(names.empty() ? "" : ", ").append(known.plugin);
  }
  return model::Error{
      model::ErrorCode::NotFound,
      "there is no plugin '" + chosen.plugin + "' for it" + (names.empty() ? "" : ": known are " + names),
      {},
      {},
      {}};
}

}  // namespace kbase::composition
