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

/// Documents of an index: one per item, one in place of each removed item, and the state (see state.hpp).
namespace kbase::opensearch {

inline constexpr const char* kItem = "item";
inline constexpr const char* kRemoved = "removed";

/// Maximum size of the content that is stored and searched; the rest is cut off. The document with its analysed words
/// is several times as large and must fit into OpenSearch's http.max_content_length (100 MB).
inline constexpr std::size_t kMostContentBytes = std::size_t{4} << 20;

/// Maximum number of content bytes per response. As JSON they are longer, rarely by more than 10 %; the HTTP client
/// accepts 16 MiB (upstream.max_body_bytes).
inline constexpr std::uint64_t kMostBytesAtOnce = std::uint64_t{8} << 20;

/// A document to send, as two lines of JSON: its id and the document.
struct Lines {
  std::string id;
  std::string document;
};

/// Returns the id of an item's document. No other document id has its prefix.
std::string document_id(std::string_view item);

/// Whether the stored document has these counted views. True for documents that are not items.
bool has_views(const Json& stored, std::uint64_t counted);

/// Creates the documents of items. Not thread-safe.
class DocumentMaker {
 public:
  /// `language`: language of all items; nullopt: detected per item.
  explicit DocumentMaker(std::optional<text::Language> language) : language_(language) {}

  /// Creates the document of an item. `counted` views are added to the imported ones.
  Lines lines_of(const model::ItemView& item, std::uint64_t counted);

  /// Creates the document again from its stored form, with other counted views. nullopt: has_views() is already true.
  std::optional<Lines> with_views(const Json& stored, std::uint64_t counted);

 private:
  std::optional<text::Language> language_;
  text::Analyzer analyzer_;
};

/// Returns the status of one document of a multi-get; a missing document is not an error. Conflict: the index was
/// removed. Unavailable: the document cannot be read.
model::Status status_of(const Json& document);

/// Creates the tombstone document of a removed item, which prevents an older version of the item from coming back:
/// OpenSearch forgets the version of a deleted document, by default within one minute. `now` in seconds since 1970.
Lines removal_of(std::string_view id, std::int64_t now);

}  // namespace kbase::opensearch
