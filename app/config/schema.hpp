// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/settings.hpp"
#include "app/config/yaml_tree.hpp"
#include "domain/base/result.hpp"

namespace kbase::config {

/// Sections whose `config` is defined by a plugin.
inline constexpr std::string_view kPluginSections[] = {"storage",  "search", "rate_limit", "cache",
                                                       "codehost", "llm",    "mail"};

/// Returns the configuration's JSON Schema. The `config` of plugin sections is open. The `examples` of `plugin` are the
/// names of the project's own plugins.
nlohmann::ordered_json host_schema();

/// Converts a configuration that was checked against its schema to Settings, without `shown`. `storage_is_ephemeral`:
/// see PluginConfig.
Settings settings_of(const nlohmann::ordered_json& checked, bool storage_is_ephemeral);

using Json = nlohmann::ordered_json;

inline constexpr std::string_view kHidden = "***";

/// Resolves a relative path of the configuration.
std::string absolute_path(const std::string& path);

/// Converts YAML to JSON by a JSON Schema, which determines the types of scalars. Supports type, properties, required,
/// additionalProperties (absent: none), enum, default, minimum, maximum, minLength, maxLength, items, writeOnly and the
/// formats of formats.hpp. Absent members get their defaults. For a writeOnly text, "file:PATH" is replaced by the
/// file's content without its final line end. Paths become absolute.
class SchemaCheck {
 public:
  /// `file` is the document's name in error messages.
  explicit SchemaCheck(std::string_view file) : file_(file) {}

  /// InvalidArgument: a line for each defect, the first 20: "FILE:LINE: path.to.key: reason", or "--set path.to.key:
  /// reason" for values from --set.
  Result<Json> check(const YamlNode& node, const Json& schema);

  /// Returns an error for the value at `path` that violates a rule the schema cannot express.
  Error error_at(const YamlNode& root, std::string_view path, std::string_view reason) const;

 private:
  Result<Json> check_value(const YamlNode& node, const Json& schema);
  Result<Json> check_object(const YamlNode& node, const Json& schema);
  Result<Json> check_list(const YamlNode& node, const Json& schema);
  Result<Json> check_scalar(const YamlNode& node, const Json& schema);
  Result<Json> check_text(const YamlNode& node, const Json& schema);
  bool check_keys(const YamlNode& node, const Json& schema);
  Status check_bounds(const YamlNode& node, const Json& schema, const Json& value);
  Result<Json> member(const YamlNode& node, const std::string& key, const Json& schema, bool required);
  void add_member(Json& object, const YamlNode& node, const std::string& key, const Json& schema, bool required);
  Result<std::string> secret_of(const YamlNode& node);
  Error error(const YamlNode& node, std::string_view reason) const;

  std::string file_;
  std::string path_;  // path of the current value
  std::vector<std::string> defects_;
};

/// Returns `value` with "***" in place of texts that are writeOnly or not covered by a schema. In URLs of the formats
/// "proxy-url" and "server-url", only user and password are replaced.
Json hidden(const Json& value, const Json& schema);

}  // namespace kbase::config
