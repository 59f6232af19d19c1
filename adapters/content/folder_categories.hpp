// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/content/site_layout.hpp"
#include "domain/base/function_ref.hpp"
#include "ports/driven/content_source.hpp"

namespace kbase::content {

/// The categories of a folder of pages: one for each folder with pages, or with folders that have some. Not
/// thread-safe.
class FolderCategories {
 public:
  /// `root_id` is the id of the category of the pages directly in the source. `prefix` precedes all others; it is empty
  /// or ends with a slash.
  FolderCategories(std::string root_id, std::string prefix)
      : root_id_(std::move(root_id)), prefix_(std::move(prefix)) {}

  /// Adds the folder of a page, and those above it.
  void add(std::string_view folder);

  /// Members of a category that a file gives. Empty: it does not.
  struct Description {
    std::string id, name, description, icon;
    std::optional<double> order;
    std::vector<std::string> subcategories;
    std::vector<std::string> ignored;  ///< names of members without a meaning
  };

  /// Adds what a file says of a folder. What was said before stays.
  void describe(const std::string& folder, const Description& description);

  /// Adds the names and places that the navigation of the site gives folders, likewise.
  void describe(const SiteLayout& layout);

  /// Returns the id of the category of a folder.
  std::string id_of(std::string_view folder) const;

  /// Passes the category of each folder, the ones above first, with the categories directly below it.
  using Visitor = FunctionRef<Result<Visit>(const ports::CategoryRecord& category, model::TextList ignored)>;
  Result<Visit> visit(Visitor visitor) const;

 private:
  std::vector<std::string> children_of(const std::string& folder) const;

  const std::string root_id_, prefix_;
  std::set<std::string> folders_;
  std::map<std::string, Description, std::less<>> descriptions_;
};

}  // namespace kbase::content
