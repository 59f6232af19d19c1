// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/front_matter.hpp"

#include <toml++/toml.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "adapters/base/json.hpp"
#include "adapters/base/yaml.hpp"
#include "adapters/content/record_parser.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {
namespace {

constexpr auto npos = std::string_view::npos;

// Limits of a value: aliases can expand a small text to a very large one.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr int kMaxDepth = 64;

struct TooLarge {};

bool is_literal(std::string_view text) { return is_json_number(text) || text == "true" || text == "false"; }

class YamlReader {
 public:
  Value read(const YAML::Node& node, int depth = 0) {
    if (depth > kMaxDepth || bytes_ > kMaxBytes) throw TooLarge();
    Value value;
    value.line = static_cast<std::uint64_t>(std::max(node.Mark().line, 0)) + 1;
    switch (node.Type()) {
      case YAML::NodeType::Sequence:
        value.kind = Value::Kind::List;
        for (const auto& entry : node) value.entries.push_back(read(entry, depth + 1));
        break;
      case YAML::NodeType::Map: read_members(node, value, depth); break;
      case YAML::NodeType::Scalar:
        value.text = yaml::repaired(node.Scalar());
        // "?" is yaml-cpp's tag of a scalar without quotes and without a tag.
        value.kind = node.Tag() == "?" && is_literal(value.text) ? Value::Kind::Literal : Value::Kind::Text;
        break;
      default: break;
    }
    bytes_ += value.text.size() + 16;
    return value;
  }

 private:
  void read_members(const YAML::Node& node, Value& value, int depth) {
    value.kind = Value::Kind::Map;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) throw YAML::ParserException(member.first.Mark(), "a key must be text");
      Value of_member = read(member.second, depth + 1);
      of_member.line = static_cast<std::uint64_t>(std::max(member.first.Mark().line, 0)) + 1;
      value.members.emplace_back(yaml::repaired(member.first.Scalar()), std::move(of_member));
      bytes_ += member.first.Scalar().size();
    }
  }

  std::size_t bytes_ = 0;
};

std::string literal_of(double number) {
  std::string text = nlohmann::json(number).dump();
  return text == "null" ? std::string("0") : text;  // infinity and NaN
}

Value read_toml(const toml::node& node, int depth = 0) {
  if (depth > kMaxDepth) throw TooLarge();
  Value value;
  value.line = node.source().begin.line;
  if (const auto* list = node.as_array()) {
    value.kind = Value::Kind::List;
    for (const toml::node& entry : *list) value.entries.push_back(read_toml(entry, depth + 1));
  } else if (const auto* table = node.as_table()) {
    value.kind = Value::Kind::Map;
    for (const auto& [key, member] : *table)
      value.members.emplace_back(std::string(key.str()), read_toml(member, depth + 1));
  } else if (const auto* text = node.as_string()) {
    value.kind = Value::Kind::Text;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Value::Kind::Literal;
    value.text = std::to_string(integer->get());
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = Value::Kind::Literal;
    value.text = literal_of(number->get());
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = Value::Kind::Literal;
    value.text = boolean->get() ? "true" : "false";
  } else {  // a date or a time
    value.kind = Value::Kind::Text;
    std::ostringstream out;
    node.visit([&out](const auto& each) {
      if constexpr (toml::is_value<decltype(each)>) out << each.get();
    });
    value.text = out.str();
  }
  return value;
}

Value read_json(const nlohmann::ordered_json& json, int depth = 0) {
  if (depth > kMaxDepth) throw TooLarge();
  Value value;
  if (json.is_array()) {
    value.kind = Value::Kind::List;
    for (const auto& entry : json) value.entries.push_back(read_json(entry, depth + 1));
  } else if (json.is_object()) {
    value.kind = Value::Kind::Map;
    for (const auto& [key, member] : json.items()) value.members.emplace_back(key, read_json(member, depth + 1));
  } else if (json.is_string()) {
    value.kind = Value::Kind::Text;
    value.text = json.get<std::string>();
  } else if (!json.is_null()) {
    value.kind = Value::Kind::Literal;
    value.text = json.dump();
  }
  return value;
}

