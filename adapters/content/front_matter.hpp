// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/model/result.hpp"

namespace kbase::content {

/// The two parts of a Markdown file, as views of its text.
struct MarkdownParts {
  std::string_view front_matter;  ///< text between the "---" lines; empty: the file has none
  std::string_view body;          ///< unchanged text after the front matter
};

/// InvalidArgument: the front matter has no end line.
model::Result<MarkdownParts> split_front_matter(std::string_view text);

/// Values for members that the front matter does not set, taken from the place of the file in its folder.
struct RecordDefaults {
  std::string_view id, title, category;
};

/// An error in a YAML text, and its line (counted from 1).
struct YamlDefect {
  std::uint64_t line = 1;
  std::string reason;
};

/// A record read from YAML, as JSON text in the form of a JSON Lines record.
struct RecordJson {
  struct MemberLine {
    std::string name;
    std::uint64_t line;  ///< line in the YAML text
  };
  std::string text;
  std::vector<MemberLine> members;   ///< in the order of the YAML text
  std::vector<std::string> unknown;  ///< names that kbase does not know, at most kMostUnknownMembers

  /// Returns the line of the last member with this name; nullopt: there is no such member.
  std::optional<std::uint64_t> line_of(std::string_view name) const;
};
using JsonOrDefect = std::variant<RecordJson, YamlDefect>;

/// Returns the names that have a meaning in the front matter of an item.
std::vector<std::string_view> front_matter_names();

/// Returns an item without content whose front matter is `yaml`. Item members keep their names; author, created,
/// updated, views and all other members become metadata. A plain scalar that is a number, true, false or null in JSON
/// becomes that; every other scalar becomes a string. An empty value counts as absent.
JsonOrDefect item_json(std::string_view yaml, const RecordDefaults& defaults);

/// Returns a category read from a _category.yaml. Unknown members are ignored.
JsonOrDefect category_json(std::string_view yaml, std::string_view default_id);

}  // namespace kbase::content
