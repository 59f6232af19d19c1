// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/extension.hpp"

#include <sqlite3.h>

#include <cmath>
#include <string_view>

#include "adapters/fts5/token_stream.hpp"

namespace kbase::fts5 {
namespace {

// --- the tokenizer: https://www.sqlite.org/fts5.html#custom_tokenizers

int create_tokenizer(void*, const char**, int, Fts5Tokenizer** tokenizer) {
  static char stateless;
  *tokenizer = reinterpret_cast<Fts5Tokenizer*>(&stateless);
  return SQLITE_OK;
}

void delete_tokenizer(Fts5Tokenizer*) {}

bool starts_token(char c) {
  return c == kNextPosition || c == kSamePosition;
}

int tokenize(Fts5Tokenizer*, void* context, int, const char* text, int bytes,
             int (*token)(void*, int, const char*, int, int, int)) {
  for (int i = 0; i < bytes;) {
    const int flags = text[i] == kSamePosition ? FTS5_TOKEN_COLOCATED : 0;
    const int begin = i + 1;
    for (++i; i < bytes && !starts_token(text[i]);) ++i;
    if (const int code = token(context, flags, text + begin, i - begin, begin, i); code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

// --- the ranking function: https://www.sqlite.org/fts5.html#custom_auxiliary_functions

int count_row(const Fts5ExtensionApi*, Fts5Context*, void* count) {
  ++*static_cast<std::int64_t*>(count);
  return SQLITE_OK;
}

int prepare_scoring(const Fts5ExtensionApi* api, Fts5Context* context, Scoring& scoring) {
  sqlite3_int64 rows = 0;
  if (const int code = api->xRowCount(context, &rows); code != SQLITE_OK) return code;
  for (int column = 0; column < kColumns; ++column) {
    sqlite3_int64 tokens = 0;
    if (const int code = api->xColumnTotalSize(context, column, &tokens); code != SQLITE_OK) return code;
    scoring.average_length[static_cast<std::size_t>(column)] =
        std::max(1.0, static_cast<double>(tokens) / static_cast<double>(std::max<sqlite3_int64>(1, rows)));
  }
  std::vector<double> idf;
  for (int phrase = 0; phrase < api->xPhraseCount(context); ++phrase) {
    std::int64_t rows_with = 0;
    if (scoring.phrase_weights[static_cast<std::size_t>(phrase)] > 0)
      if (const int code = api->xQueryPhrase(context, phrase, &rows_with, count_row); code != SQLITE_OK) return code;
    const double with = static_cast<double>(rows_with);
    idf.push_back(std::log(1.0 + (static_cast<double>(rows) - with + 0.5) / (with + 0.5)));
  }
  scoring.phrase_idf = std::move(idf);
  return SQLITE_OK;
}

int score_row(const Fts5ExtensionApi* api, Fts5Context* context, const Scoring& scoring, double& score) {
  std::array<double, kColumns> unit;  // what one occurrence in a column counts
  for (std::size_t column = 0; column < kColumns; ++column) {
    int tokens = 0;
    if (const int code = api->xColumnSize(context, static_cast<int>(column), &tokens); code != SQLITE_OK) return code;
    const double b = scoring.ranking.b[column];
    unit[column] = scoring.ranking.weight[column] / (1.0 - b + b * tokens / scoring.average_length[column]);
  }
  for (std::size_t phrase = 0; phrase < scoring.phrase_weights.size(); ++phrase) {
    if (scoring.phrase_weights[phrase] <= 0) continue;
    Fts5PhraseIter iterator;
    int column = 0;
    int offset = 0;
    if (const int code = api->xPhraseFirst(context, static_cast<int>(phrase), &iterator, &column, &offset);
        code != SQLITE_OK)
      return code;
    double frequency = 0;
    for (; column >= 0; api->xPhraseNext(context, &iterator, &column, &offset))
      if (column < kColumns) frequency += unit[static_cast<std::size_t>(column)];
    const double saturated = frequency * (scoring.ranking.k1 + 1.0) / (frequency + scoring.ranking.k1);
    score += scoring.phrase_weights[phrase] * scoring.phrase_idf[phrase] * saturated;
  }
  return SQLITE_OK;
}

void kbase_score(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int count,
                 sqlite3_value** arguments) {
  auto* scoring = count == 1 ? static_cast<Scoring*>(sqlite3_value_pointer(arguments[0], Scoring::kType)) : nullptr;
  if (scoring == nullptr || static_cast<std::size_t>(api->xPhraseCount(context)) != scoring->phrase_weights.size()) {
    sqlite3_result_error(result, "kbase_score() without its scoring", -1);
    return;
  }
  int code = SQLITE_OK;
  double score = 0;
  if (scoring->phrase_idf.empty()) code = prepare_scoring(api, context, *scoring);
  if (code == SQLITE_OK) code = score_row(api, context, *scoring, score);
  if (code == SQLITE_OK)
    sqlite3_result_double(result, static_cast<float>(score));  // so that sums in another order still tie
  else
    sqlite3_result_error_code(result, code);
}

/// FTS5's own functions, which it hands out through an SQL function (https://www.sqlite.org/fts5.html#extending_fts5).
int fts5_functions(sqlite3* db, fts5_api** api) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, static_cast<void*>(api), "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
    code = sqlite3_finalize(statement);
  }
  return code == SQLITE_OK && *api == nullptr ? SQLITE_ERROR : code;
}

}  // namespace

int register_extension(sqlite3* db) {
  fts5_api* api = nullptr;
  int code = fts5_functions(db, &api);
  if (code != SQLITE_OK) return code;
  fts5_tokenizer tokenizer{create_tokenizer, delete_tokenizer, tokenize};
  code = api->xCreateTokenizer(api, "kbase", nullptr, &tokenizer, nullptr);
  if (code != SQLITE_OK) return code;
  return api->xCreateFunction(api, "kbase_score", nullptr, kbase_score, nullptr);
}

}  // namespace kbase::fts5
