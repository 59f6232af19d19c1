// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/opensearch/server.hpp"
#include "adapters/opensearch/writer.hpp"
#include "domain/base/result.hpp"

namespace kbase::opensearch {
namespace {

constexpr std::size_t kItemsPerRequest = 200;

/// Reads the documents of these items, in order: completely, or only the listed members.
Result<Json> read_documents(ports::Call& call, const WriterContext& context, const std::string& index,
                            std::span<const std::string> items, std::string_view members = {}) {
  std::string path = "/" + write_alias_for(index) + "/_mget";
  if (!members.empty()) path += "?_source_includes=" + std::string(members);
  Json ids = Json::array();
  for (const std::string& each : items) ids.push_back(document_id(each));
  const auto got = context.server.execute(call, {.path = path, .body = serialize({{"ids", std::move(ids)}})});
  if (!got && got.error().code == ErrorCode::NotFound) return conflict_error(got.error().detail);
  if (!got) return got.error();
  const Json& documents = member(*got, "docs");
  if (!documents.is_array()) return invalid_response("the response to a multi-get has no documents");
  for (const Json& each : documents) KBASE_TRY(check_document(each));
  return documents;
}

/// Writes the documents of these items again with their current views, under their current version: a batch that
/// changes an item in the meantime has a higher one.
Status rewrite_documents(ports::Call& call, const WriterContext& context, const std::string& index,
                         std::span<const std::string> items, DocumentMaker& maker) {
  const auto documents = KBASE_TRY(read_documents(call, context, index, items));
  BulkWriter bulk(context.server, write_alias_for(index), context.options.bulk_bytes);
  Status added;
  for (const Json& each : documents) {
    const auto version = number(each, "_version");
    const Json& stored = member(each, "_source");
    if (!version || !stored.is_object()) continue;  // removed in the meantime
    const auto lines = maker.update_views(stored, context.views.total_of(text(stored, "id")));
    if (lines) added = bulk.add(call, *lines, *version);
    if (!added) break;
  }
  if (added) added = bulk.send(call);
  const auto last = bulk.wait(call);
  return added ? last : added;
}

/// Writes those of these items whose views differ. Reads their texts in parts that fit into a response.
Status rewrite_changed(ports::Call& call, const WriterContext& context, const std::string& index,
                       std::span<const std::string> items, DocumentMaker& maker) {
  const auto documents = KBASE_TRY(read_documents(call, context, index, items, "kind,id,imported,views,bytes"));
  std::vector<std::string> part;
  std::uint64_t bytes = 0;
  for (const Json& each : documents) {
    const Json& stored = member(each, "_source");
    const std::string_view item = text(stored, "id");
    if (has_views(stored, context.views.total_of(item))) continue;
    const std::uint64_t size = number(stored, "bytes").value_or(0);
    if (!part.empty() && bytes + size > kMaxResponseBytes) {
      if (const auto rewritten = rewrite_documents(call, context, index, part, maker); !rewritten) return rewritten;
      part.clear();
      bytes = 0;
    }
    part.emplace_back(item);
    bytes += size;
  }
  return part.empty() ? Status() : rewrite_documents(call, context, index, part, maker);
}

}  // namespace

Status write_views(ports::Call& call, WriterContext& context, const StoredState& published) {
  const std::lock_guard lock(context.writing);
  const model::ViewsRevision revision = context.views.revision();
  const std::vector<std::string> pending = context.views.pending();
  const auto before = read_written_state(context.server, call, published.index);
  if (!before) return require_published(before.error());
  // Publishing views would also publish the incomplete batch.
  if (before->state.is_open) return conflict_error("a batch is being written");
  DocumentMaker maker(context.language);
  const std::span<const std::string> items(pending);
  for (std::size_t first = 0; first < items.size(); first += kItemsPerRequest)
    if (const auto rewritten =
            rewrite_changed(call, context, published.index,
                            items.subspan(first, std::min(kItemsPerRequest, items.size() - first)), maker);
        !rewritten)
      return rewritten.error().during("write counted views");
  State state = before->state;
  state.views_revision = revision;
  KBASE_TRY(write_state(context.server, call, published.index, state, &*before));
  if (const auto refreshed = refresh_index(context.server, call, published.index); !refreshed) return refreshed;
  context.views.mark_written(pending);
  return {};
}

}  // namespace kbase::opensearch
