// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/base/text.hpp"
#include "ports/driving/catalog.hpp"

namespace kbase::pages {

/// A category in its tree.
struct CategoryNode {
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::string id, name, description;
  std::uint64_t items = 0;      ///< of the category itself
  std::uint64_t all_items = 0;  ///< also of all categories below it
  std::size_t parent = kNone;
  std::vector<std::size_t> children;  ///< in the order of the category that lists them
};

/// The categories of the base. Immutable, so thread-safe.
class CategoryTree {
 public:
  /// If a base has more categories, only these have names and places in the tree.
  static constexpr std::size_t kMaxCategories = 10'000;

  static Result<CategoryTree> read(ports::Call& call, ports::Catalog& catalog);

  const std::vector<CategoryNode>& nodes() const { return nodes_; }
  const std::vector<std::size_t>& roots() const { return roots_; }

  /// Null: no category has the id.
  const CategoryNode* find(std::string_view id) const;

  /// Returns the name of a category, or its id if it has none.
  std::string_view name_of(std::string_view id) const;

  /// Returns the categories from the root to `node`, which is the last.
  std::vector<const CategoryNode*> path_to(const CategoryNode& node) const;

 private:
  void link();

  std::vector<CategoryNode> nodes_;
  std::vector<std::vector<std::string>> listed_;  // ids of the children, while the tree is read
  std::vector<std::size_t> roots_;
  TextMap<std::size_t> by_id_;
};

/// Keeps the tree of the content that it was read from last. Thread-safe.
class CategoryCache {
 public:
  explicit CategoryCache(ports::Catalog& catalog) : catalog_(catalog) {}

  Result<std::shared_ptr<const CategoryTree>> get(ports::Call& call);

 private:
  ports::Catalog& catalog_;
  std::mutex mutex_;
  ports::Validator validator_;
  std::shared_ptr<const CategoryTree> tree_;  // null: none was read
};

}  // namespace kbase::pages
