// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/writer.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "adapters/fts5/tag_list.hpp"
#include "adapters/fts5/token_stream.hpp"

namespace kbase::fts5 {
namespace {

using Build = ports::SearchIndex::Build;

constexpr std::size_t kItemsAtOnce = 512;  // on their way to the tables, which bounds the memory they take

/// FTS5 gathers postings in memory up to `hashsize` bytes and then writes a segment, of which it merges those of one
/// size: with `automerge` 4 from four on, with 0 not before there are 16, its `crisismerge`. Many small segments are
/// fast to make, since postings beyond the processor's cache cost a miss each, and merging writes them all again; few
/// are fast to search. A whole corpus is loaded with 5 to 20 segments.
constexpr const char* kLoadSegments = "INSERT INTO words(words, rank) VALUES ('hashsize', 8388608), ('automerge', 0)";
constexpr const char* kUpdateSegments = "INSERT INTO words(words, rank) VALUES ('hashsize', 4194304), ('automerge', 4)";

std::int64_t clamped(std::uint64_t views) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(views, std::numeric_limits<std::int64_t>::max()));
}

model::Status check(const ports::Call& call) {
  if (!call.cancelled()) return {};
  return model::Error{model::ErrorCode::Cancelled, "The index update was cancelled.", {}, {}, {}};
}

std::string_view bytes_of(const model::Lineage& lineage) {
  return {reinterpret_cast<const char*>(lineage.data()), lineage.size()};
}

}  // namespace

model::Result<std::unique_ptr<Writer>> Writer::begin(const WriterSetup& setup) {
  model::Result<WriterLock> lock = setup.folder.lock();
  if (!lock) return lock.error();
  std::unique_ptr<Writer> writer(new Writer(setup, *std::move(lock)));
  model::Status status = setup.build == Build::Rebuild ? writer->create_next() : writer->open_current();
  if (status) status = writer->prepare_statements();
  if (!status) return status.error().during("begin an index batch");
  return writer;
}

model::Status Writer::open_current() {
  const model::Error unfit{model::ErrorCode::Unsupported,
                           "The search index holds no state that could be updated; it has to be rebuilt.",
                           {},
                           {},
                           {}};
  const std::optional<std::filesystem::path> file = setup_.folder.current();
  if (!file) return unfit;
  model::Result<Database> database = Database::open(*file, Database::Mode::Write);
  if (!database) return unfit.during(database.error().detail);
  database_ = *std::move(database);
  model::Result<ContentsReader> reader = ContentsReader::prepare(database_);
  if (!reader) return unfit.during(reader.error().detail);
  if (const model::Status status = database_.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;"
                                                     "PRAGMA journal_size_limit = 67108864; BEGIN IMMEDIATE");
      !status)
    return status;
  const model::Result<Contents> contents = reader->read(setup_.settings);
  if (!contents || !contents->state.complete || contents->state.lineage != setup_.lineage) return unfit;
  documents_ = static_cast<std::int64_t>(contents->state.documents);
  return {};
}

model::Status Writer::create_next() {
  file_ = setup_.folder.next();
  model::Result<Database> database = Database::open(file_, Database::Mode::Create);
  if (!database) return database.error();
  database_ = *std::move(database);
  // Nobody reads the file before it is whole and synced, and a broken one is thrown away: it needs no journal.
  model::Status status = database_.execute(
      "PRAGMA page_size = 8192; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; "
      "BEGIN");
  if (status) status = database_.execute(kCreateTables);
  if (status) status = database_.execute("INSERT INTO words(words, rank) VALUES ('pgsz', 8000)");
  if (status) status = database_.execute(kLoadSegments);
  return status;
}

