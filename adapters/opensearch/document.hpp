// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/opensearch/json.hpp"
#include "adapters/text/analyzer.hpp"
#include "domain/model/item.hpp"
#include "domain/model/result.hpp"

/// What is kept in an index: a document for each item, one in place of each removed item, and the state (see state).
namespace kbase::opensearch {

inline constexpr const char* kItem = "item";
inline constexpr const char* kRemoved = "removed";

/// What is kept and found of an item's content; the rest is cut off. Its document, with the words made of it, is
/// several times as long, and has to fit in what OpenSearch takes (http.max_content_length, 100 MB) and shows.
inline constexpr std::size_t kMostContentBytes = std::size_t{4} << 20;

/// Bytes of texts that are asked for at once. As JSON they are longer, rarely by more than a tenth, and the client
/// takes 16 MiB (upstream.max_body_bytes).
inline constexpr std::uint64_t kMostBytesAtOnce = std::uint64_t{8} << 20;

/// A document on its way, as two lines of JSON: its id, and the document itself.
struct Lines {
  std::string id;
  std::string document;
};

/// The name of an item's document; no other document has one that begins so.
std::string document_id(std::string_view item);

/// Whether what is stored of a document has these counted views; what is of no item needs none.
bool has_views(const Json& stored, std::uint64_t counted);

/// Makes the documents of items. One thread.
class DocumentMaker {
 public:
  /// The language of every item; nullopt: detected item by item.
  explicit DocumentMaker(std::optional<text::Language> language) : language_(language) {}

  /// `counted` views are added to the imported ones.
  Lines lines_of(const model::ItemView& item, std::uint64_t counted);

  /// The same document with other counted views, made of what is stored of it. nullopt: it has_views() already.
  std::optional<Lines> with_views(const Json& stored, std::uint64_t counted);

 private:
  std::optional<text::Language> language_;
  text::Analyzer analyzer_;
};

/// What OpenSearch says of one of several documents that were asked for; one that is not there is no failure.
/// Conflict: the index was removed. Unavailable: it can't be read.
model::Status status_of(const Json& document);

/// What takes a removed item's place, so that no older state of it can come back: OpenSearch forgets the version of a
/// document that was deleted, by default within a minute. `now` in seconds since 1970.
Lines removal_of(std::string_view id, std::int64_t now);

}  // namespace kbase::opensearch
