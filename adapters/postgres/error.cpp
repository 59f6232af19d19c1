// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/error.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace kbase::postgres {
namespace {

using model::ErrorCode;

struct Meaning {
  std::string_view state;  ///< an SQLSTATE or a prefix of one (its class)
  ErrorCode code;
  const char* message;
};

/// The first matching entry applies. Errors of refused connections are missing: libpq reports only their text, without
/// an SQLSTATE.
constexpr std::array kMeanings{
    Meaning{"53100", ErrorCode::Unavailable, "no space left on the database's disk: free some and try again"},
    Meaning{"53200", ErrorCode::NoMemory, "the database has no memory left"},
    Meaning{"53", ErrorCode::Unavailable, "the database has not enough of something it needs"},
    Meaning{"55P03", ErrorCode::Conflict, "another held a lock in the database for too long: try again"},
    Meaning{"57014", ErrorCode::Deadline, "the database cancelled the statement, as its statement_timeout says"},
    Meaning{"57P0", ErrorCode::Unavailable, "the database ended the connection"},
    Meaning{"57", ErrorCode::Unavailable, "an operator of the database stepped in"},
    Meaning{"08", ErrorCode::Unavailable, "the connection to the database failed"},
    Meaning{"25006", ErrorCode::Unavailable, "the database takes no writes: it is a replica, or was set read-only"},
    Meaning{"25P03", ErrorCode::Unavailable, "the database ended a batch that was idle for too long"},
    Meaning{"40", ErrorCode::Unavailable, "the database undid the step for another's: try again"},
    Meaning{"42501", ErrorCode::Unavailable,
            "the database's user lacks rights: make it the schema's owner, or grant it USAGE on the schema and SELECT, "
            "INSERT, UPDATE and DELETE on its tables"},
    Meaning{"54", ErrorCode::InvalidArgument, "a text is longer than PostgreSQL can hold (1 GB)"},
    Meaning{"58", ErrorCode::Unavailable, "the database cannot read or write its files"},
    Meaning{"XX001", ErrorCode::Corrupt, "the database is damaged: restore it from a backup"},
    Meaning{"XX002", ErrorCode::Corrupt, "an index of the database is damaged: run REINDEX DATABASE"},
    Meaning{"42P01", ErrorCode::Corrupt, "a table of the store is missing: restore the schema from a backup"},
    Meaning{"42703", ErrorCode::Corrupt, "a column of the store is missing: restore the schema from a backup"},
};

/// Joins the lines of a message: libpq writes one line per address of a host, and hints on separate lines.
std::string in_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::string_view next = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(next.size() + 1, text.size()));
    const std::string_view words = next.substr(std::min(next.find_first_not_of(" \t"), next.size()));
    if (!words.empty()) line.append(line.empty() ? "" : "; ").append(words);
  }
  return line;
}

}  // namespace

model::Error error_of(const Failure& failure) {
  model::Error error{ErrorCode::Internal, "a statement on the database failed", {}, {}, {}};
  if (failure.sqlstate.empty()) {
    error.code = ErrorCode::Unavailable;
    error.message = "the database does not answer";
  }
  for (const Meaning& meaning : kMeanings)
    if (failure.sqlstate.starts_with(meaning.state)) {
      error.code = meaning.code;
      error.message = meaning.message;
      break;
    }
  error.detail = "PostgreSQL at " + std::string(failure.server) + ": " + in_one_line(failure.text);
  if (!failure.sqlstate.empty()) error.detail += " (SQLSTATE " + std::string(failure.sqlstate) + ')';
  return error;
}

}  // namespace kbase::postgres
