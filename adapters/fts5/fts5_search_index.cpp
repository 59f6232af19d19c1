// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/fts5_search_index.hpp"

#include <sqlite3.h>

#include "adapters/fts5/search.hpp"
#include "adapters/fts5/verification.hpp"
#include "adapters/fts5/writer.hpp"

namespace kbase::fts5 {
namespace {

constexpr std::chrono::milliseconds kRetryAfter{1000};
constexpr const char* kLastCharacter = "\U0010FFFF";  // behind any that a word has
constexpr int kStepsBetweenLooks = 2000;              // of SQLite's machine, some ten microseconds

model::Error unavailable(std::string detail) {
  return {model::ErrorCode::Unavailable, "The search index is being built.", std::move(detail), {}, kRetryAfter};
}

/// A read transaction that ends when the call's deadline passes or nobody wants its answer any more.
class ReadTransaction {
 public:
  ReadTransaction(Reader& reader, const ports::Call& call, const ports::Clock& clock)
      : reader_(reader), call_(call), clock_(clock) {
    sqlite3_progress_handler(reader_.database.handle(), kStepsBetweenLooks, &ReadTransaction::is_over, this);
  }
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;
  ~ReadTransaction() {
    sqlite3_progress_handler(reader_.database.handle(), 0, nullptr, nullptr);
    // Ending a transaction that only read does nothing that could fail.
    if (sqlite3_get_autocommit(reader_.database.handle()) == 0)
      sqlite3_exec(reader_.database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
  }

  model::Status begin() { return reader_.database.execute("BEGIN"); }

  /// An interruption says which of its two causes it had.
  model::Error explained(model::Error error) const {
    if (error.code == model::ErrorCode::Cancelled && !call_.cancelled()) {
      error.code = model::ErrorCode::Deadline;
      error.message = "The search took too long.";
    }
    return error;
  }

 private:
  static int is_over(void* transaction) {
    const auto& self = *static_cast<ReadTransaction*>(transaction);
    return self.call_.cancelled() || self.clock_.steady() > self.call_.deadline ? 1 : 0;
  }

  Reader& reader_;
  const ports::Call& call_;
  const ports::Clock& clock_;
};

}  // namespace

Fts5SearchIndex::Fts5SearchIndex(const Options& options, std::optional<text::Language> language,
                                 const ports::Clock& clock)
    : language_(language),
      fingerprint_("fts5 format " + std::to_string(kFormatVersion) + " analysis " +
                   std::to_string(text::kAnalysisVersion) + " language " + options.language),
      clock_(clock),
      folder_(options.path),
      readers_(folder_, options.readers, options.cache_bytes / options.readers) {}

model::Result<std::unique_ptr<Fts5SearchIndex>> Fts5SearchIndex::open(const Options& options,
                                                                      const ports::Clock& clock) {
  if (options.readers == 0) return model::invalid_argument("readers", "readers must be at least 1");
  std::optional<text::Language> language;
  if (options.language != "auto") {
    language = text::language_named(options.language);
    if (!language)
      return model::invalid_argument(
          "language", "language must be auto, none or the ISO 639-1 code of a language that has a stemmer, not '" +
                          options.language + "'");
  }
  return std::unique_ptr<Fts5SearchIndex>(new Fts5SearchIndex(options, language, clock));
}

ports::SearchIndex::Capabilities Fts5SearchIndex::capabilities() const {
  Capabilities capabilities;
  capabilities.persistent = true;
  capabilities.stemming = language_ != text::Language::None;
  capabilities.segmentation = true;
  capabilities.filters = true;
  capabilities.facets = true;
  capabilities.marks = true;
  capabilities.completions = true;
  return capabilities;
}

model::Result<ports::SearchAnswer> Fts5SearchIndex::search(ports::Call& call, const ports::SearchRequest& request,
                                                           model::Visitor<ports::SearchHit> visitor) {
  const model::Result<ReaderPool::Lease> reader = readers_.acquire();
  if (!reader) return noted(reader.error(), {});
  ReadTransaction transaction(**reader, call, clock_);
  if (const model::Status begun = transaction.begin(); !begun) return noted(begun.error(), (*reader)->stamp);
  const model::Result<Contents> contents = (*reader)->contents.read(fingerprint_);
  if (!contents) return noted(transaction.explained(contents.error()), (*reader)->stamp);
  if (!contents->state.complete) return unavailable("the index was made with other settings");

  std::optional<CountedViews::Snapshot> views(views_);
  const model::ViewsRevision views_revision = views->revision();
  if (request.sort != model::Sort::Popularity) views.reset();
  model::Result<ports::SearchAnswer> answer =
      Search(**reader, *contents, request, views ? &*views : nullptr).run(visitor);
  if (!answer) return noted(transaction.explained(answer.error()), (*reader)->stamp);
  answer->views_revision = views_revision;
  return answer;
}

model::Status Fts5SearchIndex::complete(ports::Call& call, std::string_view beginning, std::size_t limit,
                                        model::Visitor<ports::WordCompletion> visitor) {
  const model::Result<ReaderPool::Lease> reader = readers_.acquire();
  if (!reader) return noted(reader.error(), {});
  const std::optional<std::string> word = text::one_word((*reader)->analyzer, beginning);
  if (!word) return {};
  ReadTransaction transaction(**reader, call, clock_);
  Statement& words = (*reader)->completions;
  const std::string behind = *word + kLastCharacter;
  words.bind(1, *word).bind(2, behind).bind(3, static_cast<std::int64_t>(limit));
  model::Result<bool> row = words.step();
  for (; row && *row; row = words.step())
    if (visitor({words.text(0), static_cast<std::uint64_t>(words.number(1))}) == model::Visit::Stop) break;
  words.reset();
  return row ? model::Status() : noted(transaction.explained(row.error()), (*reader)->stamp);
}

/// Remembers damage, and says to a client what it can act upon: that there is no whole state to answer from.
model::Error Fts5SearchIndex::noted(model::Error error, const Stamp& stamp) {
  if (error.code == model::ErrorCode::Corrupt) readers_.mark_damaged(stamp);
  if (error.code != model::ErrorCode::Corrupt && error.code != model::ErrorCode::NotFound) return error;
  return unavailable(error.detail);
}

model::Result<ports::IndexState> Fts5SearchIndex::state(ports::Call&) {
  ports::IndexState state;
  const model::Result<ReaderPool::Lease> reader = readers_.acquire();
  if (reader) {
    const model::Result<Contents> contents = (*reader)->contents.read(fingerprint_);
    if (contents)
      state = contents->state;
    else if (contents.error().code != model::ErrorCode::Corrupt)
      return contents.error();
    else
      readers_.mark_damaged((*reader)->stamp);
  } else if (reader.error().code != model::ErrorCode::NotFound) {
    return reader.error();
  }
  state.views_revision = CountedViews::Snapshot(views_).revision();
  return state;
}

model::Result<std::unique_ptr<ports::IndexWriter>> Fts5SearchIndex::begin(ports::Call&, Build build,
                                                                          const model::Lineage& lineage) {
  model::Result<std::unique_ptr<Writer>> writer = Writer::begin({folder_, fingerprint_, language_, build, lineage});
  if (!writer) return writer.error();
  return std::unique_ptr<ports::IndexWriter>(*std::move(writer));
}

model::Status Fts5SearchIndex::set_views(ports::Call&, std::span<const ports::ItemViews> totals,
                                         model::ViewsRevision revision) {
  views_.set(totals, revision);
  return {};
}

model::Status Fts5SearchIndex::verify(ports::Call&) {
  const std::optional<std::filesystem::path> file = folder_.current();
  if (!file) return unavailable("no database at " + folder_.path().string());
  return verify_database(*file);
}

model::Status Fts5SearchIndex::health(ports::Call&) {
  const model::Result<ReaderPool::Lease> reader = readers_.acquire();
  if (!reader) return noted(reader.error(), {});
  const model::Result<Contents> contents = (*reader)->contents.read(fingerprint_);
  if (!contents) return noted(contents.error(), (*reader)->stamp);
  return contents->state.complete ? model::Status() : unavailable("the index was made with other settings");
}

}  // namespace kbase::fts5
