// SPDX-License-Identifier: Apache-2.0
#include "adapters/pages/category_tree.hpp"

#include <algorithm>
#include <utility>

namespace kbase::pages {

Result<CategoryTree> CategoryTree::read(ports::Call& call, ports::Catalog& catalog) {
  CategoryTree tree;
  for (;;) {
    const std::size_t before = tree.nodes_.size();
    ports::Slice slice;
    slice.limit = ports::kServedListLimit;
    slice.offset = before;
    KBASE_TRY(catalog.categories(call, slice, [&tree](const model::CategoryView& category) {
      tree.by_id_.emplace(category.id, tree.nodes_.size());
      const std::string_view name = category.name.empty() ? category.id : category.name;
      tree.nodes_.push_back({std::string(category.id),
                             std::string(name),
                             std::string(category.description),
                             category.item_count,
                             0,
                             CategoryNode::kNone,
                             {}});
      tree.listed_.emplace_back(category.subcategories.begin(), category.subcategories.end());
      return Visit::Continue;
    }));
    if (tree.nodes_.size() - before < slice.limit || tree.nodes_.size() >= kMaxCategories) break;
  }
  tree.link();
  return tree;
}

/// Sets parents and children. A category that several list is a child of the first; one that would be its own ancestor
/// stays where it is.
void CategoryTree::link() {
  const auto is_below = [this](std::size_t node, std::size_t ancestor) {
    for (; node != CategoryNode::kNone; node = nodes_[node].parent)
      if (node == ancestor) return true;
    return false;
  };
  for (std::size_t parent = 0; parent < nodes_.size(); ++parent)
    for (const std::string& id : listed_[parent]) {
      const auto child = by_id_.find(id);
      if (child == by_id_.end() || nodes_[child->second].parent != CategoryNode::kNone ||
          is_below(parent, child->second))
        continue;
      nodes_[child->second].parent = parent;
      nodes_[parent].children.push_back(child->second);
    }
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    if (nodes_[node].parent == CategoryNode::kNone) roots_.push_back(node);
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    for (std::size_t above = node; above != CategoryNode::kNone; above = nodes_[above].parent)
      nodes_[above].all_items += nodes_[node].items;
  listed_ = {};
}

const CategoryNode* CategoryTree::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &nodes_[found->second];
}

std::string_view CategoryTree::name_of(std::string_view id) const {
  const CategoryNode* const node = find(id);
  return node == nullptr ? id : std::string_view(node->name);
}

std::vector<const CategoryNode*> CategoryTree::path_to(const CategoryNode& node) const {
  std::vector<const CategoryNode*> path{&node};
  while (path.back()->parent != CategoryNode::kNone) path.push_back(&nodes_[path.back()->parent]);
  std::reverse(path.begin(), path.end());
  return path;
}

Result<std::shared_ptr<const CategoryTree>> CategoryCache::get(ports::Call& call) {
  const auto validator = KBASE_TRY(catalog_.content_validator(call));
  {
    const std::lock_guard lock(mutex_);
    if (tree_ != nullptr && validator_ == validator) return tree_;
  }
  // Several threads may read it at once; each result is right.
  auto read = CategoryTree::read(call, catalog_);
  if (!read) return read.error();
  auto tree = std::make_shared<const CategoryTree>(*std::move(read));
  const std::lock_guard lock(mutex_);
  validator_ = validator;
  tree_ = tree;
  return tree;
}

}  // namespace kbase::pages
