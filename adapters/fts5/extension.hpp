// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

struct sqlite3;

namespace kbase::fts5 {

/// The columns of the FTS5 table: title, tags, content.
inline constexpr int kColumns = 3;

/// BM25F (Zaragoza et al. 2004, "Microsoft Cambridge at TREC-13", section 2.1): the frequencies of a word in the
/// columns are normalised by each column's length, weighted and added, and only the sum is saturated. Tuned on
/// judged collections of abstracts, help-centre questions and encyclopaedia passages.
struct Ranking {
  double k1 = 1.5;
  std::array<double, kColumns> weight = {4.0, 2.0, 1.0};
  std::array<double, kColumns> b = {0.75, 0.5, 0.75};
};

/// What the ranking function needs to know about one search. One thread; lives as long as the search's statements.
struct Scoring {
  static constexpr const char* kType = "kbase_scoring";  ///< of sqlite3_bind_pointer

  Ranking ranking;
  std::vector<double> phrase_weights;  ///< one for each phrase of the expression; 0: it does not count

  // Filled by the first row's call.
  std::vector<double> phrase_idf;
  std::array<double, kColumns> average_length{};
};

/// Makes the tokenizer `kbase` (it cuts token streams) and the auxiliary function `kbase_score(words, scoring)` known
/// to a connection. An SQLite result code.
int register_extension(sqlite3* db);

}  // namespace kbase::fts5
