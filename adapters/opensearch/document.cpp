// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/document.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "adapters/opensearch/response.hpp"
#include "adapters/text/query.hpp"
#include "domain/base/encoding.hpp"

namespace kbase::opensearch {
namespace {

class StreamBuilder {
 public:
  StreamBuilder(text::Analyzer& analyzer, text::Language language) : analyzer_(analyzer), language_(language) {}

  /// Adds one field or one tag.
  void add(std::string_view text, int weight) {
    words_.clear();
    exact_.clear();
    if (!streams_.text.empty()) append_name(streams_.text, kNoWord, false);
    analyzer_.analyze(text, language_, [this](const text::Token& token) { add_token(token); });
    for (int i = 0; i < weight; ++i) {
      streams_.words += words_;
      streams_.exact += exact_;
    }
  }

  Streams finish() { return std::move(streams_); }

 private:
  void add_token(const text::Token& token) {
    const bool is_part = token.role == text::Token::Role::Part;
    const std::string_view stem = token.stem.empty() ? token.exact : token.stem;
    append_name(streams_.text, token.exact, is_part);
    append_name(streams_.text, text::kStemMark + std::string(stem), true);
    if (!token.stem_of_exact.empty())
      append_name(streams_.text, text::kStemMark + std::string(token.stem_of_exact), true);

    append_name(words_, stem, is_part);
    if (!token.stem_of_exact.empty()) append_name(words_, token.stem_of_exact, true);
    append_name(exact_, token.stem.empty() ? kNoWord : token.exact, is_part);
  }

  text::Analyzer& analyzer_;
  const text::Language language_;
  Streams streams_;
  std::string words_, exact_;  // of the current field
};

constexpr std::uint64_t kMaxViews = std::numeric_limits<std::int64_t>::max();  // maximum of a `long`

std::uint64_t add_views(std::uint64_t imported, std::uint64_t counted) {
  const std::uint64_t bounded = std::min(imported, kMaxViews);
  return bounded + std::min(counted, kMaxViews - bounded);
}

/// Truncates the content to kMaxContentBytes, without splitting a UTF-8 sequence.
std::string_view truncate_content(std::string_view content) {
  if (content.size() <= kMaxContentBytes) return content;
  std::size_t end = kMaxContentBytes;
  while (end > 0 && (static_cast<unsigned char>(content[end]) & 0xC0) == 0x80) --end;
  return content.substr(0, end);
}

void set_view_counts(Json& document, std::uint64_t imported, std::uint64_t counted) {
  document["imported"] = std::min(imported, kMaxViews);
  document["views"] = add_views(imported, counted);
}

void set_streams(Json& document, Streams streams) {
  document["text"] = std::move(streams.text);
  document["words"] = std::move(streams.words);
  document["exact"] = std::move(streams.exact);
}

std::optional<model::StoreId> parse_store_id(std::string_view digits) {
  model::StoreId store_id;
  if (!parse_hex(digits, store_id)) return std::nullopt;
  return store_id;
}

}  // namespace

void append_name(std::string& stream, std::string_view name, bool at_same_position) {
  stream += at_same_position ? kSamePosition : ' ';
  for (const char c : name) {
    const bool parts = (c >= 0 && c <= ' ') || c == kSamePosition;
    stream += parts ? '_' : c;
  }
}

Streams build_streams(text::Analyzer& analyzer, const model::ItemView& item, text::Language language) {
  StreamBuilder builder(analyzer, language);
  builder.add(item.title, kTitleWeight);
  for (const std::string_view tag : item.tags) builder.add(tag, kTagWeight);
  builder.add(item.content, 1);
  return builder.finish();
}

std::string document_id(std::string_view item) { return "i:" + std::string(item); }

bool has_views(const Json& stored, std::uint64_t counted) {
  const std::uint64_t imported = number(stored, "imported").value_or(0);
  return text(stored, "kind") != kItem || number(stored, "views") == add_views(imported, counted);
}

BulkDocument DocumentMaker::make_document(const model::ItemView& item, std::uint64_t counted) {
  model::ItemView truncated = item;
  truncated.content = truncate_content(item.content);
  const text::Language language = language_ ? *language_ : text::detect_language(truncated.title, truncated.content);
  Json document{{"kind", kItem},
                {"id", item.id},
                {"category", item.category},
                {"updated", item.metadata.updated.time_since_epoch().count()},
                {"bytes", truncated.title.size() + truncated.content.size()},
                {"language", text::name_of(language)},
                {"title", item.title},
                {"tags", Json::array()},
                {"content", truncated.content}};
  for (const std::string_view tag : item.tags) document["tags"].push_back(tag);
  set_view_counts(document, item.metadata.views, counted);
  set_streams(document, build_streams(analyzer_, truncated, language));
  return {serialize(document_id(item.id)), serialize(document)};
}

std::optional<BulkDocument> DocumentMaker::update_views(const Json& stored, std::uint64_t counted) {
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
  set_view_counts(document, number(stored, "imported").value_or(0), counted);
  set_streams(document, build_streams(analyzer_, item,
                                      text::find_language(text(stored, "language")).value_or(text::Language::None)));
  return BulkDocument{serialize(document_id(item.id)), serialize(document)};
}

Status check_document(const Json& document) {
  const Json& error = member(document, "error");
  if (error.is_null()) return {};
  const std::string detail = std::string(text(error, "type")) + ": " + std::string(text(error, "reason"));
  if (text(error, "type") == "index_not_found_exception") return conflict_error(detail);
  return invalid_response("cannot read a document: " + detail);
}

BulkDocument make_tombstone(std::string_view id, std::int64_t now) {
  return {serialize(document_id(id)), serialize({{"kind", kTombstone}, {"removed", now}})};
}

Json make_state_document(const State& state) {
  return {{"kind", kState},
          {"state",
           {{"lineage", to_hex(state.store_id)},
            {"revision", state.revision},
            {"views_revision", state.views_revision},
            {"open", state.is_open},
            {"swept", state.tombstones_purged_at}}}};
}

std::optional<StoredState> parse_state(const Json& hit) {
  const Json& stored = member(member(hit, "_source"), "state");
  const auto store_id = parse_store_id(text(stored, "lineage"));
  const auto revision = number(stored, "revision");
  const auto views_revision = number(stored, "views_revision");
  if (!store_id || !revision || !views_revision || text(hit, "_index").empty()) return std::nullopt;
  StoredState found;
  found.state.store_id = *store_id;
  found.state.revision = *revision;
  found.state.views_revision = *views_revision;
  found.state.is_open = member(stored, "open") == true;
  found.state.tombstones_purged_at = static_cast<std::int64_t>(number(stored, "swept").value_or(0));
  found.index = text(hit, "_index");
  found.sequence = number(hit, "_seq_no").value_or(0);
  found.term = number(hit, "_primary_term").value_or(0);
  return found;
}

}  // namespace kbase::opensearch
