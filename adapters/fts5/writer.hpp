// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "adapters/fts5/database.hpp"
#include "adapters/fts5/index_folder.hpp"
#include "adapters/fts5/schema.hpp"
#include "adapters/text/analyzer.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::fts5 {

/// What a new writer needs to know.
struct WriterSetup {
  const IndexFolder& folder;
  std::string settings;
  std::optional<text::Language> language;  ///< of every item; nullopt: detected item by item
  ports::SearchIndex::Build build = ports::SearchIndex::Build::Update;
  model::Lineage lineage{};
};

/// The one batch. A `put` leaves its analysed items to a second thread, which writes them into the tables while the
/// caller comes with the next ones, so an error may show one call late; after any error only destruction is left.
class Writer final : public ports::IndexWriter {
 public:
  /// Conflict, Unsupported: as SearchIndex::begin.
  static model::Result<std::unique_ptr<Writer>> begin(const WriterSetup& setup);

  ~Writer() override;

  model::Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  model::Status remove(ports::Call& call, std::string_view id) override;
  model::Status commit(ports::Call& call, model::Revision revision) override;

 private:
  /// The token streams of an item's columns.
  struct Streams {
    std::string title, tags, content;
  };
  /// An item as the tables take it.
  struct Row {
    std::int64_t key = 0;
    bool replaces = false;
    std::string id, category, title, tags, content;
    std::int64_t updated = 0;
    std::int64_t views = 0;
    text::Language language = text::Language::None;
    Streams streams;
  };

  Writer(const WriterSetup& setup, WriterLock lock) : setup_(setup), lock_(std::move(lock)) {}

  model::Status open_current();
  model::Status create_next();
  model::Status prepare_statements();

  static Streams streams_of(text::Analyzer& analyzer, const Row& row);
  Row row_of(const model::ItemView& item);
  model::Result<std::int64_t> key_of(std::string_view id);
  model::Status finish_writing();
  model::Status write(std::span<Row> rows);
  model::Status take_out(std::int64_t key);
  model::Status insert(const Row& row);
  model::Status write_words(Statement& statement, std::int64_t key, const Streams& streams);
  model::Status write_meta(model::Revision revision);
  model::Status publish();

  WriterSetup setup_;
  WriterLock lock_;
  std::filesystem::path file_;
  Database database_;
  Statement find_key_, read_body_, put_item_, put_body_, put_words_, remove_item_, remove_body_, remove_words_;
  std::int64_t last_key_ = 0;
  std::int64_t documents_ = 0;
  std::map<text::Language, std::int64_t> added_by_language_;
  text::Analyzer put_analyzer_;
  text::Analyzer take_out_analyzer_;
  std::vector<Row> rows_;  // being written
  std::future<model::Status> writing_;
  bool committed_ = false;
};

}  // namespace kbase::fts5
