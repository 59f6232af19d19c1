// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "domain/model/error.hpp"

namespace kbase::sqlite {

/// What an operator should read when another process holds the write lock of a file.
struct BusyText {
  model::ErrorCode code = model::ErrorCode::Unavailable;
  std::string_view sentence;  ///< "another import is running"
};

/// What SQLite said of one file.
struct Failure {
  int code = 0;          ///< an extended result code (sqlite.org/rescode.html)
  int system_error = 0;  ///< errno behind an I/O error, 0: none
  std::string_view text;
};

/// The one place where SQLite's result codes become the house's errors. The message names `file` and the way out.
model::Error error_of(const Failure& failure, std::string_view file, const BusyText& busy);

}  // namespace kbase::sqlite
