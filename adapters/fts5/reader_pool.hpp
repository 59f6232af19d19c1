// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/fts5/database.hpp"
#include "adapters/fts5/index_folder.hpp"
#include "adapters/fts5/schema.hpp"
#include "adapters/text/analyzer.hpp"

namespace kbase::fts5 {

/// A connection that searches, with its statements. One thread at a time.
struct Reader {
  Stamp stamp;  ///< of the CURRENT that named its database
  Database database;
  ContentsReader contents;
  Statement matches;      ///< (expression, scoring) -> key, score
  Statement order;        ///< (key) -> category, updated, views, id, tags
  Statement body;         ///< (key) -> id, title, category, language, content
  Statement completions;  ///< (term before the first, term behind the last, limit) -> term, items
  text::Analyzer analyzer;

  static model::Result<std::unique_ptr<Reader>> open(const std::filesystem::path& file, Stamp stamp,
                                                     std::size_t cache_bytes);
};

/// The readers of one process. Follows the folder's CURRENT: a reader of an older database is closed when it comes
/// back. Any thread.
class ReaderPool {
 public:
  /// A reader for as long as it is held.
  class Lease {
   public:
    Lease(ReaderPool& pool, std::unique_ptr<Reader> reader) : pool_(&pool), reader_(std::move(reader)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (reader_) pool_->give_back(std::move(reader_));
    }
    Reader& operator*() const { return *reader_; }
    Reader* operator->() const { return reader_.get(); }

   private:
    ReaderPool* pool_;
    std::unique_ptr<Reader> reader_;
  };

  ReaderPool(const IndexFolder& folder, std::size_t readers, std::size_t cache_bytes)
      : folder_(folder), room_(readers), cache_bytes_(cache_bytes) {}

  /// Waits for a free one. NotFound: there is no database, or it cannot be read as one.
  model::Result<Lease> acquire();

  /// A search found the database behind `stamp` damaged: it counts as absent until another is current.
  void mark_damaged(const Stamp& stamp);

 private:
  void give_back(std::unique_ptr<Reader> reader);
  void free_room();
  model::Result<std::unique_ptr<Reader>> open_current();

  const IndexFolder& folder_;
  const std::size_t room_;
  const std::size_t cache_bytes_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Reader>> idle_;
  std::optional<Stamp> damaged_;
};

}  // namespace kbase::fts5
