// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/reader_pool.hpp"

namespace kbase::fts5 {
namespace {

model::Error absent(std::string detail) {
  return {model::ErrorCode::NotFound, "The search index has not been built yet.", std::move(detail), {}, {}};
}

}  // namespace

model::Result<std::unique_ptr<Reader>> Reader::open(const std::filesystem::path& file, Stamp stamp,
                                                    std::size_t cache_bytes) {
  auto reader = std::make_unique<Reader>();
  reader->stamp = stamp;
  model::Result<Database> database = Database::open(file, Database::Mode::Read);
  if (!database) return database.error();
  reader->database = *std::move(database);
  const std::string cache = "PRAGMA cache_size = -" + std::to_string(cache_bytes / 1024);
  if (const model::Status status = reader->database.execute(cache); !status) return status.error();

  model::Result<ContentsReader> contents = ContentsReader::prepare(reader->database);
  if (!contents) return contents.error();
  reader->contents = *std::move(contents);
  const auto prepare = [&reader](Statement& statement, std::string_view sql) -> model::Status {
    model::Result<Statement> prepared = reader->database.prepare(sql);
    if (!prepared) return prepared.error();
    statement = *std::move(prepared);
    return {};
  };
  model::Status status =
      prepare(reader->matches, "SELECT rowid, kbase_score(words, ?2) FROM words WHERE words MATCH ?1 ORDER BY rowid");
  if (status) status = prepare(reader->order, "SELECT category, updated, views, id, tags FROM item WHERE key = ?1");
  if (status)
    status = prepare(reader->body,
                     "SELECT id, title, category, language, content FROM item JOIN body USING (key) WHERE key = ?1");
  if (status)
    status = prepare(reader->completions,
                     "SELECT term, doc FROM vocabulary WHERE term > ?1 AND term < ?2 ORDER BY doc DESC, term LIMIT ?3");
  if (!status) return status.error();
  return reader;
}

model::Result<ReaderPool::Lease> ReaderPool::acquire() {
  const std::optional<Stamp> now = folder_.stamp();
  std::unique_ptr<Reader> outdated;
  {
    std::unique_lock lock(mutex_);
    if (!now || now == damaged_) return absent("no database at " + folder_.path().string());
    freed_.wait(lock, [this] { return !idle_.empty() || used_ < room_; });
    if (!idle_.empty()) {
      std::unique_ptr<Reader> reader = std::move(idle_.back());
      idle_.pop_back();
      if (reader->stamp == *now) return Lease(*this, std::move(reader));
      outdated = std::move(reader);
    } else {
      ++used_;
    }
  }
  outdated.reset();
  model::Result<std::unique_ptr<Reader>> opened = open_current();
  if (opened) return Lease(*this, *std::move(opened));
  free_room();
  return opened.error();
}

model::Result<std::unique_ptr<Reader>> ReaderPool::open_current() {
  for (;;) {
    const std::optional<Stamp> stamp = folder_.stamp();
    const std::optional<std::filesystem::path> file = folder_.current();
    if (!stamp || !file) return absent("no database at " + folder_.path().string());
    model::Result<std::unique_ptr<Reader>> opened = Reader::open(*file, *stamp, cache_bytes_);
    if (folder_.stamp() != stamp) continue;  // another became current meanwhile, and this one may be gone
    if (opened || opened.error().code == model::ErrorCode::NoMemory) return opened;
    if (opened.error().code == model::ErrorCode::Unavailable && std::filesystem::exists(*file)) return opened;
    mark_damaged(*stamp);
    return absent(opened.error().detail);
  }
}

void ReaderPool::give_back(std::unique_ptr<Reader> reader) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
  freed_.notify_one();
}

void ReaderPool::free_room() {
  const std::lock_guard lock(mutex_);
  --used_;
  freed_.notify_one();
}

void ReaderPool::mark_damaged(const Stamp& stamp) {
  const std::lock_guard lock(mutex_);
  damaged_ = stamp;
}

}  // namespace kbase::fts5
