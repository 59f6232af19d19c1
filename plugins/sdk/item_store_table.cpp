// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/item_sinks.hpp"
#include "plugins/sdk/item_writer_table.hpp"
#include "plugins/sdk/table.hpp"

namespace kbase::sdk {
namespace {

constexpr std::uint64_t kLongestLeaseMs = std::chrono::milliseconds(std::chrono::years(1)).count();

ports::ItemStore& of(kb_item_store* store) noexcept {
  return port_of<ports::ItemStore>(store);
}

class Changes : public Sink<kb_change_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const ports::Change& change) {
    kb_change row{};
    row.struct_size = sizeof row;
    row.kind = kind_of(change.kind);
    row.id = view_of(change.id);
    row.revision = change.revision;
    kb_item item;
    if (change.item != nullptr) row.item = &(item = to_c_.item(*change.item));
    kb_category category;
    if (change.category != nullptr) row.category = &(category = to_c_.category(*change.category));
    return lend(&row);
  }

 private:
  static std::int32_t kind_of(ports::Change::Kind kind) noexcept {
    switch (kind) {
      case ports::Change::Kind::ItemPut:
        return KB_CHANGE_ITEM_PUT;
      case ports::Change::Kind::ItemRemoved:
        return KB_CHANGE_ITEM_REMOVED;
      case ports::Change::Kind::CategoryPut:
        return KB_CHANGE_CATEGORY_PUT;
      case ports::Change::Kind::CategoryRemoved:
        break;
    }
    return KB_CHANGE_CATEGORY_REMOVED;
  }

  RowToC to_c_;
};

class CategoryViews : public Sink<kb_category_views_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const ports::CategoryViews& row) {
    return lend(view_of(row.id), view_of(row.name), row.views);
  }
};

void store_id(kb_item_store* store, std::uint8_t out[16]) noexcept {
  const model::StoreId store_id = of(store).store_id();
  std::copy(store_id.begin(), store_id.end(), out);
}

kb_status revision(kb_item_store* store, kb_call* call, std::uint64_t* out) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, of(store).revision(inner), out); });
}

kb_status wait(kb_item_store* store, kb_call* call, std::uint64_t after) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, of(store).wait(inner, after)); });
}

kb_status get(kb_item_store* store, kb_call* call, kb_view id, kb_item_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Items items(sink, data);
    return ended(call, of(store).get(inner, text_of(id), items), items);
  });
}

kb_status summaries(kb_item_store* store, kb_call* call, const kb_view* ids, std::size_t id_count, kb_item_sink sink,
                    void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    FromC from_c;
    Summaries items(sink, data);
    return ended(call, of(store).summaries(inner, from_c.texts(ids, id_count), items), items);
  });
}

kb_status recent(kb_item_store* store, kb_call* call, const kb_view* category, std::uint64_t offset,
                 std::uint64_t limit, kb_item_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    std::optional<std::string_view> of_category;
    if (category != nullptr) of_category = text_of(*category);
    Summaries items(sink, data);
    return ended(call, of(store).recent(inner, of_category, {offset, limit}, items), items);
  });
}

kb_status category(kb_item_store* store, kb_call* call, kb_view id, kb_category_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Categories rows(sink, data);
    return ended(call, of(store).category(inner, text_of(id), rows), rows);
  });
}

kb_status categories(kb_item_store* store, kb_call* call, std::uint64_t offset, std::uint64_t limit,
                     kb_category_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Categories rows(sink, data);
    return ended(call, of(store).categories(inner, {offset, limit}, rows), rows);
  });
}

kb_status totals(kb_item_store* store, kb_call* call, std::int32_t today, kb_store_totals* out) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    const auto totals = of(store).totals(inner, day_of(today));
    if (!totals) return failed(call, totals.error());
    fill_in({sizeof(kb_store_totals), 0, totals->items, totals->categories, totals->views, totals->recent_additions},
            *out);
    return KB_OK;
  });
}

kb_status category_views(kb_item_store* store, kb_call* call, kb_category_views_sink sink, void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    CategoryViews rows(sink, data);
    return ended(call, of(store).category_views(inner, rows), rows);
  });
}

kb_status changes(kb_item_store* store, kb_call* call, std::uint64_t after, kb_change_sink sink, void* data,
                  std::uint64_t* up_to) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Changes rows(sink, data);
    return ended(call, of(store).changes(inner, after, rows), up_to, rows);
  });
}

kb_status try_lease(kb_item_store* store, kb_call* call, kb_view name, kb_view owner, std::uint64_t ttl_ms,
                    kb_lease* lease) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    const std::chrono::milliseconds ttl(static_cast<std::int64_t>(std::min(ttl_ms, kLongestLeaseMs)));
    const auto held = of(store).try_lease(inner, text_of(name), text_of(owner), ttl);
    if (!held) return failed(call, held.error());
    lease->is_held = *held ? 1 : 0;
    return KB_OK;
  });
}

kb_status begin(kb_item_store* store, kb_call* call, kb_item_writer** writer) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    auto begun = of(store).begin(inner);
    if (!begun) return failed(call, begun.error());
    *writer = item_writer::handle_of(*std::move(begun));
    return KB_OK;
  });
}

}  // namespace

// table() fills in `create` and what a plugin declares.
constinit const kb_item_store_v1 InC<ports::ItemStore>::kCalls = {
    .struct_size = sizeof(kb_item_store_v1),
    .inline_calls = 0,
    .flags = 0,
    .capabilities = 0,
    .config_schema = nullptr,
    .create = nullptr,
    .destroy = destroy,
    .health = health<ports::ItemStore>,
    .lineage = store_id,
    .revision = revision,
    .wait = wait,
    .get = get,
    .summaries = summaries,
    .recent = recent,
    .category = category,
    .categories = categories,
    .totals = totals,
    .category_views = category_views,
    .changes = changes,
    .begin = begin,
    .read = item_writer::read,
    .read_category = item_writer::read_category,
    .put = item_writer::put,
    .put_category = item_writer::put_category,
    .remove = item_writer::remove,
    .remove_category = item_writer::remove_category,
    .commit = item_writer::commit,
    .abort = item_writer::abort,
    .try_lease = try_lease,
};

}  // namespace kbase::sdk
