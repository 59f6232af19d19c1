// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/opensearch/failure.hpp"
#include "adapters/opensearch/writer.hpp"

namespace kbase::opensearch {
namespace {

constexpr std::size_t kItemsAtOnce = 200;

/// Reads the documents of these items, in order: completely, or only the listed members.
model::Result<Json> documents_of(ports::Call& call, const WriterContext& context, const std::string& index,
                                 std::span<const std::string> items, std::string_view members = {}) {
  std::string path = "/" + write_alias_of(index) + "/_mget";
  if (!members.empty()) path += "?_source_includes=" + std::string(members);
  Json ids = Json::array();
  for (const std::string& each : items) ids.push_back(document_id(each));
  const auto got = context.server.ask(call, {.path = path, .body = written({{"ids", std::move(ids)}})});
  if (!got && got.error().code == model::ErrorCode::NotFound) return written_by_another(got.error().detail);
  if (!got) return got.error();
  const Json& documents = member(*got, "docs");
  if (!documents.is_array()) return nonsense("documents were asked for, and none were given");
  for (const Json& each : documents)
    if (const auto read = status_of(each); !read) return read.error();
  return documents;
}

/// Writes the documents of these items again with their current views, under their current version: a batch that
/// changes an item in the meantime has a higher one.
model::Status write_again(ports::Call& call, const WriterContext& context, const std::string& index,
                          std::span<const std::string> items, DocumentMaker& maker) {
  const auto documents = documents_of(call, context, index, items);
  if (!documents) return documents.error();
  Bulk bulk(context.server, write_alias_of(index), context.options.bulk_bytes);
  model::Status added;
  for (const Json& each : *documents) {
    const auto version = number(each, "_version");
    const Json& stored = member(each, "_source");
    if (!version || !stored.is_object()) continue;  // removed in the meantime
    const auto lines = maker.with_views(stored, context.views.of(text(stored, "id")));
    if (lines) added = bulk.add(call, *lines, *version);
    if (!added) break;
  }
  if (added) added = bulk.send(call);
  const auto last = bulk.wait(call);
  return added ? last : added;
}

/// Writes those of these items whose views differ. Reads their texts in parts that fit into a response.
model::Status write_changed(ports::Call& call, const WriterContext& context, const std::string& index,
                            std::span<const std::string> items, DocumentMaker& maker) {
  const auto documents = documents_of(call, context, index, items, "kind,id,imported,views,bytes");
  if (!documents) return documents.error();
  std::vector<std::string> part;
  std::uint64_t bytes = 0;
  for (const Json& each : *documents) {
    const Json& stored = member(each, "_source");
    const std::string_view item = text(stored, "id");
    if (has_views(stored, context.views.of(item))) continue;
    const std::uint64_t size = number(stored, "bytes").value_or(0);
    if (!part.empty() && bytes + size > kMostBytesAtOnce) {
      if (const auto written = write_again(call, context, index, part, maker); !written) return written;
      part.clear();
      bytes = 0;
    }
    part.emplace_back(item);
    bytes += size;
  }
  return part.empty() ? model::Status() : write_again(call, context, index, part, maker);
}

}  // namespace

model::Status write_views(ports::Call& call, WriterContext& context, const FoundState& published) {
  const std::lock_guard lock(context.writing);
  const model::ViewsRevision revision = context.views.revision();
  const std::vector<std::string> waiting = context.views.waiting();
  const auto before = written_state(context.server, call, published.index);
  if (!before) return unpublished(before.error());
  // Publishing views would also publish the incomplete batch.
  if (before->state.is_open) return written_by_another("a batch is being written");
  DocumentMaker maker(context.language);
  const std::span<const std::string> items(waiting);
  for (std::size_t first = 0; first < items.size(); first += kItemsAtOnce)
    if (const auto written = write_changed(call, context, published.index,
                                           items.subspan(first, std::min(kItemsAtOnce, items.size() - first)), maker);
        !written)
      return written.error().during("write counted views");
  State state = before->state;
  state.views_revision = revision;
  if (const auto put = write_state(context.server, call, published.index, state, &*before); !put) return put.error();
  if (const auto shown = refresh_index(context.server, call, published.index); !shown) return shown;
  context.views.given(waiting);
  return {};
}

}  // namespace kbase::opensearch
