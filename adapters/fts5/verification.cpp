// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/verification.hpp"

#include "adapters/fts5/database.hpp"

namespace kbase::fts5 {
namespace {

// Each has to be 0.
constexpr const char* kDifferences[] = {
    "SELECT (SELECT count(*) FROM item) - (SELECT documents FROM meta)",
    "SELECT (SELECT count(*) FROM item) - (SELECT coalesce(sum(items), 0) FROM language)",
    "SELECT (SELECT count(*) FROM item) - (SELECT count(*) FROM words_docsize)",
    "SELECT count(*) FROM item LEFT JOIN body USING (key) WHERE body.key IS NULL",
    "SELECT (SELECT count(*) FROM item) - (SELECT count(*) FROM body)",
};

model::Error damaged(std::string detail) {
  return {model::ErrorCode::Corrupt, "The search index is damaged; rebuild it.", std::move(detail), {}, {}};
}

}  // namespace

model::Status verify_database(const std::filesystem::path& file) {
  model::Result<Database> database = Database::open(file, Database::Mode::Write);
  if (!database) return database.error();
  {
    model::Result<Statement> pages = database->prepare("PRAGMA integrity_check(1)");
    if (!pages) return damaged(pages.error().detail);
    const model::Result<bool> row = pages->step();
    if (!row) return damaged(row.error().detail);
    if (pages->text(0) != "ok") return damaged(std::string(pages->text(0)));
  }
  for (const char* difference : kDifferences) {
    const model::Result<std::int64_t> found = database->number(difference);
    if (!found) return damaged(found.error().detail);
    if (*found != 0) return damaged(std::string(difference) + " is " + std::to_string(*found));
  }
  const model::Status words = database->execute("INSERT INTO words(words) VALUES ('integrity-check')");
  if (!words && words.error().code != model::ErrorCode::Unavailable) return damaged(words.error().detail);
  return words;
}

}  // namespace kbase::fts5
