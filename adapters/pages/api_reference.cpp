// SPDX-License-Identifier: Apache-2.0
#include "adapters/pages/api_reference.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"

namespace kbase::pages {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxDepth = 4;  // of shown members
constexpr std::array<std::pair<const char*, const char*>, 5> kMethods = {
    {{"get", "GET"}, {"post", "POST"}, {"put", "PUT"}, {"patch", "PATCH"}, {"delete", "DELETE"}}};

std::string text_of(const Json& node, const char* name) {
  const auto found = node.find(name);
  return found != node.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& member_of(const Json& node, const char* name) {
  static const Json kNone;
  const auto found = node.find(name);
  return node.is_object() && found != node.end() ? *found : kNone;
}

/// Returns a value as a person would write it in an address.
std::string as_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& each : value) text.append(text.empty() ? "" : ",").append(as_text(each));
  return text;
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? "" : separator).append(part);
  return text;
}

/// Returns "search-items" of "searchItems".
std::string address_name(std::string_view operation_id) {
  std::string name;
  for (const char character : operation_id) {
    if (ascii::is_upper(character)) name += '-';
    name += ascii::to_lower(character);
  }
  return name;
}

/// Reads the parts of a document, whose references it follows.
class Reader {
 public:
  explicit Reader(const Json& root) : root_(root) {}

  /// Returns the node that `node` refers to, or `node`.
  const Json& resolve(const Json& node) const {
    const std::string reference = node.is_object() ? text_of(node, "$ref") : std::string();
    if (!reference.starts_with("#/")) return node;
    const Json::json_pointer pointer(reference.substr(1));
    return root_.contains(pointer) ? resolve(root_.at(pointer)) : node;
  }

  std::string type_of(const Json& schema) const {
    const Json& whole = resolve(schema);
    std::vector<std::string> types;
    const auto add = [&types](std::string type) {
      if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(std::move(type));
    };
    for (const Json& choice : member_of(whole, "oneOf")) add(type_of(choice));
    const Json& type = member_of(whole, "type");
    const Json list = type.is_string() ? Json::array({type}) : type;
    for (const Json& each : list) {
      const auto name = each.get<std::string>();
      if (name == "array" && whole.contains("items"))
        add("list of " + type_of(whole["items"]));
      else if (name == "string" && text_of(whole, "format") == "date")
        add("day");
      else if (name == "string" && text_of(whole, "format") == "date-time")
        add("time");
      else
        add(name);
    }
    return types.empty() ? "any" : joined(types, " or ");
  }

  std::string facts_of(const Json& schema) const {
    const Json& whole = resolve(schema);
    std::vector<std::string> facts;
    const Json& listed = whole.contains("items") ? resolve(whole["items"]) : whole;
    std::vector<std::string> values;
    for (const Json& value : member_of(listed, "enum")) values.push_back(as_text(value));
    if (!values.empty()) facts.push_back("one of " + joined(values, ", "));
    const auto range = [&](const char* least_name, const char* most_name, const std::string& unit) {
      const Json& least = member_of(whole, least_name);
      const Json& most = member_of(whole, most_name);
      if (!least.is_null() && !most.is_null())
        facts.push_back(least.dump() + " to " + most.dump() + unit);
      else if (!least.is_null() && least != 0)
        facts.push_back("at least " + least.dump() + unit);
      else if (!most.is_null())
        facts.push_back("at most " + most.dump() + unit);
    };
    range("minimum", "maximum", "");
    range("minLength", "maxLength", " characters");
    if (const Json& fixed = member_of(whole, "const"); !fixed.is_null()) facts.push_back("always " + as_text(fixed));
    if (whole.contains("default")) facts.push_back("default " + as_text(whole["default"]));
    return joined(facts, "; ");
  }

  /// Adds the members of the objects that `schema` is, or is a list of.
  void add_members(const Json& schema, std::size_t depth, std::vector<ReferenceField>& members) const {
    const Json& whole = resolve(schema);
    if (depth > kMaxDepth) return;
    if (whole.contains("items")) return add_members(whole["items"], depth, members);
    for (const Json& choice : member_of(whole, "oneOf")) add_members(choice, depth, members);
    if (const Json& values = member_of(whole, "additionalProperties"); values.is_object())
      add_members(values, depth, members);
    const Json& required = member_of(whole, "required");
    for (const auto& [name, property] : member_of(whole, "properties").items()) {
      ReferenceField& field = members.emplace_back();
      field.name = name;
      field.type = type_of(property);
      field.description = text_of(property, "description");
      if (field.description.empty()) field.description = text_of(resolve(property), "description");
      field.facts = facts_of(property);
      field.depth = depth;
      field.is_required = std::find(required.begin(), required.end(), name) != required.end();
      add_members(property, depth + 1, members);
    }
  }

