// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/content/front_matter.hpp"
#include "domain/model/day.hpp"

namespace kbase::content {

/// What the front matter of a page says, whichever generator wrote it (docs/content/front-matter.md). Empty or nullopt:
/// it does not say.
struct PageMembers {
  std::string id, title, category, summary, author, language, version;
  std::string slug;       ///< last part of the page's address, or an absolute path
  std::string permalink;  ///< path or address of the page
  std::vector<std::string> tags, aliases, related;
  std::optional<model::Day> created, updated, expires;
  std::optional<std::uint64_t> views;
  std::optional<double> order;       ///< place among the pages of the folder
  std::string extra;                 ///< further members, as JSON without the outer braces
  bool is_draft = false;             ///< a draft, or not published
  bool is_hidden = false;            ///< left out of the search of its site, or only a redirect to another page
  std::vector<std::string> unknown;  ///< names of the further members

  /// A value that has a wrong shape and was ignored.
  struct Warning {
    std::uint64_t line = 0;
    std::string reason;
  };
  std::vector<Warning> warnings;
};

/// Reads the members of a Map. Keys are compared without case, and `-` is `_`.
PageMembers read_members(const Value& front_matter);

/// Returns the names that have a meaning in front matter.
std::vector<std::string_view> front_matter_names();

}  // namespace kbase::content