model::Status Writer::prepare_statements() {
  const auto prepare = [this](Statement& statement, std::string_view sql) -> model::Status {
    model::Result<Statement> prepared = database_.prepare(sql);
    if (!prepared) return prepared.error();
    statement = *std::move(prepared);
    return {};
  };
  model::Status status = prepare(find_key_, "SELECT key FROM item WHERE id = ?1");
  if (status)
    status =
        prepare(read_body_, "SELECT language, title, tags, content FROM item JOIN body USING (key) WHERE key = ?1");
  if (status)
    status =
        prepare(put_item_, "INSERT INTO item(key, id, category, tags, updated, views) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  if (status) status = prepare(put_body_, "INSERT INTO body(key, language, title, content) VALUES (?1, ?2, ?3, ?4)");
  if (status) status = prepare(put_words_, "INSERT INTO words(rowid, title, tags, content) VALUES (?1, ?2, ?3, ?4)");
  if (status) status = prepare(remove_item_, "DELETE FROM item WHERE key = ?1");
  if (status) status = prepare(remove_body_, "DELETE FROM body WHERE key = ?1");
  if (status)
    status = prepare(remove_words_,
                     "INSERT INTO words(words, rowid, title, tags, content) VALUES ('delete', ?1, ?2, ?3, ?4)");
  if (!status) return status;
  const model::Result<std::int64_t> last = database_.number("SELECT max(key) FROM item");
  if (!last) return last.error();
  last_key_ = *last;
  return {};
}

Writer::~Writer() {
  if (writing_.valid()) writing_.wait();
  if (committed_ || setup_.build == Build::Update) return;  // closing the connection takes the transaction back
  for (Statement* each :
       {&find_key_, &read_body_, &put_item_, &put_body_, &put_words_, &remove_item_, &remove_body_, &remove_words_})
    *each = {};
  database_ = {};
  std::error_code failed;
  std::filesystem::remove(file_, failed);
}

model::Status Writer::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  while (!items.empty()) {
    if (const model::Status status = check(call); !status) return status;
    const auto now = items.first(std::min(items.size(), kItemsAtOnce));
    items = items.subspan(now.size());
    std::vector<Row> rows;
    rows.reserve(now.size());
    for (const model::ItemView* item : now) rows.push_back(row_of(*item));
    if (const model::Status status = finish_writing(); !status) return status;
    rows_ = std::move(rows);
    writing_ = std::async(std::launch::async, [this] { return write(rows_); });
  }
  return {};
}

/// Waits for the second thread, which then no longer touches what the writer has.
model::Status Writer::finish_writing() {
  return writing_.valid() ? writing_.get() : model::Status();
}

Writer::Row Writer::row_of(const model::ItemView& item) {
  Row row;
  row.id = item.id;
  row.category = item.category;
  row.title = item.title;
  row.tags = packed_tags(item.tags);
  row.content = item.content;
  row.updated = item.metadata.updated.time_since_epoch().count();
  row.views = clamped(item.metadata.views);
  row.language = setup_.language ? *setup_.language : text::detect_language(item.title, item.content);
  row.streams = streams_of(put_analyzer_, row);
  return row;
}

Writer::Streams Writer::streams_of(text::Analyzer& analyzer, const Row& row) {
  Streams streams;
  streams.content.reserve(row.content.size() + row.content.size() / 2);
  append_text(streams.title, analyzer, row.title, row.language);
  append_tags(streams.tags, analyzer, row.tags, row.language);
  append_text(streams.content, analyzer, row.content, row.language);
  return streams;
}

model::Result<std::int64_t> Writer::key_of(std::string_view id) {
  const model::Result<bool> row = find_key_.bind(1, id).step();
  if (!row) return row.error();
  const std::int64_t key = *row ? find_key_.number(0) : 0;
  find_key_.reset();
  return key;
}

/// Writes in the order of the keys, a replaced item under the key it had: FTS5 writes out what it has gathered whenever
/// a key goes back. Of several items with one id the last counts.
model::Status Writer::write(std::span<Row> rows) {
  std::unordered_map<std::string_view, std::size_t> last;
  for (std::size_t i = 0; i < rows.size(); ++i) last[rows[i].id] = i;
  std::vector<const Row*> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (last[rows[i].id] != i) continue;
    const model::Result<std::int64_t> key = key_of(rows[i].id);
    if (!key) return key.error();
    rows[i].replaces = *key != 0;
    rows[i].key = *key != 0 ? *key : ++last_key_;
    order.push_back(&rows[i]);
  }
  std::sort(order.begin(), order.end(), [](const Row* a, const Row* b) { return a->key < b->key; });
  for (const Row* row : order) {
    model::Status status;
    if (row->replaces) status = take_out(row->key);
    if (status) status = insert(*row);
    if (!status) return status;
  }
  return {};
}

