// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace kbase::model {

/// What went wrong, in the few kinds a caller can act upon. The names are those of the plugin header; how each one
/// looks to an HTTP client or on the command line is decided at that edge alone.
enum class ErrorCode {
  InvalidArgument,  ///< the caller's input is wrong; `Error::parameter` names it where it has a name
  NotFound,
  Conflict,     ///< somebody else holds what this call needs (another import is running)
  Unavailable,  ///< the other side is down or full; worth a retry
  NoMemory,
  Deadline,  ///< `Call::deadline` passed
  BadUpstream,
  Cancelled,    ///< nobody waits for the answer any more
  Unsupported,  ///< this implementation does not offer the function
  Gone,         ///< what was asked for existed and is no longer kept (the changes feed before its oldest tombstone)
  Corrupt,      ///< stored data contradict themselves
  Internal,
};

/// The code's name as logs and plugin reports spell it.
std::string_view name_of(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;                       ///< for the client: says nothing about the inside
  std::string detail;                        ///< for the log: the cause, outermost layer first
  std::string parameter;                     ///< the wrong parameter of InvalidArgument, empty otherwise
  std::chrono::milliseconds retry_after{0};  ///< 0: unknown

  /// The same error, with what the calling layer was doing put before the detail.
  Error during(std::string_view phrase) const;
};

inline Error invalid_argument(std::string parameter, std::string reason) {
  return {ErrorCode::InvalidArgument, std::move(reason), {}, std::move(parameter), {}};
}

}  // namespace kbase::model
