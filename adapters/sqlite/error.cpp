// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/error.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace kbase::sqlite {
namespace {

using model::ErrorCode;

/// SQLite maps only ENOSPC to SQLITE_FULL; it reports an exceeded disk quota or file size limit as an I/O error.
bool is_full(const Failure& failure) {
  if ((failure.code & 0xFF) == SQLITE_FULL) return true;
  return (failure.code & 0xFF) == SQLITE_IOERR &&
         (failure.system_error == ENOSPC || failure.system_error == EDQUOT || failure.system_error == EFBIG);
}

std::string reason_of(const Failure& failure) {
  return failure.system_error != 0 ? std::strerror(failure.system_error) : std::string(failure.text);
}

std::string_view way_to_open(const Failure& failure) {
  const bool is_forbidden = failure.system_error == EACCES || failure.system_error == EROFS;
  return is_forbidden ? "; give the user that runs kbase the right to read and write its folder and files" : "";
}

model::Error say(ErrorCode code, std::string message) {
  return {code, std::move(message), {}, {}, {}};
}

/// Messages that clients can see (Unavailable, NoMemory) name no file, except that of a locked file. error_of() adds
/// the file to the detail, which the log and the command line print.
model::Error translate(const Failure& failure, const std::string& file, const BusyText& busy) {
  if (is_full(failure))
    return say(ErrorCode::Unavailable, "no space left to write the store: free some on its disk and try again");
  switch (failure.code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return say(busy.code, std::string(busy.sentence) + " (" + file + " is locked): try again when it has ended");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return say(ErrorCode::Corrupt, file + " is damaged or no SQLite database: restore it from a backup, or move it " +
                                         "away and import again");
    case SQLITE_READONLY:
      return say(ErrorCode::Unsupported, file + " is read-only: give the user of this process the right to write it");
    case SQLITE_NOMEM:
      return say(ErrorCode::NoMemory, "no memory left to read or write the store");
    case SQLITE_TOOBIG:
      return say(ErrorCode::InvalidArgument, "a text is longer than " + file + " can hold (1 GB)");
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return say(ErrorCode::Unavailable,
                 "the store cannot be opened: " + reason_of(failure).append(way_to_open(failure)));
    case SQLITE_IOERR:
      return say(ErrorCode::Unavailable, "the store cannot be read or written: " + reason_of(failure));
    default:
      return say(ErrorCode::Internal, "a statement on " + file + " failed");
  }
}

}  // namespace

model::Error error_of(const Failure& failure, std::string_view file, const BusyText& busy) {
  model::Error error = translate(failure, std::string(file), busy);
  error.detail = std::string(file) + ": " + std::string(failure.text) + " (SQLite " + std::to_string(failure.code) +
                 (failure.system_error != 0 ? std::string(", ") + std::strerror(failure.system_error) : "") + ")";
  return error;
}

}  // namespace kbase::sqlite