  ReferenceField read_parameter(const Json& node) const {
    const Json& whole = resolve(node);
    const Json& schema = member_of(whole, "schema");
    ReferenceField field;
    field.name = text_of(whole, "name");
    field.place = text_of(whole, "in");
    field.type = type_of(schema);
    field.facts = facts_of(schema);
    field.description = text_of(whole, "description");
    field.is_required = whole.value("required", false);
    const Json& examples = member_of(whole, "examples");
    if (!examples.empty())
      field.example = as_text(member_of(examples.begin().value(), "value"));
    else if (whole.contains("example"))
      field.example = as_text(whole["example"]);
    return field;
  }

  ReferenceResponse read_response(const std::string& status, const Json& node) const {
    const Json& whole = resolve(node);
    ReferenceResponse response;
    response.status = status;
    response.description = text_of(whole, "description");
    for (const Json& media : member_of(whole, "content")) {
      if (response.members.empty()) add_members(member_of(media, "schema"), 0, response.members);
      for (const Json& example : member_of(media, "examples")) {
        const Json& value = member_of(example, "value");
        response.examples.push_back(
            {text_of(example, "summary"), value.is_string() ? value.get<std::string>() : value.dump(2)});
      }
    }
    return response;
  }

  ReferenceOperation read_operation(const std::string& path, const std::string& method, const Json& common,
                                    const Json& node) const {
    ReferenceOperation operation;
    operation.name = address_name(text_of(node, "operationId"));
    operation.path = path;
    operation.method = method;
    operation.summary = text_of(node, "summary");
    operation.description = text_of(node, "description");
    if (const Json& tags = member_of(node, "tags"); !tags.empty()) operation.group = as_text(tags.front());
    const Json& security = member_of(node, "security");
    operation.needs_key = !security.empty();
    for (const Json& requirement : security) {
      if (!requirement.contains("key")) operation.needs_key = false;
      operation.needs_session = operation.needs_session || requirement.contains("session");
      if (const Json& scopes = member_of(requirement, "key"); !scopes.empty()) operation.scope = as_text(scopes);
    }
    for (const Json& each : member_of(node, "parameters")) operation.parameters.push_back(read_parameter(each));
    for (const Json& each : common) operation.parameters.push_back(read_parameter(each));
    std::stable_sort(operation.parameters.begin(), operation.parameters.end(),
                     [](const ReferenceField& left, const ReferenceField& right) {
                       return rank_of(left.place) < rank_of(right.place);
                     });
    const Json& content = member_of(resolve(member_of(node, "requestBody")), "content");
    for (const auto& [type, media] : content.items()) {
      const Json& examples = member_of(media, "examples");
      if (examples.empty()) continue;  // another form of the body
      const Json& example = member_of(examples.begin().value(), "value");
      add_members(member_of(media, "schema"), 0, operation.body);
      operation.body_type = type;
      operation.body_example = example.is_string() ? example.get<std::string>() : example.dump(2);
    }
    for (const auto& [status, response] : member_of(node, "responses").items())
      (status < "400" ? operation.responses : operation.errors).push_back(read_response(status, response));
    return operation;
  }

 private:
  static int rank_of(std::string_view place) { return place == "path" ? 0 : place == "query" ? 1 : 2; }

  const Json& root_;
};

}  // namespace

const ReferenceOperation* ApiReference::find(std::string_view name) const {
  const auto found = std::find_if(operations.begin(), operations.end(),
                                  [name](const ReferenceOperation& each) { return each.name == name; });
  return found == operations.end() ? nullptr : &*found;
}

ApiReference read_api_reference(std::string_view description) {
  ApiReference reference;
  const Json root = Json::parse(description, nullptr, false);
  if (!root.is_object()) return reference;
  const Reader reader(root);
  const Json& info = member_of(root, "info");
  reference.summary = text_of(info, "summary");
  reference.description = text_of(info, "description");
  reference.key = text_of(member_of(member_of(member_of(root, "components"), "securitySchemes"), "key"), "description");
  for (const Json& tag : member_of(root, "tags"))
    reference.groups.push_back({text_of(tag, "name"), text_of(tag, "description")});
  for (const auto& [path, item] : member_of(root, "paths").items())
    for (const auto& [member, method] : kMethods)
      if (const Json& node = member_of(item, member); !node.is_null())
        reference.operations.push_back(reader.read_operation(path, method, member_of(item, "parameters"), node));
  return reference;
}

std::string example_path(const ReferenceOperation& operation) {
  std::string path = operation.path;
  std::string query;
  for (const ReferenceField& each : operation.parameters) {
    const std::string value = percent_encode(each.example.empty() ? each.name : each.example);
    if (each.place == "path") {
      const std::string mark = '{' + each.name + '}';
      if (const std::size_t at = path.find(mark); at != path.npos) path.replace(at, mark.size(), value);
    } else if (each.place == "query" && each.is_required) {
      query.append(query.empty() ? "?" : "&").append(each.name).append("=").append(value);
    }
  }
  return path + query;
}

}  // namespace kbase::pages