std::string_view line_at(std::string_view text, std::uint64_t line) {
  for (; line > 1 && !text.empty(); --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::string_view found = text.substr(0, text.find('\n'));
  return utf8::trimmed(utf8::is_valid(found) ? found : std::string_view());
}

/// "not YAML: ..., in `title: @x`; put the value in quotes".
ValueDefect defect_at(std::string_view text, std::uint64_t line, std::string reason, std::string_view remedy) {
  const std::string_view shown = utf8::prefix(line_at(text, line), 80);
  if (!shown.empty()) reason.append(", in `").append(shown).append("`");
  return {line, reason.append(remedy)};
}

constexpr std::string_view kTooLarge = "is nested too deeply or too large";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == npos; }

/// Returns the first line of `text` with its line end; empty if `text` is empty.
std::string_view first_line(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end == npos ? text : text.substr(0, end + 1);
}

std::string_view without_end(std::string_view line) {
  while (!line.empty() && is_json_space(line.back())) line.remove_suffix(1);
  return line;
}

/// Whether a line has the form "key: value".
bool is_member(std::string_view line) {
  line = without_end(line);
  if (line.empty()) return false;
  if (line.front() == '"' || line.front() == '\'') return line.find(':') != npos;
  const std::size_t colon = line.find(':');
  if (colon == npos || colon == 0 || (colon + 1 < line.size() && line[colon + 1] != ' ' && line[colon + 1] != '\t'))
    return false;
  const std::string_view key = line.substr(0, colon);
  return std::all_of(key.begin(), key.end(), [](char c) {
    return ascii::is_alphanumeric(c) || c == '_' || c == '-' || c == '.' || c == ' ' || c == '/' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

/// Whether the text between the delimiters can be front matter: it begins with comments, or not with a blank line, and
/// the first line that is neither is a member, or a flow map of YAML.
bool is_front_matter(std::string_view inside) {
  bool has_comment = false;
  while (!inside.empty()) {
    const std::string_view line = first_line(inside);
    inside.remove_prefix(line.size());
    if (is_blank(line) && !has_comment) return false;
    if (is_blank(line)) continue;
    if (line.front() == '#') {
      has_comment = true;
      continue;
    }
    return is_member(line) || line.front() == '{' || line.front() == '?';
  }
  return true;
}

void shift_lines(Value& value, std::uint64_t lines) {
  value.line += lines;
  for (Value& entry : value.entries) shift_lines(entry, lines);
  for (auto& [name, member] : value.members) shift_lines(member, lines);
}

using PageOrDefect = std::variant<Page, ValueDefect>;

PageOrDefect page_of(ValueOrDefect parsed, std::string_view body, std::uint64_t lines_before, std::string_view form) {
  if (auto* defect = std::get_if<ValueDefect>(&parsed)) return ValueDefect{defect->line + lines_before, defect->reason};
  Value& value = std::get<Value>(parsed);
  if (value.kind == Value::Kind::Null) value.kind = Value::Kind::Map;
  if (value.kind != Value::Kind::Map)
    return ValueDefect{lines_before + 1, "the front matter must have members " + std::string(form)};
  shift_lines(value, lines_before);
  return Page{std::move(value), body};
}

/// Front matter between two lines that are delimiters.
PageOrDefect split_delimited(std::string_view text, std::string_view delimiter) {
  const bool is_toml = delimiter == "+++";
  const std::string_view opening = first_line(text);
  const std::string_view inside = text.substr(opening.size());
  if (!is_toml && !is_front_matter(inside)) return Page{std::nullopt, text};
  for (std::string_view rest = inside; !rest.empty();) {
    const std::string_view line = first_line(rest);
    const std::string_view mark = without_end(line);
    rest.remove_prefix(line.size());
    if (mark != delimiter && (is_toml || mark != "...")) continue;
    const std::string_view block = inside.substr(0, inside.size() - rest.size() - line.size());
    return page_of(is_toml ? parse_toml(block) : parse_yaml(block), rest, 1, is_toml ? "key = value" : "KEY: VALUE");
  }
  return ValueDefect{1, "the front matter has no closing line '" + std::string(delimiter) + "'"};
}

/// JSON front matter ends with the bracket that closes it.
PageOrDefect split_json(std::string_view text) {
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < std::min(text.size(), kMaxBytes); ++at) {
    const char c = text[at];
    if (in_text) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        in_text = false;
      continue;
    }
    if (c == '"') in_text = true;
    if (c == '{') ++depth;
    if (c != '}' || --depth != 0) continue;
    const std::string_view after = text.substr(at + 1);
    ValueOrDefect parsed = parse_json(text.substr(0, at + 1));
    if (!is_blank(first_line(after)) || std::holds_alternative<ValueDefect>(parsed)) break;
    return page_of(std::move(parsed), after.substr(first_line(after).size()), 0, "");
  }
  return Page{std::nullopt, text};
}

/// The keys with which metadata of MultiMarkdown begins.
constexpr std::array<std::string_view, 8> kPlainKeys = {"title", "author",  "authors",  "date",
                                                        "tags",  "summary", "keywords", "description"};

/// "Title: A title" lines up to the first empty line, or "title:: A title" lines.
PageOrDefect split_lines(std::string_view text) {
  Value map;
  map.kind = Value::Kind::Map;
  std::string_view rest = text;
  std::optional<bool> is_property;
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = first_line(rest);
    const std::string_view content = without_end(line);
    const std::size_t colon = content.find(':');
    const bool is_double = colon != npos && content.substr(colon, 2) == "::";
    if (content.empty() || colon == npos || colon == 0) break;
    const std::string_view key = content.substr(0, colon);
    const std::string_view value = content.substr(colon + (is_double ? 2 : 1));
    if (key.find_first_of(" \t#[(`*<") != npos || (!value.empty() && value.front() != ' ')) break;
    if (!is_property) {
      const std::string lower = ascii::to_lower(key);
      if (!is_double && std::find(kPlainKeys.begin(), kPlainKeys.end(), lower) == kPlainKeys.end()) break;
      is_property = is_double;
    }
    if (*is_property != is_double) break;
    Value member;
    member.kind = Value::Kind::Text;
    member.text = utf8::trimmed(value);
    member.line = number;
    map.members.emplace_back(std::string(key), std::move(member));
    rest.remove_prefix(line.size());
  }
  // "Title: ..." within a paragraph is text.
  const bool is_whole = is_property && (*is_property || rest.empty() || is_blank(first_line(rest)));
  if (!is_whole) return Page{std::nullopt, text};
  return Page{std::move(map), rest};
}

}  // namespace

