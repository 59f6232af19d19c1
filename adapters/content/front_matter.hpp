// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kbase::content {

/// A value of YAML, TOML or JSON.
struct Value {
  enum class Kind : std::uint8_t { Null, Literal, Text, List, Map };

  Kind kind = Kind::Null;
  std::string text = {};                                    ///< of Text; of Literal: a number, true or false as in JSON
  std::vector<Value> entries = {};                          ///< of List
  std::vector<std::pair<std::string, Value>> members = {};  ///< of Map, in the order of the text
  std::uint64_t line = 1;                                   ///< line in the text, counted from 1

  bool is_scalar() const { return kind == Kind::Literal || kind == Kind::Text; }
  /// Returns the member with this name; null: the map does not have it.
  const Value* find(std::string_view name) const;
};

/// Appends the value as JSON.
void append_json(std::string& json, const Value& value);

/// An error in a text, and its line (counted from 1).
struct ValueDefect {
  std::uint64_t line = 1;
  std::string reason;
};
using ValueOrDefect = std::variant<Value, ValueDefect>;

/// Parse a whole text. A YAML text that is empty is Null. A YAML scalar that is a number, true or false in JSON is a
/// Literal. Aliases are resolved up to 1 MiB of values.
ValueOrDefect parse_yaml(std::string_view text);
ValueOrDefect parse_toml(std::string_view text);
ValueOrDefect parse_json(std::string_view text);

/// A file split into its front matter and its body, as views of its text.
struct Page {
  std::optional<Value> front_matter = {};  ///< always a Map; nullopt: the file has none
  std::string_view body = {};              ///< the unchanged text after the front matter
};

/// Splits a file with front matter in YAML (`---`), TOML (`+++`) or JSON (`{`), as lines "Key: value" before the first
/// empty line (MultiMarkdown), or as properties "key:: value" (Logseq). A file that starts with a rule, or with a text
/// between two rules, has none. Lines of values are those of the file.
std::variant<Page, ValueDefect> split_page(std::string_view text);

}  // namespace kbase::content
