// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/site_members.hpp"

#include <algorithm>
#include <span>

#include "adapters/base/json.hpp"
#include "domain/model/extra_members.hpp"
#include "domain/model/page_path.hpp"

namespace kbase::content {
namespace {

bool has_member(std::string_view extra, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return extra.find('"' + std::string(name) + "\":") != std::string_view::npos;
  });
}

}  // namespace

std::string add_site_members(const SiteLayout& layout, const TreeFile& file, const std::string& path,
                             std::string_view extra) {
  std::string members(extra);
  const auto begin = [&members](std::string_view name) {
    members.append(members.empty() ? "\"" : ",\"").append(name).append("\":");
  };
  const std::string address = layout.edit_address_of(file);
  if (!address.empty() && !has_member(extra, model::kEditMembers)) {
    begin(model::kEditMembers.front());
    json::append_string(members, address);
  }
  const auto place = layout.order.find(path);
  if (place != layout.order.end() && !has_member(extra, model::kPlaceMembers)) {
    begin(model::kPlaceMembers.front());
    members += std::to_string(place->second);
  }
  return members;
}

std::map<std::string, double> folder_places(const SiteLayout& layout) {
  std::map<std::string, double> places;
  for (const auto& [path, place] : layout.order) {
    for (std::string_view folder = model::path_folder(path); !folder.empty(); folder = model::path_folder(folder)) {
      const auto [known, is_new] = places.emplace(folder, place);
      if (!is_new) known->second = std::min(known->second, static_cast<double>(place));
    }
  }
  return places;
}

}  // namespace kbase::content
