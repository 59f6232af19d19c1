// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/folder_categories.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "adapters/content/readable_names.hpp"
#include "adapters/content/site_members.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::content {

void FolderCategories::add(std::string_view folder) {
  for (; folders_.insert(std::string(folder)).second && !folder.empty(); folder = model::path_folder(folder)) {
  }
}

void FolderCategories::describe(const std::string& folder, const Description& description) {
  Description& known = descriptions_[folder];
  const auto take = [](std::string& member, const std::string& value) {
    if (member.empty()) member = value;
  };
  take(known.id, description.id);
  take(known.name, description.name);
  take(known.description, description.description);
  take(known.icon, description.icon);
  if (!known.order) known.order = description.order;
  if (known.subcategories.empty()) known.subcategories = description.subcategories;
  known.ignored.insert(known.ignored.end(), description.ignored.begin(), description.ignored.end());
}

void FolderCategories::describe(const SiteLayout& layout) {
  for (const auto& [path, name] : layout.names) {
    Description description;
    description.name = name;
    describe(model::page_key(path), description);
  }
  for (const auto& [folder, place] : folder_places(layout)) {
    Description description;
    description.order = place;
    describe(folder, description);
  }
}

std::string FolderCategories::id_of(std::string_view folder) const {
  if (const auto described = descriptions_.find(folder);
      described != descriptions_.end() && !described->second.id.empty())
    return described->second.id;
  return folder.empty() ? root_id_ : prefix_ + std::string(folder);
}

std::vector<std::string> FolderCategories::children_of(const std::string& folder) const {
  std::vector<std::string> children;
  for (const std::string& each : folders_)
    if (!each.empty() && model::path_folder(each) == folder) children.push_back(each);
  const auto order = [this](const std::string& each) {
    const auto described = descriptions_.find(each);
    const bool has_order = described != descriptions_.end() && described->second.order;
    return has_order ? *described->second.order : std::numeric_limits<double>::max();
  };
  std::stable_sort(children.begin(), children.end(),
                   [&](const std::string& a, const std::string& b) { return order(a) < order(b); });
  return children;
}

Result<Visit> FolderCategories::visit(Visitor visitor) const {
  for (const std::string& folder : folders_) {
    const auto described = descriptions_.find(folder);
    const Description description = described == descriptions_.end() ? Description() : described->second;
    std::vector<std::string> below = description.subcategories;
    if (below.empty())
      for (const std::string& child : children_of(folder)) below.push_back(id_of(child));
    const std::vector<std::string_view> subcategories(below.begin(), below.end());
    const std::vector<std::string_view> ignored(description.ignored.begin(), description.ignored.end());
    const std::string id = id_of(folder);
    const std::string name =
        !description.name.empty() ? description.name : readable_name(model::path_name(folder.empty() ? id : folder));
    const auto visited =
        KBASE_TRY(visitor({id, name, description.description, description.icon, subcategories}, ignored));
    if (visited == Visit::Stop) return Visit::Stop;
  }
  return Visit::Continue;
}

}  // namespace kbase::content
