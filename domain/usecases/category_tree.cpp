// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/category_tree.hpp"

#include <cstdint>
#include <limits>
#include <list>
#include <queue>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "domain/base/text.hpp"

namespace kbase::usecases {

Result<std::vector<std::string>> with_subcategories(ports::Call& call, ports::ItemStore& items,
                                                    std::vector<std::string> ids) {
  TextMap<std::vector<std::string>> below;
  const ports::Slice all{0, std::numeric_limits<std::uint32_t>::max()};
  KBASE_TRY(items.categories(call, all, [&](const model::CategoryView& category) {
    below.emplace(category.id, std::vector<std::string>(category.subcategories.begin(), category.subcategories.end()));
    return Visit::Continue;
  }));
  std::unordered_set<std::string> known;
  std::vector<std::string> tree;
  const auto add = [&](const std::string& id) {
    if (known.insert(id).second) tree.push_back(id);
  };
  for (const std::string& id : ids) add(id);
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (const auto found = below.find(tree[i]); found != below.end())
      for (const std::string& id : found->second) add(id);
  return tree;
}

namespace {

/// The items of one category, newest first, read in parts.
class CategoryItems {
 public:
  CategoryItems(ports::ItemStore& items, std::string category) : items_(items), category_(std::move(category)) {}

  /// Reads the next part if the last one has been passed. False: there are no more items.
  Result<bool> fill(ports::Call& call) {
    if (next_ < part_.size()) return true;
    if (is_ended_) return false;
    part_.clear();
    next_ = 0;
    KBASE_TRY(items_.recent(call, category_, {offset_, part_size_}, [this](const model::ItemSummaryView& item) {
      part_.push_back({std::string(item.id), item.metadata.updated, item.metadata.created});
      return Visit::Continue;
    }));
    offset_ += part_.size();
    is_ended_ = part_.size() < part_size_;
    part_size_ *= 2;
    return !part_.empty();
  }

  struct Key {
    std::string id;
    model::Day updated, created;

    bool is_before(const Key& other) const {
      return std::tie(other.updated, other.created, id) < std::tie(updated, created, other.id);
    }
  };
  const Key& front() const { return part_[next_]; }
  void pop() { ++next_; }

 private:
  ports::ItemStore& items_;
  const std::string category_;
  std::vector<Key> part_;
  std::size_t next_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t part_size_ = 100;  // doubled, because a store takes time for each item that it skips
  bool is_ended_ = false;
};

}  // namespace

Status visit_recent(ports::Call& call, ports::ItemStore& items, const std::vector<std::string>& categories,
                    ports::Slice slice, ports::SummaryVisitor visitor) {
  if (categories.size() == 1) return items.recent(call, categories.front(), slice, visitor);
  std::list<CategoryItems> lists;
  const auto is_after = [](const CategoryItems* a, const CategoryItems* b) { return b->front().is_before(a->front()); };
  std::priority_queue<CategoryItems*, std::vector<CategoryItems*>, decltype(is_after)> first(is_after);
  for (const std::string& category : categories) {
    CategoryItems& list = lists.emplace_back(items, category);
    const bool has_items = KBASE_TRY(list.fill(call));
    if (has_items) first.push(&list);
  }
  std::vector<std::string> ids;
  for (std::uint64_t number = 0; !first.empty() && ids.size() < slice.limit; ++number) {
    CategoryItems* const list = first.top();
    first.pop();
    if (number >= slice.offset) ids.push_back(list->front().id);
    list->pop();
    const bool has_more = KBASE_TRY(list->fill(call));
    if (has_more) first.push(list);
  }
  const std::vector<std::string_view> views(ids.begin(), ids.end());
  return items.summaries(call, views, visitor);
}

}  // namespace kbase::usecases
