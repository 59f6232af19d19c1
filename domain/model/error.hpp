// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace kbase::model {

/// Error category, as far as callers handle errors differently. The names are those of the plugin header. The HTTP and
/// command-line layers alone map them to status codes, exit codes and messages.
enum class ErrorCode {
  InvalidArgument,  ///< invalid input; `Error::parameter` names the parameter if it has a name
  NotFound,
  Conflict,     ///< another process holds a lock or lease that this call needs (another import is running)
  Unavailable,  ///< the service or store is down or at its limit; a retry may succeed
  NoMemory,
  Deadline,  ///< `Call::deadline` passed
  BadUpstream,
  Cancelled,    ///< the client disconnected or the operation was interrupted
  Unsupported,  ///< the implementation does not support this function
  Gone,         ///< the requested data was deleted (the changes feed before its oldest tombstone)
  Corrupt,      ///< the stored data is inconsistent
  Internal,
};

/// The code's name as used in logs and plugin reports.
std::string_view name_of(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;                       ///< for the client; contains no internal details
  std::string detail;                        ///< for the log: the cause, outermost layer first
  std::string parameter;                     ///< the wrong parameter of InvalidArgument, empty otherwise
  std::chrono::milliseconds retry_after{0};  ///< 0: unknown

  /// Returns a copy whose `detail` is "`phrase`: cause", where `phrase` is what the calling layer was doing. The cause
  /// is the previous detail, or the message if there is none.
  Error during(std::string_view phrase) const;
};

inline Error invalid_argument(std::string parameter, std::string reason) {
  return {ErrorCode::InvalidArgument, std::move(reason), {}, std::move(parameter), {}};
}

}  // namespace kbase::model
