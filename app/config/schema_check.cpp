// SPDX-License-Identifier: Apache-2.0
#include "app/config/schema.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "app/config/formats.hpp"
#include "domain/base/result.hpp"
#include "domain/base/similar_words.hpp"
#include "domain/base/text.hpp"

namespace kbase::config {
namespace {

constexpr std::string_view kSecretFile = "file:";

std::string text_at(const Json& schema, const char* key) {
  const auto found = schema.find(key);
  return found != schema.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Whether the schema allows values of this type. A schema without a type allows all.
bool allows(const Json& schema, std::string_view type) {
  const auto types = schema.find("type");
  if (types == schema.end()) return true;
  if (types->is_array()) return std::find(types->begin(), types->end(), type) != types->end();
  return *types == type;
}

/// Returns the value for use in an error message. Hides secrets.
std::string shown(const YamlNode& node, const Json& schema) {
  return schema.value("writeOnly", false) ? "it" : node.text;
}

std::string characters(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " character" : " characters");
}

std::string types_of(const Json& schema) {
  const Json types = schema.contains("type") ? schema["type"] : Json("value");
  std::string phrase;
  for (const Json& type : types.is_array() ? types : Json::array({types})) {
    const std::string name = type.is_string() ? type.get<std::string>() : "value";
    phrase += (phrase.empty() ? "" : " or ") + std::string(name.find_first_of("aio") == 0 ? "an " : "a ") + name;
  }
  return phrase;
}

template <class Number> std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Returns the literal that YAML reads `text` as (JSON schema of YAML 1.2, section 10.2). null: a string.
Json literal_of(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (text.empty() || text.find_first_not_of("+-.0123456789eE") != text.npos) return nullptr;
  if (const auto integer = number_of<std::int64_t>(text)) return *integer;
  if (const auto number = number_of<double>(text)) return *number;
  return nullptr;
}

bool fits(const Json& literal, const Json& schema) {
  if (literal.is_boolean()) return allows(schema, "boolean");
  if (literal.is_number_integer()) return allows(schema, "integer") || allows(schema, "number");
  return literal.is_number() && allows(schema, "number");
}

/// Returns the default in the form that check() returns.
Json default_of(const Json& schema) {
  Json value = schema["default"];
  if (value.is_string() && text_at(schema, "format") == "path") return absolute_path(value.get<std::string>());
  return value;
}

/// Whether an absent object is created with its defaults.
bool fills_itself(const Json& schema) { return text_at(schema, "type") == "object" && !schema.contains("required"); }

std::string listed(const Json& values) {
  std::string list;
  for (const Json& value : values)
    list += (list.empty() ? "" : ", ") + (value.is_string() ? value.get<std::string>() : value.dump());
  return list;
}

std::vector<std::string> names_of(const Json& properties) {
  std::vector<std::string> names;
  for (const auto& [name, schema] : properties.items()) names.push_back(name);
  return names;
}

/// Appends a part to a path and removes it on destruction.
class PathPart {
 public:
  PathPart(std::string& path, const std::string& part) : path_(path), length_(path.size()) {
    path_ += (path.empty() ? "" : ".") + part;
  }
  PathPart(const PathPart&) = delete;
  PathPart& operator=(const PathPart&) = delete;
  ~PathPart() { path_.resize(length_); }

 private:
  std::string& path_;
  std::size_t length_;
};

}  // namespace

std::string absolute_path(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).lexically_normal().string();
}

Result<Json> SchemaCheck::check(const YamlNode& node, const Json& schema) {
  path_.clear();
  defects_.clear();
  auto value = check_value(node, schema);
  if (!value) defects_.push_back(value.error().message);
  if (defects_.empty()) return value;
  constexpr std::size_t kShown = 20;
  std::string message;
  for (std::size_t i = 0; i < std::min(defects_.size(), kShown); ++i)
    message.append(message.empty() ? "" : "\n").append(defects_[i]);
  if (defects_.size() > kShown) message += "\nand " + std::to_string(defects_.size() - kShown) + " more";
  return invalid_argument({}, std::move(message));
}

Error SchemaCheck::error(const YamlNode& node, std::string_view reason) const {
  std::string position = node.line == 0 ? "--set " : file_ + ":" + std::to_string(node.line) + ": ";
  return invalid_argument({}, position + path_ + (path_.empty() ? "" : ": ") + std::string(reason));
}

