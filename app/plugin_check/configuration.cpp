// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/configuration.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "app/config/schema.hpp"
#include "app/config/yaml_tree.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_check {
namespace {

using config::Json;
namespace fs = std::filesystem;

// Placeholders in defaults: the data folder and the name of a knowledge base.
constexpr std::string_view kDataDirectory = "${data_dir}";
constexpr std::string_view kInstance = "${instance}";
constexpr const char* kNoSettings = R"({"type": "object", "properties": {}})";

/// The result is discarded if the text is not a JSON object.
Json parsed(const char* schema) {
  Json rules = Json::parse(schema != nullptr ? schema : kNoSettings, nullptr, false);
  return rules.is_object() ? rules : Json(Json::value_t::discarded);
}

bool is_path(const Json& schema) { return schema.value("format", "") == "path"; }

bool is_required(const Json& schema, const std::string& name) {
  const Json required = schema.value("required", Json::array());
  return std::find(required.begin(), required.end(), name) != required.end();
}

/// Returns a path in `scratch` with the file name of the schema's default, or else the setting's name. No other folder
/// has to exist.
Json path_below(const fs::path& scratch, const std::string& name, const Json& schema) {
  return (scratch / fs::path(schema.value("default", name)).filename()).string();
}

Json smallest_value(const Json& schema) {
  if (schema.contains("enum")) return schema["enum"].at(0);
  const Json type = schema.value("type", Json("string"));
  const std::string name = type.is_array() ? type.at(0).get<std::string>() : type.get<std::string>();
  if (name == "integer" || name == "number") return schema.value("minimum", 1);
  if (name == "boolean") return false;
  if (name == "array") return Json::array();
  return "check";
}

/// Returns the settings that the schema does not fill in by itself.
Json sample_of(const Json& schema, const fs::path& scratch) {
  Json sample = Json::object();
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, member] : properties.items()) {
    const bool is_needed = is_required(schema, name) && !member.contains("default");
    if (member.value("type", Json()) == "object")
      sample[name] = sample_of(member, scratch);
    else if (is_path(member) && (is_needed || !member.value("default", "").empty()))
      sample[name] = path_below(scratch, name, member);
    else if (is_needed)
      sample[name] = smallest_value(member);
  }
  return sample;
}

std::string replaced(std::string text, std::string_view name, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
    text.replace(at, name.size(), value);
  return text;
}

/// Returns the name of a knowledge base for the checks in `scratch`, since a server in the network keeps what is stored
/// under a name. Names of indices and schemas allow lower case letters and digits, so it is a hash of the folder.
std::string instance_name(const fs::path& scratch) {
  std::array<char, 24> name{};
  std::snprintf(name.data(), name.size(), "check-%016zx", std::hash<std::string>()(scratch.string()));
  return name.data();
}

/// The keywords that SchemaCheck reads, and those for users only.
const std::set<std::string, std::less<>> kKeywords{"$schema",    "additionalProperties",
                                                   "default",    "description",
                                                   "enum",       "examples",
                                                   "format",     "items",
                                                   "maxLength",  "maximum",
                                                   "minLength",  "minimum",
                                                   "properties", "required",
                                                   "title",      "type",
                                                   "writeOnly"};

void find_defects(const Json& schema, const std::string& path, std::vector<std::string>& defects) {
  const std::string where = path.empty() ? "the schema" : "setting " + path;
  if (!schema.is_object()) return void(defects.push_back(where + " is not a JSON object"));
  for (const auto& [keyword, value] : schema.items())
    if (!kKeywords.contains(keyword)) defects.push_back(where + " has '" + keyword + "', which no server supports");
  if (!schema.contains("type")) defects.push_back(where + " has no 'type'");
  if (!path.empty() && schema.value("description", Json()).is_string() == false)
    defects.push_back(where + " has no 'description'");
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [name, member] : properties.items())
    find_defects(member, path.empty() ? name : path + "." + name, defects);
  const Json required = schema.value("required", Json::array());
  for (const Json& name : required)
    if (!name.is_string() || !properties.contains(name.get<std::string>()))
      defects.push_back(where + " requires " + name.dump() + ", which is not one of its properties");
}

/// Returns whether the keys are port ids, such as "kbase.cache/1".
bool has_port_ids(const config::YamlNode& node) {
  return std::ranges::any_of(node.keys, [](const std::string& key) {
    return key.starts_with("kbase.") && key.find('/') != std::string::npos;
  });
}

}  // namespace

Result<std::string> configuration_for(const char* schema, const std::optional<GivenConfiguration>& given,
                                      std::string_view port_id, const fs::path& scratch) {
  std::string filled = schema != nullptr ? schema : kNoSettings;
  filled = replaced(std::move(filled), kDataDirectory, scratch.string());
  filled = replaced(std::move(filled), kInstance, instance_name(scratch));
  const Json rules = parsed(filled.c_str());
  if (rules.is_discarded()) return invalid_argument({}, "the config_schema is not a JSON object");
  std::string source = "the default configuration";
  auto tree = config::parse_yaml(sample_of(rules, scratch).dump(), source);
  if (given) {
    auto parsed = KBASE_TRY(config::parse_yaml(replaced(given->text, kScratchName, scratch.string()), given->source));
    source = given->source;
    if (config::YamlNode* const own = parsed.find(port_id))
      tree = std::move(*own);
    else if (!has_port_ids(parsed))
      tree = std::move(parsed);
  }
  if (!tree) return tree.error();
  const auto checked = KBASE_TRY(config::SchemaCheck(source).check(*tree, rules));
  return checked.dump();
}

std::vector<std::string> defects_of_schema(const char* schema) {
  const Json rules = parsed(schema);
  if (rules.is_discarded()) return {"it is not a JSON object"};
  std::vector<std::string> defects;
  find_defects(rules, "", defects);
  if (rules.value("type", Json()) != "object") defects.push_back("its type is not object");
  return defects;
}

std::vector<std::string> path_settings(const char* schema) {
  const Json rules = parsed(schema);
  std::vector<std::string> names;
  if (rules.is_discarded()) return names;
  const Json properties = rules.value("properties", Json::object());
  for (const auto& [name, member] : properties.items())
    if (is_path(member)) names.push_back(name);
  return names;
}

}  // namespace kbase::plugin_check
