// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "app/config/yaml_tree.hpp"
#include "domain/model/result.hpp"

namespace kbase::config {

using Json = nlohmann::ordered_json;

inline constexpr std::string_view kHidden = "***";

/// What a relative path of the configuration means.
std::string absolute_path(const std::string& path);

/// Makes JSON of YAML by a JSON Schema, which decides what a scalar is. Understood are type, properties, required,
/// additionalProperties (absent: none), enum, default, minimum, maximum, minLength, maxLength, items, writeOnly and the
/// formats of formats.hpp; absent members get their defaults. Of a writeOnly text, "file:PATH" stands for the file's
/// content without the line end that closes it. Paths become absolute.
class SchemaCheck {
 public:
  /// `file` names the document in errors.
  explicit SchemaCheck(std::string_view file) : file_(file) {}

  /// InvalidArgument: "FILE:LINE: path.to.key: reason", or "--set path.to.key: reason" of what came by --set.
  model::Result<Json> check(const YamlNode& node, const Json& schema);

  /// The error of the value at `path` for a rule that no schema can say.
  model::Error error_at(const YamlNode& root, std::string_view path, std::string_view reason) const;

 private:
  model::Result<Json> check_value(const YamlNode& node, const Json& schema);
  model::Result<Json> check_object(const YamlNode& node, const Json& schema);
  model::Result<Json> check_list(const YamlNode& node, const Json& schema);
  model::Result<Json> check_scalar(const YamlNode& node, const Json& schema);
  model::Result<Json> check_text(const YamlNode& node, const Json& schema);
  model::Status check_keys(const YamlNode& node, const Json& schema);
  model::Status check_bounds(const YamlNode& node, const Json& schema, const Json& value);
  model::Result<Json> member(const YamlNode& node, const std::string& key, const Json& schema, bool required);
  model::Result<std::string> secret_of(const YamlNode& node);
  model::Error error(const YamlNode& node, std::string_view reason) const;

  std::string file_;
  std::string path_;  // of the value that is being checked
};

/// `value` with "***" for every text that its schema calls writeOnly, of a proxy's URL its user and password alone, and
/// for every text that no schema says anything of.
Json hidden(const Json& value, const Json& schema);

}  // namespace kbase::config