Error SchemaCheck::error_at(const YamlNode& root, std::string_view path, std::string_view reason) const {
  const YamlNode* node = &root;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string_view part = path.substr(start, dot - start);
    const auto index = number_of<std::size_t>(part);
    const bool in_list = node->kind == YamlNode::Kind::List && index && *index < node->children.size();
    const YamlNode* child = in_list ? &node->children[*index] : node->find(part);
    if (child == nullptr) break;
    node = child;
    start = dot + 1;
  }
  SchemaCheck here(file_);
  here.path_ = path;
  return here.error(*node, reason);
}

Result<Json> SchemaCheck::check_value(const YamlNode& node, const Json& schema) {
  switch (node.kind) {
    case YamlNode::Kind::Map: return check_object(node, schema);
    case YamlNode::Kind::List: return check_list(node, schema);
    case YamlNode::Kind::Scalar: return check_scalar(node, schema);
    case YamlNode::Kind::Null: return error(node, "must be " + types_of(schema));
  }
  return error(node, "is invalid");
}

/// Whether the schema has all keys.
bool SchemaCheck::check_keys(const YamlNode& node, const Json& schema) {
  const Json properties = schema.value("properties", Json::object());
  const bool open = !schema.contains("type") ||
                    (schema.contains("additionalProperties") && schema["additionalProperties"] != Json(false));
  bool are_known = true;
  for (std::size_t i = 0; i < node.keys.size() && !open; ++i) {
    if (properties.contains(node.keys[i])) continue;
    const PathPart part(path_, node.keys[i]);
    const std::string meant = nearest(node.keys[i], names_of(properties));
    defects_.push_back(
        error(node.children[i], "unknown key" + (meant.empty() ? "" : ": did you mean '" + meant + "'?")).message);
    are_known = false;
  }
  return are_known;
}

Result<Json> SchemaCheck::check_object(const YamlNode& node, const Json& schema) {
  if (!allows(schema, "object")) return error(node, "must be " + types_of(schema));
  const bool are_known = check_keys(node, schema);
  const Json properties = schema.value("properties", Json::object());
  const Json required = schema.value("required", Json::array());
  Json object = Json::object();
  for (const auto& [key, member_schema] : properties.items()) {
    // A member that seems to be missing may be the one whose key is mistyped.
    const bool is_required = are_known && std::find(required.begin(), required.end(), key) != required.end();
    add_member(object, node, key, member_schema, is_required);
  }
  const Json others = schema.value("additionalProperties", Json());
  for (const std::string& key : node.keys)
    if (!properties.contains(key)) add_member(object, node, key, others.is_object() ? others : Json::object(), false);
  return object;
}

/// Adds a member of a map, or notes its defect.
void SchemaCheck::add_member(Json& object, const YamlNode& node, const std::string& key, const Json& schema,
                             bool required) {
  auto value = member(node, key, schema, required);
  if (!value)
    defects_.push_back(value.error().message);
  else if (!value->is_null())
    object[key] = *std::move(value);
}

/// Checks the member of a map, or returns the value for an absent one. null: no value.
Result<Json> SchemaCheck::member(const YamlNode& node, const std::string& key, const Json& schema, bool required) {
  const PathPart part(path_, key);
  const YamlNode* value = node.find(key);
  if (value != nullptr && value->kind != YamlNode::Kind::Null) return check_value(*value, schema);
  const YamlNode& position = value == nullptr ? node : *value;
  if (value != nullptr && schema.value("format", "") == "color")
    return error(position, "must be a color in quotes, such as \"#0b6457\": without quotes, # begins a comment");
  if (schema.contains("default")) return default_of(schema);
  if (required) return error(position, "is required");
  const bool named = value != nullptr && schema.contains("properties");  // "KEY:" without a value
  if (!fills_itself(schema) && !named) return Json();
  return check_object(YamlNode{YamlNode::Kind::Map, position.line, {}, {}, {}, {}}, schema);
}

Result<Json> SchemaCheck::check_list(const YamlNode& node, const Json& schema) {
  if (!allows(schema, "array")) return error(node, "must be " + types_of(schema));
  const Json entry_schema = schema.value("items", Json::object());
  Json list = Json::array();
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const PathPart part(path_, std::to_string(i));
    auto entry = check_value(node.children[i], entry_schema);
    if (!entry)
      defects_.push_back(entry.error().message);
    else
      list.push_back(*std::move(entry));
  }
  return list;
}

