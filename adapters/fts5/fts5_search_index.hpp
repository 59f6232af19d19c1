// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "adapters/fts5/counted_views.hpp"
#include "adapters/fts5/index_folder.hpp"
#include "adapters/fts5/reader_pool.hpp"
#include "adapters/text/language.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::fts5 {

struct Options {
  /// The folder of the index, made with the first batch. On a local disk: SQLite's write-ahead log needs shared memory.
  std::filesystem::path path;

  /// The language whose stemmer the items' words go through: `auto` (detected item by item), `none` (words match as
  /// they are written) or an ISO 639-1 code. Another one makes the index rebuild.
  std::string language = "auto";

  /// Searches that run at the same time; a further one waits for one to end. Each has a connection of its own.
  std::size_t readers = 4;

  /// Page cache of all readers together, in bytes.
  std::size_t cache_bytes = 32u << 20;
};

/// Search on SQLite's FTS5. Persistent: what one process commits, the others answer from at their next search.
/// Errors: as SearchIndex; a database that is damaged, or was made by another version or with other settings, counts
/// as no complete state.
class Fts5SearchIndex final : public ports::SearchIndex {
 public:
  /// `clock` (for deadlines) has to outlive the index. InvalidArgument: no such language, or no reader.
  static model::Result<std::unique_ptr<Fts5SearchIndex>> open(const Options& options, const ports::Clock& clock);

  Capabilities capabilities() const override;
  std::string_view fingerprint() const override { return fingerprint_; }
  model::Result<ports::SearchAnswer> search(ports::Call& call, const ports::SearchRequest& request,
                                            model::Visitor<ports::SearchHit> visitor) override;
  model::Status complete(ports::Call& call, std::string_view beginning, std::size_t limit,
                         model::Visitor<ports::WordCompletion> visitor) override;
  model::Result<ports::IndexState> state(ports::Call& call) override;
  model::Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call& call, Build build,
                                                           const model::Lineage& lineage) override;
  model::Status set_views(ports::Call& call, std::span<const ports::ItemViews> totals,
                          model::ViewsRevision revision) override;
  model::Status verify(ports::Call& call) override;
  model::Status health(ports::Call& call) override;

 private:
  Fts5SearchIndex(const Options& options, std::optional<text::Language> language, const ports::Clock& clock);

  model::Error noted(model::Error error, const Stamp& stamp);

  std::optional<text::Language> language_;
  std::string fingerprint_;
  const ports::Clock& clock_;
  IndexFolder folder_;
  ReaderPool readers_;
  CountedViews views_;
};

}  // namespace kbase::fts5
