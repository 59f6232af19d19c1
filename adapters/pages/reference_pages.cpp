// SPDX-License-Identifier: Apache-2.0
// The reference of the API: a page for each operation.
#include <array>
#include <utility>

#include "adapters/pages/api_reference.hpp"
#include "adapters/pages/filling.hpp"
#include "adapters/pages/pages.hpp"
#include "domain/base/text.hpp"

namespace kbase::pages {
namespace {

using Dictionary = ctemplate::TemplateDictionary;

constexpr std::string_view kReferenceAddress = "/docs";
constexpr std::string_view kJson = "application/json";

std::string operation_address(std::string_view name) {
  return std::string(kReferenceAddress) + '/' + std::string(name);
}

/// Adds the operations of each group. `here`: the operation that is shown, or null.
void add_operations(Dictionary& page, const ApiReference& reference, const ReferenceOperation* here) {
  Dictionary& part = add_part(page, "OPERATIONS_PART", "operations.html");
  set(part, "ADDRESS", kReferenceAddress);
  for (const ReferenceGroup& group : reference.groups) {
    Dictionary& section = *part.AddSectionDictionary("GROUPS");
    set(section, "NAME", group.name);
    for (const ReferenceOperation& each : reference.operations) {
      if (each.group != group.name) continue;
      Dictionary& row = *section.AddSectionDictionary("OPERATIONS");
      set(row, "METHOD", each.method);
      set(row, "SUMMARY", each.summary);
      set(row, "PATH", each.path);
      set(row, "ADDRESS", operation_address(each.name));
      if (&each == here) row.ShowSection("IS_HERE");
    }
  }
}

std::string access_of(const ReferenceOperation& operation) {
  const std::string scope = operation.scope.empty() ? std::string() : " with the scope `" + operation.scope + '`';
  if (operation.needs_session) return "It needs the cookie of a session, which a browser gets by the link in a mail.";
  if (operation.needs_key) return "It needs a key" + scope + '.';
  return scope.empty() ? "It needs no key." : "It needs no key. A key that is sent must be one" + scope + '.';
}

/// Returns the samples of an operation, each as its language, with `address` in the place of the request's.
std::vector<std::pair<std::string, std::string>> make_samples(const ReferenceOperation& operation,
                                                              const std::string& address) {
  const std::string& body = operation.body_example;
  const bool has_body = !body.empty();
  const bool has_answer = operation.method != "DELETE";
  const bool is_usual = operation.method == (has_body ? "POST" : "GET");  // what curl sends by itself
  std::string curl = "curl " + (is_usual ? std::string() : "-X " + operation.method + ' ') + '\'' + address + '\'';
  if (operation.needs_key) curl += " \\\n  -H \"Authorization: Bearer $KBASE_KEY\"";
  if (has_body) curl += " \\\n  -H 'Content-Type: " + operation.body_type + "' \\\n  --data-binary '" + body + "'";
  std::string python = operation.needs_key ? "import os\n\nimport requests\n\n" : "import requests\n\n";
  python += "response = requests." + ascii::to_lower(operation.method) + "(\n    \"" + address + "\",\n";
  std::string fields;
  if (operation.needs_key) fields = "\"Authorization\": \"Bearer \" + os.environ[\"KBASE_KEY\"]";
  if (has_body) fields += std::string(fields.empty() ? "" : ", ") + "\"Content-Type\": \"" + operation.body_type + '"';
  if (!fields.empty()) python += "    headers={" + fields + "},\n";
  if (has_body) python += "    data='''" + body + "''',\n";
  python += "    timeout=10,\n)\nresponse.raise_for_status()\nprint(response.";
  python += has_answer ? "json())" : "status_code)";
  std::string script = "const response = await fetch(\"" + address + '"';
  if (operation.needs_key || operation.method != "GET") {
    script += ", {\n";
    if (operation.method != "GET") script += "  method: \"" + operation.method + "\",\n";
    std::string headers;
    if (operation.needs_key) headers = "Authorization: `Bearer ${key}`";
    if (has_body)
      headers += std::string(headers.empty() ? "" : ", ") + "\"Content-Type\": \"" + operation.body_type + '"';
    if (!headers.empty()) script += "  headers: { " + headers + " },\n";
    if (has_body)
      script += operation.body_type == kJson ? "  body: JSON.stringify(" + body + "),\n" : "  body: `" + body + "`,\n";
    script += '}';
  }
  script += ");\nif (!response.ok) throw new Error(response.statusText);\nconsole.log(";
  script += has_answer ? "await response.json());" : "response.status);";
  return {{"curl", std::move(curl)}, {"Python", std::move(python)}, {"JavaScript", std::move(script)}};
}

void set_field(Dictionary& row, const ReferenceField& field, const std::string& description) {
  set(row, "NAME", field.name);
  set(row, "TYPE", field.type);
  set(row, "DESCRIPTION", description);
  set(row, "DEPTH", std::to_string(field.depth));
  if (!field.facts.empty()) set(*row.AddSectionDictionary("FACTS"), "TEXT", field.facts);
}

}  // namespace

/// Returns Markdown of the API's description as HTML.
std::string Pages::described(std::string_view markdown) const {
  const auto no_link = [](std::string_view) { return std::string(); };
  return deps_.page_markup.html(markdown, model::Format::Markdown, {{}, {}, no_link});
}

/// Sets ids of existing content as examples, so that a reader can send the example.
void Pages::set_known_ids(const PageRequest& request, ReferenceOperation& operation) {
  std::string item, category;
  const Status read = deps_.catalog.recent(request.call, 1, [&](const model::ItemSummaryView& each) {
    item = each.id;
    category = each.category;
    return Visit::Stop;
  });
  if (!read) return;
  const std::string& id = operation.path.starts_with("/item/") ? item : category;
  if (id.empty()) return;
  for (ReferenceField& each : operation.parameters)
    if (each.place == "path" && each.name == "id") each.example = id;
}

Result<std::string> Pages::reference(const PageRequest& request) const {
  Dictionary layout("layout");
  Dictionary& page = add_part(layout, "MAIN", "reference.html");
  add_operations(page, *reference_, nullptr);
  set(page, "HEADING", "API reference");
  set(page, "BASE", std::string(request.origin) + options_.base_path);
  set(page, "DOCUMENT", options_.base_path + "/openapi.json");
  set(page, "DESCRIPTION", described(reference_->description));
  set(page, "KEY_DESCRIPTION", described(reference_->key));
  Head head;
  head.title = "API reference";
  head.description = reference_->summary;
  head.path = kReferenceAddress;
  return in_layout(request, head, layout);
}

Result<std::string> Pages::operation(const PageRequest& request, std::string_view name) {
  const ReferenceOperation* const found = reference_->find(name);
  if (found == nullptr) return Error{ErrorCode::NotFound, "There is no such page."};
  ReferenceOperation operation = *found;
  set_known_ids(request, operation);
  Dictionary layout("layout");
  Dictionary& page = add_part(layout, "MAIN", "operation.html");
  add_operations(page, *reference_, found);
  set(page, "HEADING", operation.summary);
  set(page, "METHOD", operation.method);
  set(page, "PATH", operation.path);
  set(page, "BASE", options_.base_path);
  set(page, "DESCRIPTION", described(operation.description));
  set(page, "ACCESS", described(access_of(operation)));
  Dictionary* further = nullptr;
  for (const ReferenceField& field : operation.parameters) {
    Dictionary& row = *page.AddSectionDictionary("PARAMETERS");
    set_field(row, field, described(field.description));
    if (field.is_required) row.ShowSection("IS_REQUIRED");
    if (field.place == "header") row.ShowSection("IS_HEADER");
    if (field.place == "header") continue;
    if (!field.is_required && further == nullptr) further = page.AddSectionDictionary("FURTHER_INPUTS");
    Dictionary& input = *(field.is_required ? page : *further).AddSectionDictionary("INPUTS");
    set(input, "NAME", field.name);
    set(input, "PLACE", field.place);
    set(input, field.is_required ? "VALUE" : "HINT", field.example);
  }
  if (!operation.body_example.empty()) {
    Dictionary& body = *page.AddSectionDictionary("BODY_PART");
    set(body, "EXAMPLE", operation.body_example);
    for (const ReferenceField& field : operation.body) {
      Dictionary& row = *body.AddSectionDictionary("MEMBERS");
      set_field(row, field, described(field.description));
      if (field.is_required) row.ShowSection("IS_REQUIRED");
    }
    Dictionary& input = *page.AddSectionDictionary("BODY_INPUT");
    set(input, "VALUE", operation.body_example);
    set(input, "TYPE", operation.body_type);
  }
  for (const ReferenceResponse& response : operation.responses) {
    Dictionary& part = *page.AddSectionDictionary("RESPONSES");
    set(part, "STATUS", response.status);
    set(part, "DESCRIPTION", described(response.description));
    for (const ReferenceField& field : response.members)
      set_field(*part.AddSectionDictionary("MEMBERS"), field, described(field.description));
  }
  for (const ReferenceResponse& response : operation.errors) {
    Dictionary& row = *page.AddSectionDictionary("ERRORS");
    set(row, "STATUS", response.status);
    set(row, "DESCRIPTION", described(response.description));
  }
  const std::string address = std::string(request.origin) + options_.base_path + example_path(operation);
  for (const auto& [language, text] : make_samples(operation, address)) {
    Dictionary& sample = *page.AddSectionDictionary("SAMPLES");
    set(sample, "LANGUAGE", language);
    set(sample, "ADDRESS", address);
    set(sample, "TEXT", text);
  }
  if (!operation.responses.empty() && !operation.responses.front().examples.empty())
    set(*page.AddSectionDictionary("EXAMPLE_RESPONSE"), "TEXT", operation.responses.front().examples.front().text);
  Head head;
  head.title = operation.summary;
  head.description = operation.method + ' ' + options_.base_path + operation.path;
  head.path = operation_address(operation.name);
  return in_layout(request, head, layout);
}

}  // namespace kbase::pages