model::Status Writer::insert(const Row& row) {
  model::Status status = put_item_.bind(1, row.key)
                             .bind(2, row.id)
                             .bind(3, row.category)
                             .bind(4, row.tags)
                             .bind(5, row.updated)
                             .bind(6, row.views)
                             .run();
  if (status)
    status =
        put_body_.bind(1, row.key).bind(2, text::name_of(row.language)).bind(3, row.title).bind(4, row.content).run();
  if (status) status = write_words(put_words_, row.key, row.streams);
  ++documents_;
  ++added_by_language_[row.language];
  return status;
}

model::Status Writer::take_out(std::int64_t key) {
  const model::Result<bool> found = read_body_.bind(1, key).step();
  if (!found) return found.error();
  if (!*found)
    return model::Error{model::ErrorCode::Corrupt, "The search index is damaged.", "an item without a body", {}, {}};
  Row row;
  row.language = text::language_named(read_body_.text(0)).value_or(text::Language::None);
  row.title = read_body_.text(1);
  row.tags = read_body_.text(2);
  row.content = read_body_.text(3);
  read_body_.reset();
  // A contentless FTS5 table forgets a row when it is told the same words again.
  model::Status status = write_words(remove_words_, key, streams_of(take_out_analyzer_, row));
  if (status) status = remove_item_.bind(1, key).run();
  if (status) status = remove_body_.bind(1, key).run();
  --documents_;
  --added_by_language_[row.language];
  return status;
}

model::Status Writer::write_words(Statement& statement, std::int64_t key, const Streams& streams) {
  return statement.bind(1, key).bind(2, streams.title).bind(3, streams.tags).bind(4, streams.content).run();
}

model::Status Writer::remove(ports::Call& call, std::string_view id) {
  if (const model::Status status = check(call); !status) return status;
  if (const model::Status status = finish_writing(); !status) return status;
  const model::Result<std::int64_t> key = key_of(id);
  if (!key) return key.error();
  return *key == 0 ? model::Status() : take_out(*key);
}

model::Status Writer::commit(ports::Call& call, model::Revision revision) {
  model::Status status = check(call);
  if (status) status = finish_writing();
  if (status) status = write_meta(revision);
  if (status && setup_.build == Build::Rebuild) status = database_.execute(kCreateOrders);
  if (status) status = database_.execute("COMMIT");
  if (status && setup_.build == Build::Rebuild) status = publish();
  committed_ = status.has_value();
  return status;
}

model::Status Writer::write_meta(model::Revision revision) {
  model::Result<Statement> language = database_.prepare(
      "INSERT INTO language(code, items) VALUES (?1, ?2) ON CONFLICT (code) DO UPDATE SET items = items + ?2");
  if (!language) return language.error();
  for (const auto& [each, items] : added_by_language_)
    if (const model::Status status = language->bind(1, text::name_of(each)).bind(2, items).run(); !status)
      return status;
  model::Result<Statement> meta =
      database_.prepare("REPLACE INTO meta(one, settings, lineage, revision, documents) VALUES (1, ?1, ?2, ?3, ?4)");
  if (!meta) return meta.error();
  return meta->bind(1, setup_.settings)
      .bind(2, bytes_of(setup_.lineage))
      .bind(3, static_cast<std::int64_t>(revision))
      .bind(4, documents_)
      .run();
}

model::Status Writer::publish() {
  model::Status status = database_.execute(kUpdateSegments);
  if (status) status = database_.execute("PRAGMA journal_mode = WAL");
  if (!status) return status;
  for (Statement* each :
       {&find_key_, &read_body_, &put_item_, &put_body_, &put_words_, &remove_item_, &remove_body_, &remove_words_})
    *each = {};
  database_ = {};
  return setup_.folder.publish(file_);
}

}  // namespace kbase::fts5