const Value* Value::find(std::string_view name) const {
  for (const auto& [key, member] : members)
    if (key == name) return &member;
  return nullptr;
}

void append_json(std::string& json, const Value& value) {
  switch (value.kind) {
    case Value::Kind::Null: json += "null"; return;
    case Value::Kind::Literal: json += value.text; return;
    case Value::Kind::Text: json::append_string(json, value.text); return;
    case Value::Kind::List:
      json += '[';
      for (std::size_t i = 0; i < value.entries.size(); ++i) {
        if (i != 0) json += ',';
        append_json(json, value.entries[i]);
      }
      json += ']';
      return;
    case Value::Kind::Map:
      json += '{';
      for (std::size_t i = 0; i < value.members.size(); ++i) {
        if (i != 0) json += ',';
        json::append_string(json, value.members[i].first);
        json += ':';
        append_json(json, value.members[i].second);
      }
      json += '}';
      return;
  }
}

ValueOrDefect parse_yaml(std::string_view text) {
  try {
    return YamlReader().read(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& error) {
    const auto line = static_cast<std::uint64_t>(std::max(error.mark.line, 0)) + 1;
    return defect_at(text, line, "not YAML: " + error.msg, "; put the value in quotes");
  } catch (const TooLarge&) {
    return ValueDefect{1, std::string(kTooLarge)};
  }
}

ValueOrDefect parse_toml(std::string_view text) {
  try {
    return read_toml(toml::parse(text));
  } catch (const toml::parse_error& error) {
    return defect_at(text, error.source().begin.line, "not TOML: " + std::string(error.description()), "");
  } catch (const TooLarge&) {
    return ValueDefect{1, std::string(kTooLarge)};
  }
}

ValueOrDefect parse_json(std::string_view text) {
  if (!json::is_within({kMaxDepth, kMaxBytes / 16}, text)) return ValueDefect{1, std::string(kTooLarge)};
  try {
    return read_json(nlohmann::ordered_json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    return ValueDefect{1, std::string("not JSON: ") + error.what()};
  }
}

std::variant<Page, ValueDefect> split_page(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string_view line = without_end(first_line(text));
  if (line == "---" || line == "+++") return split_delimited(text, line);
  if (line.starts_with('{') && (line == "{" || line.find('"') != npos)) return split_json(text);
  return split_lines(text);
}

}  // namespace kbase::content
