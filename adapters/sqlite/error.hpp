// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "domain/model/error.hpp"

namespace kbase::sqlite {

/// Error for a file whose write lock is held by another process.
struct BusyText {
  model::ErrorCode code = model::ErrorCode::Unavailable;
  std::string_view sentence;  ///< "another import is running"
};

/// Error that SQLite reported for one file.
struct Failure {
  int code = 0;          ///< an extended result code (sqlite.org/rescode.html)
  int system_error = 0;  ///< errno of an I/O error; 0: unknown
  std::string_view text;
};

/// Maps an SQLite result code to a kbase error. The only such mapping. The message names the remedy; the detail names
/// `file` and the result code. Messages that clients can see (Unavailable, NoMemory) do not name the file, except that
/// of a busy file.
model::Error error_of(const Failure& failure, std::string_view file, const BusyText& busy);

}  // namespace kbase::sqlite
