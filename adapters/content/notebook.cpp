// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/notebook.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kbase::content {
namespace {

using nlohmann::json;

/// A text, or a list of lines that are to be joined.
std::string joined(const json& cell, const char* name) {
  const auto found = cell.find(name);
  if (found == cell.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  std::string text;
  if (found->is_array())
    for (const json& line : *found)
      if (line.is_string()) text += line.get_ref<const std::string&>();
  return text;
}

std::string member(const json& object, const char* name) {
  return object.is_object() && object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : "";
}

std::size_t level_of(const json& heading) {
  const auto level = heading.find("level");
  return level == heading.end() || !level->is_number_unsigned() ? 1 : std::clamp<std::size_t>(*level, 1, 6);
}

std::string language_of(const json& notebook) {
  const json metadata = notebook.value("metadata", json::object());
  for (const auto& [section, name] : {std::pair{"language_info", "name"}, std::pair{"kernelspec", "language"}})
    if (metadata.is_object() && metadata.contains(section))
      if (std::string language = member(metadata[section], name); !language.empty()) return language;
  return "python";
}

/// Returns the code in a fence that is longer than every run of backquotes in it.
std::string fenced(const std::string& code, const std::string& language) {
  std::size_t longest = 2, run = 0;
  for (const char c : code) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  return fence + language + "\n" + code + "\n" + fence;
}

void append(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += "\n\n";
  text += part;
}

void append_cell(std::string& text, const json& cell, const std::string& language) {
  const std::string kind = member(cell, "cell_type");
  const std::string source = joined(cell, cell.contains("source") ? "source" : "input");
  if (kind == "markdown")
    append(text, source);
  else if (kind == "heading")  // of format 3
    append(text, std::string(level_of(cell), '#') + " " + source);
  else if (kind == "code" && !source.empty())
    append(text, fenced(source, language));
  else if (kind == "raw" && text.empty() && source.starts_with("---"))
    append(text, source);
}

}  // namespace

Result<std::string> notebook_text(std::string_view notebook) {
  const json parsed = json::parse(notebook, nullptr, false);
  if (parsed.is_discarded() || !parsed.is_object()) return invalid_argument({}, "is not a notebook: it is not JSON");
  std::vector<json> sheets;
  if (parsed.contains("worksheets") && parsed["worksheets"].is_array())
    sheets.assign(parsed["worksheets"].begin(), parsed["worksheets"].end());
  else
    sheets.push_back(parsed);
  const std::string language = language_of(parsed);
  std::string text;
  for (const json& sheet : sheets) {
    if (!sheet.is_object() || !sheet.contains("cells") || !sheet["cells"].is_array())
      return invalid_argument({}, "is not a notebook: it has no list \"cells\"");
    for (const json& cell : sheet["cells"])
      if (cell.is_object()) append_cell(text, cell, language);
  }
  return text + "\n";
}

}  // namespace kbase::content
