// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/language_model/json_shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace kbase::tests {
namespace {

using Json = nlohmann::json;

class Shape {
 public:
  explicit Shape(Json root) : root_(std::move(root)) {}

  std::string schema_error(const Json& value) const { return schema_error(value, root_, "$"); }

 private:
  std::string schema_error(const Json& value, const Json& schema, const std::string& place) const {
    if (schema.contains("$ref")) return schema_error(value, resolve(schema["$ref"].get<std::string>()), place);
    if (schema.contains("anyOf")) return any_of_error(value, schema["anyOf"], place);
    if (schema.contains("const") && value != schema["const"]) return place + " is not " + schema["const"].dump();
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      return place + " is not one of " + schema["enum"].dump();
    if (schema.contains("type") && !has_type(value, schema["type"].get<std::string>()))
      return place + " is no " + schema["type"].dump();
    if (value.is_object()) return object_error(value, schema, place);
    if (value.is_array() && schema.contains("items"))
      for (const Json& element : value)
        if (auto wrong = schema_error(element, schema["items"], place + "[]"); !wrong.empty()) return wrong;
    return {};
  }

  std::string any_of_error(const Json& value, const Json& choices, const std::string& place) const {
    std::string first;
    for (const Json& choice : choices) {
      const std::string wrong = schema_error(value, choice, place);
      if (wrong.empty()) return {};
      if (first.empty()) first = wrong;
    }
    return first;
  }

  std::string object_error(const Json& value, const Json& schema, const std::string& place) const {
    for (const Json& name : schema.value("required", Json::array()))
      if (!value.contains(name.get<std::string>())) return place + " lacks " + name.dump();
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [name, member] : value.items()) {
      if (!properties.contains(name)) {
        if (schema.contains("additionalProperties") && schema["additionalProperties"] == false)
          return place + " has the unknown member " + name;
        continue;
      }
      if (auto wrong = schema_error(member, properties[name], place + "." + name); !wrong.empty()) return wrong;
    }
    return {};
  }

  const Json& resolve(const std::string& reference) const { return root_.at(Json::json_pointer(reference.substr(1))); }

  static bool has_type(const Json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    return type == "array" ? value.is_array() : value.is_object();
  }

  const Json root_;
};

}  // namespace

std::optional<std::string> llm_schema(const std::string& name) {
  const char* const folder = std::getenv("KBASE_TEST_DATA");
  if (folder == nullptr) return std::nullopt;
  std::ifstream file(std::string(folder) + "/llm/" + name + ".schema.json");
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string schema_error(const std::string& json, const std::string& schema) {
  const Json value = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? "no JSON" : Shape(Json::parse(schema)).schema_error(value);
}

}  // namespace kbase::tests
