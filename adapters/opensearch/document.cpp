// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/document.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "adapters/opensearch/failure.hpp"
#include "adapters/opensearch/token_stream.hpp"

namespace kbase::opensearch {
namespace {

constexpr std::uint64_t kMostViews = std::numeric_limits<std::int64_t>::max();  // maximum of a `long`

std::uint64_t sum(std::uint64_t imported, std::uint64_t counted) {
  const std::uint64_t bounded = std::min(imported, kMostViews);
  return bounded + std::min(counted, kMostViews - bounded);
}

/// Truncates the content to kMostContentBytes, without splitting a UTF-8 sequence.
std::string_view beginning_of(std::string_view content) {
  if (content.size() <= kMostContentBytes) return content;
  std::size_t end = kMostContentBytes;
  while (end > 0 && (static_cast<unsigned char>(content[end]) & 0xC0) == 0x80) --end;
  return content.substr(0, end);
}

void put_views(Json& document, std::uint64_t imported, std::uint64_t counted) {
  document["imported"] = std::min(imported, kMostViews);
  document["views"] = sum(imported, counted);
}

void put_streams(Json& document, Streams streams) {
  document["text"] = std::move(streams.text);
  document["words"] = std::move(streams.words);
  document["exact"] = std::move(streams.exact);
}

}  // namespace

std::string document_id(std::string_view item) {
  return "i:" + std::string(item);
}

bool has_views(const Json& stored, std::uint64_t counted) {
  const std::uint64_t imported = number(stored, "imported").value_or(0);
  return text(stored, "kind") != kItem || number(stored, "views") == sum(imported, counted);
}

Lines DocumentMaker::lines_of(const model::ItemView& item, std::uint64_t counted) {
  model::ItemView kept = item;
  kept.content = beginning_of(item.content);
  const text::Language language = language_ ? *language_ : text::detect_language(kept.title, kept.content);
  Json document{{"kind", kItem},
                {"id", item.id},
                {"category", item.category},
                {"updated", item.metadata.updated.time_since_epoch().count()},
                {"bytes", kept.title.size() + kept.content.size()},
                {"language", text::name_of(language)},
                {"title", item.title},
                {"tags", Json::array()},
                {"content", kept.content}};
  for (const std::string_view tag : item.tags) document["tags"].push_back(tag);
  put_views(document, item.metadata.views, counted);
  put_streams(document, streams_of(analyzer_, kept, language));
  return {written(document_id(item.id)), written(document)};
}

std::optional<Lines> DocumentMaker::with_views(const Json& stored, std::uint64_t counted) {
  if (has_views(stored, counted)) return std::nullopt;
  model::ItemView item;
  item.id = text(stored, "id");
  item.title = text(stored, "title");
  item.content = text(stored, "content");
  std::vector<std::string_view> tags;
  for (const Json& tag : member(stored, "tags"))
    if (tag.is_string()) tags.push_back(tag.get_ref<const std::string&>());
  item.tags = tags;
  Json document = stored;
  put_views(document, number(stored, "imported").value_or(0), counted);
  put_streams(document, streams_of(analyzer_, item,
                                   text::language_named(text(stored, "language")).value_or(text::Language::None)));
  return Lines{written(document_id(item.id)), written(document)};
}

model::Status status_of(const Json& document) {
  const Json& error = member(document, "error");
  if (error.is_null()) return {};
  const std::string detail = std::string(text(error, "type")) + ": " + std::string(text(error, "reason"));
  if (text(error, "type") == "index_not_found_exception") return written_by_another(detail);
  return nonsense("a document can't be read: " + detail);
}

Lines removal_of(std::string_view id, std::int64_t now) {
  return {written(document_id(id)), written({{"kind", kRemoved}, {"removed", now}})};
}

}  // namespace kbase::opensearch
