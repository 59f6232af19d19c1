// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/opensearch/server.hpp"
#include "adapters/text/analyzer.hpp"
#include "domain/base/result.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"

namespace kbase::opensearch {

/// Version of the index format; increment it with every change of the stored data.
inline constexpr std::uint32_t kFormatVersion = 6;

/// Limit of offset plus page size (index.max_result_window).
inline constexpr std::uint64_t kMaxMatches = 100'000;

/// Returns format, analysis version and language: everything that results depend on.
std::string describe_settings(const Options& options);

/// Returns the alias that searches use. Its name contains the settings, so that servers of another version or language
/// keep searching their own index while this one is built.
std::string make_alias(const Options& options);

/// Returns settings and mappings of a new index. Only `write_alias` points to it.
Json make_index_definition(const Options& options, const std::string& write_alias);

// Operations on whole indices.

/// Returns the write alias of an index. The alias is removed together with the index; a late write to the index name
/// would create a new index.
inline std::string write_alias_for(const std::string& index) { return index + ".w"; }

/// Creates an empty index with a unique name derived from `now`, in milliseconds since 1970, and returns the name.
/// `alias` is the alias that searches will use.
Result<std::string> create_index(const Server& server, ports::Call& call, const Options& options,
                                 const std::string& alias, std::int64_t now);

/// Atomically moves `alias` to `index` and removes all other indices created for it.
/// Conflict: another process does the same.
Status publish_index(const Server& server, ports::Call& call, const std::string& alias, const std::string& index);

/// Removes the indices that were created for `alias` before `before`, in milliseconds since 1970, and never published.
Status remove_leftovers(const Server& server, ports::Call& call, const std::string& alias, std::int64_t before);

/// Removes an index. A missing index is not an error.
Status remove_index(const Server& server, ports::Call& call, const std::string& index);

/// Refreshes an index, which makes all writes visible to searches.
Status refresh_index(const Server& server, ports::Call& call, const std::string& index);

// Documents of an index: one per item, one in place of each removed item, and the state (see State).

inline constexpr const char* kItem = "item";
inline constexpr const char* kTombstone = "removed";

/// Maximum size of the content that is stored and searched; the rest is cut off. The document with its analysed words
/// is several times as large and must fit into OpenSearch's http.max_content_length (100 MB).
inline constexpr std::size_t kMaxContentBytes = std::size_t{4} << 20;

/// Maximum number of content bytes per response. As JSON they are longer, rarely by more than 10 %; the HTTP client
/// accepts 16 MiB (upstream.max_body_bytes).
inline constexpr std::uint64_t kMaxResponseBytes = std::uint64_t{8} << 20;

/// A document to send, as two lines of JSON: its id and the document.
struct BulkDocument {
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
  BulkDocument make_document(const model::ItemView& item, std::uint64_t counted);

  /// Creates the document again from its stored form, with other counted views. nullopt: has_views() is already true.
  std::optional<BulkDocument> update_views(const Json& stored, std::uint64_t counted);

 private:
  text::ItemLanguages languages_of(text::Language content) const;

  std::optional<text::Language> language_;
  text::Analyzer analyzer_;
};

/// Returns the status of one document of a multi-get; a missing document is not an error. Conflict: the index was
/// removed. Unavailable: the document cannot be read.
Status check_document(const Json& document);

/// Creates the tombstone document of a removed item, which prevents an older version of the item from coming back:
/// OpenSearch forgets the version of a deleted document, by default within one minute. `now` in seconds since 1970.
BulkDocument make_tombstone(std::string_view id, std::int64_t now);

inline constexpr const char* kState = "state";  ///< kind and id of the state document

/// State of an index, as a document in it: a refresh publishes it together with the items of the same batch.
struct State {
  model::StoreId store_id{};
  model::Revision revision = 0;
  model::ViewsRevision views_revision = 0;
  /// A batch is being written. Searches see that only if OpenSearch itself published an incomplete batch, as it does
  /// when it recovers or moves the index. Then there is no complete state until the batch is written again.
  bool is_open = false;
  std::int64_t tombstones_purged_at = 0;  ///< time of the last removal of old tombstones; seconds since 1970
};

/// A state with its index, and the sequence number and term that identify this version of it.
struct StoredState {
  State state;
  std::string index;
  std::uint64_t sequence = 0;
  std::uint64_t term = 0;
};

/// Reads the state as last written, published or not. NotFound: there is no state.
Result<StoredState> read_written_state(const Server& server, ports::Call& call, const std::string& index);

/// Reads the last written state of the index that `alias` points to. nullopt: it does not exist.
Result<std::optional<StoredState>> read_alias_state(const Server& server, ports::Call& call, const std::string& alias);

/// Writes the state, replacing `before` (null: writes the first one). Returns it as stored. Conflict: another state was
/// written in the meantime.
Result<StoredState> write_state(const Server& server, ports::Call& call, const std::string& index, const State& state,
                                const StoredState* before);

Json make_state_document(const State& state);

/// Reads the state from a search hit or a document. nullopt: it contains no state.
std::optional<StoredState> parse_state(const Json& hit);

/// Token streams that are written to the index: analysed words separated by spaces. Names of one word share a position
/// and are separated by kSamePosition. The index's analyzer (see make_index_definition) only splits the streams.
inline constexpr char kSamePosition = '|';

/// Weight of a word of a tag. A word is repeated in the streams used for ranking by the weight of its field, which
/// turns their BM25 into BM25F (Robertson, Zaragoza, Taylor 2004); for titles see text::title_weight().
inline constexpr long kTagWeight = 2;

/// Placeholder for no word: between fields and tags, so that no phrase matches across them, and for a missing exact
/// form.
inline constexpr std::string_view kNoWord = ",";

/// Fields for matching and ranking, which are computed from the texts of an item.
struct Streams {
  std::string text;              ///< matching: each word, and its stem after text::kStemMark (can equal the word)
  std::string words;             ///< ranking: the stem of each word, or the word if it has no stem
  std::string title_words = {};  ///< ranking of titles: `words` of title and aliases, each once
  std::string exact;             ///< ranking of exact forms: the word if it differs from its stem, else kNoWord
  std::vector<std::string> titles = {};  ///< title and aliases; see text::fold_title()
};

Streams build_streams(text::Analyzer& analyzer, const model::ItemView& item, text::ItemLanguages languages);

/// Appends `name` to a stream, at the next position or at the previous one. White space and separators in it, which
/// some folded characters contain, become `_`, which no word contains.
void append_name(std::string& stream, std::string_view name, bool at_same_position);

}  // namespace kbase::opensearch