Result<Json> SchemaCheck::check_scalar(const YamlNode& node, const Json& schema) {
  const Json literal = node.style == YamlNode::Style::Quoted ? Json() : literal_of(node.text);
  if (!literal.is_null() && fits(literal, schema)) {
    KBASE_TRY(check_bounds(node, schema, literal));
    return literal;
  }
  if (!allows(schema, "string")) return error(node, "must be " + types_of(schema));
  if (!literal.is_null() && node.style == YamlNode::Style::Plain)
    return error(node, "must be " + types_of(schema) + ": put " + shown(node, schema) + " in quotes");
  return check_text(node, schema);
}

Result<Json> SchemaCheck::check_text(const YamlNode& node, const Json& schema) {
  std::string text = node.text;
  if (schema.value("writeOnly", false) && text.starts_with(kSecretFile)) {
    auto secret = KBASE_TRY(secret_of(node));
    text = std::move(secret);
  }
  const std::string format = text_at(schema, "format");
  if (const std::string_view expected = format_defect(format, text); !expected.empty())
    return error(node, "must be " + std::string(expected));
  KBASE_TRY(check_bounds(node, schema, text));
  return Json(format == "path" ? absolute_path(text) : text);
}

Status SchemaCheck::check_bounds(const YamlNode& node, const Json& schema, const Json& value) {
  if (const auto allowed = schema.find("enum"); allowed != schema.end())
    if (std::find(allowed->begin(), allowed->end(), value) == allowed->end())
      return error(node, "must be one of: " + listed(*allowed));
  Json measure = value;
  std::string unit;
  if (value.is_string()) {
    const std::string format = text_at(schema, "format");
    const auto quantity = quantity_of(format, value.get<std::string>());
    measure = quantity ? Json(*quantity) : Json();
    unit = format == "duration" ? " ms" : " bytes";
    const std::size_t length = utf8::code_points(value.get<std::string>());
    if (const auto least = schema.value("minLength", std::size_t{0}); length < least)
      return error(node, "must have at least " + characters(least));
    if (const auto most = schema.value("maxLength", length); length > most)
      return error(node, "must have at most " + characters(most));
  }
  if (!measure.is_number()) return {};
  if (const auto least = schema.find("minimum"); least != schema.end() && measure < *least)
    return error(node, "must be at least " + least->dump() + unit);
  if (const auto most = schema.find("maximum"); most != schema.end() && measure > *most)
    return error(node, "must be at most " + most->dump() + unit);
  return {};
}

Result<std::string> SchemaCheck::secret_of(const YamlNode& node) {
  const std::string path = node.text.substr(kSecretFile.size());
  if (std::error_code missing; std::filesystem::is_directory(path, missing))
    return error(node, "'" + path + "' is a directory; specify a file");
  std::ifstream stream(path, std::ios::binary);
  std::string secret((std::istreambuf_iterator<char>(stream)), {});
  if (!stream.is_open() || stream.bad())
    return error(node, "the file '" + path + "' cannot be read: " + std::generic_category().message(errno));
  if (secret.ends_with('\n')) secret.pop_back();
  if (secret.ends_with('\r')) secret.pop_back();
  if (!utf8::is_valid(secret)) return error(node, "the file '" + path + "' is not valid UTF-8");
  return secret;
}

namespace {

/// In a URL, hides only user and password: operators need to see the server.
std::string hidden_text(std::string text, const Json& schema) {
  const std::string format = text_at(schema, "format");
  if (format != "proxy-url" && format != "server-url") return std::string(kHidden);
  const std::string_view credentials = credentials_of(text);
  if (credentials.empty()) return text;
  return text.replace(static_cast<std::size_t>(credentials.data() - text.data()), credentials.size(), kHidden);
}

}  // namespace

Json hidden(const Json& value, const Json& schema) {
  if (value.is_string())
    return schema.empty() || schema.value("writeOnly", false) ? Json(hidden_text(value, schema)) : value;
  if (!value.is_structured()) return value;
  Json shown = value;
  const Json properties = schema.value("properties", Json::object());
  const Json others = schema.value(value.is_array() ? "items" : "additionalProperties", Json());
  for (auto entry = shown.begin(); entry != shown.end(); ++entry) {
    const bool named = value.is_object() && properties.contains(entry.key());
    const Json& entry_schema = named ? properties[entry.key()] : others;
    *entry = hidden(*entry, entry_schema.is_object() ? entry_schema : Json::object());
  }
  return shown;
}

}  // namespace kbase::config
