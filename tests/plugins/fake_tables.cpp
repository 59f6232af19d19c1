// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/fake_tables.hpp"

#include <algorithm>

namespace kbase::tests {
namespace {

std::string text(kb_view view) { return {view.data, view.size}; }

std::string list(const kb_view* views, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text(views[i]) + " ";
  return all;
}

std::string list(const kb_item* const* items, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i)
    all += text(items[i]->id) + "[" + list(items[i]->tags, items[i]->tag_count) + "] ";
  return all;
}

std::string tree(const kb_query_node* node) {
  constexpr const char* kNames[] = {"all", "any", "not", "word", "prefix", "phrase"};
  std::string described;
  for (; node != nullptr; node = node->next)
    described += std::string(kNames[node->kind]) + "(" + text(node->text) + tree(node->first_child) + ")";
  return described;
}

}  // namespace

FakeItemStore::FakeItemStore() {
  using Store = kb_item_store;
  using Writer = kb_item_writer;
  table.lineage = [](Store*, std::uint8_t out[16]) { std::fill_n(out, 16, std::uint8_t{7}); };
  table.revision = [](Store*, kb_call*, std::uint64_t* out) {
    *out = 42;
    return current->answer;
  };
  table.wait = [](Store*, kb_call*, std::uint64_t after) {
    current->arguments = "after " + std::to_string(after);
    return current->answer;
  };
  table.try_lease = [](Store*, kb_call*, kb_view name, kb_view owner, std::uint64_t ttl_ms, kb_lease* lease) {
    current->arguments = text(name) + " " + text(owner) + " " + std::to_string(ttl_ms);
    lease->is_held = current->is_held;
    return current->answer;
  };
  table.get = [](Store*, kb_call*, kb_view id, kb_item_sink sink, void* data) {
    current->arguments = text(id);
    return current->items(sink, data);
  };
  table.summaries = [](Store*, kb_call*, const kb_view* ids, std::size_t count, kb_item_sink sink, void* data) {
    current->arguments = list(ids, count);
    return current->items(sink, data);
  };
  table.recent = [](Store*, kb_call*, const kb_view* category, std::uint64_t offset, std::uint64_t limit,
                    kb_item_sink sink, void* data) {
    current->arguments = category == nullptr ? "all" : "of " + text(*category);
    current->arguments += " " + std::to_string(offset) + "+" + std::to_string(limit);
    return current->items(sink, data);
  };
  table.category = [](Store*, kb_call*, kb_view id, kb_category_sink sink, void* data) {
    current->arguments = text(id);
    return current->categories(sink, data);
  };
  table.categories = [](Store*, kb_call*, std::uint64_t, std::uint64_t, kb_category_sink sink, void* data) {
    return current->categories(sink, data);
  };
  table.totals = [](Store*, kb_call*, std::int32_t today, kb_store_totals* out) {
    out->items = static_cast<std::uint64_t>(today);
    out->recent_additions = 4;
    return current->answer;
  };
  table.category_views = [](Store*, kb_call*, kb_category_views_sink sink, void* data) {
    return current->category_views(sink, data);
  };
  table.changes = [](Store*, kb_call*, std::uint64_t, kb_change_sink sink, void* data, std::uint64_t* up_to) {
    return current->changes(sink, data, up_to);
  };
  table.begin = [](Store*, kb_call*, Writer** writer) {
    *writer = current->returns_no_writer ? nullptr : reinterpret_cast<Writer*>(current);
    return current->answer;
  };
  table.read = [](Writer*, kb_call*, const kb_view* ids, std::size_t count, kb_item_sink sink, void* data) {
    current->arguments = list(ids, count);
    return current->items(sink, data);
  };
  table.read_category = [](Writer*, kb_call*, kb_view, kb_category_sink sink, void* data) {
    return current->categories(sink, data);
  };
  table.put = [](Writer*, kb_call*, const kb_item* const* put, std::size_t count) {
    current->arguments = list(put, count);
    return current->answer;
  };
  table.put_category = [](Writer*, kb_call*, const kb_category* category) {
    current->arguments = text(category->name);
    return current->answer;
  };
  table.remove = [](Writer*, kb_call*, kb_view) { return current->answer; };
  table.remove_category = [](Writer*, kb_call*, kb_view) { return current->answer; };
  table.commit = [](Writer*, kb_call*, std::uint64_t* revision) {
    *revision = 43;
    return current->answer;
  };
  table.abort = [](Writer*, kb_call* call) { current->aborted += call->deadline_ns == UINT64_MAX ? 0 : 1; };
}

FakeSearchIndex::FakeSearchIndex() {
  using Index = kb_search_index;
  using Writer = kb_index_writer;
  table.fingerprint = [](Index*) { return current->fingerprint; };
  table.search = [](Index*, kb_call*, const kb_search_request* request, kb_hit_sink sink, kb_correction_sink correction,
                    void* data, kb_search_answer* given) {
    current->arguments = tree(request->query) + (request->category != nullptr ? " in " + text(*request->category) : "");
    return current->search(*request, sink, correction, data, *given);
  };
  table.complete = [](Index*, kb_call*, kb_view beginning, std::uint64_t limit, kb_word_sink sink, void* data) {
    current->arguments = text(beginning) + " " + std::to_string(limit);
    for (const std::string& word : current->words)
      if (sink(data, to_view(word), 1) != 0) return KB_STOPPED;
    return KB_OK;
  };
  table.state = [](Index*, kb_call*, kb_index_state* out) {
    out->complete = 1;
    out->revision = 5;
    out->documents = 3;
    out->lineage[15] = 9;
    return current->answer;
  };
  table.begin = [](Index*, kb_call*, std::int32_t build, const std::uint8_t lineage[16], Writer** writer) {
    current->arguments = std::to_string(build) + " of " + std::to_string(lineage[0]);
    *writer = current->returns_no_writer ? nullptr : reinterpret_cast<Writer*>(current);
    return current->answer;
  };
  table.set_views = [](Index*, kb_call*, const kb_view_count* totals, std::size_t count, std::uint64_t revision) {
    current->arguments = std::to_string(revision);
    for (std::size_t i = 0; i < count; ++i)
      current->arguments += " " + text(totals[i].item) + "=" + std::to_string(totals[i].views);
    return current->answer;
  };
  table.verify = [](Index*, kb_call*) { return current->answer; };
  table.put = [](Writer*, kb_call*, const kb_item* const* put, std::size_t count) {
    current->arguments = list(put, count);
    return current->answer;
  };
  table.remove = [](Writer*, kb_call*, kb_view id) {
    current->arguments = text(id);
    return current->answer;
  };
  table.commit = [](Writer*, kb_call*, std::uint64_t revision) {
    current->arguments = std::to_string(revision);
    return current->answer;
  };
  table.abort = [](Writer*, kb_call* call) { current->aborted += call->deadline_ns == UINT64_MAX ? 0 : 1; };
}

}  // namespace kbase::tests
