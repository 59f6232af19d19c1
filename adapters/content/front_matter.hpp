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

/// A Markdown file cut in two. Views of the file's text.
struct MarkdownParts {
  std::string_view front_matter;  ///< between the lines "---"; empty: the file has none
  std::string_view body;          ///< as it stands
};

/// InvalidArgument: front matter that nothing ends.
model::Result<MarkdownParts> split_front_matter(std::string_view text);

/// What a file's place in its folder says where its front matter does not.
struct RecordDefaults {
  std::string_view id, title, category;
};

/// What is wrong with a YAML text, and on which of its lines (counted from 1).
struct YamlDefect {
  std::uint64_t line = 1;
  std::string reason;
};

/// The record that a YAML text says, as the JSON text that a line of JSON Lines would have.
struct RecordJson {
  struct MemberLine {
    std::string name;
    std::uint64_t line;  ///< of the YAML text
  };
  std::string text;
  std::vector<MemberLine> members;   ///< in the order of the YAML
  std::vector<std::string> unknown;  ///< names of those that kbase knows nothing of, the first kMostUnknownMembers

  /// Of the last member of this name; nullopt: there is none.
  std::optional<std::uint64_t> line_of(std::string_view name) const;
};
using JsonOrDefect = std::variant<RecordJson, YamlDefect>;

/// The names of the members that mean something in the front matter of an item.
std::vector<std::string_view> front_matter_names();

/// An item without content whose front matter is `yaml`. Members of an item keep their names; author, created, updated,
/// views and every other member become metadata. Plain scalars that JSON would read as a number, true, false or null
/// are those, every other scalar is text; an empty value is an absent one.
JsonOrDefect item_json(std::string_view yaml, const RecordDefaults& defaults);

/// The same for a category, out of a _category.yaml. Other members are passed over.
JsonOrDefect category_json(std::string_view yaml, std::string_view default_id);

}  // namespace kbase::content
