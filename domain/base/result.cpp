// SPDX-License-Identifier: Apache-2.0
#include "domain/base/result.hpp"

namespace kbase {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidArgument: return "InvalidArgument";
    case ErrorCode::NotFound: return "NotFound";
    case ErrorCode::Conflict: return "Conflict";
    case ErrorCode::Unavailable: return "Unavailable";
    case ErrorCode::NoMemory: return "NoMemory";
    case ErrorCode::Deadline: return "Deadline";
    case ErrorCode::BadUpstream: return "BadUpstream";
    case ErrorCode::Cancelled: return "Cancelled";
    case ErrorCode::Unsupported: return "Unsupported";
    case ErrorCode::Gone: return "Gone";
    case ErrorCode::Corrupt: return "Corrupt";
    case ErrorCode::Internal: return "Internal";
  }
  return "Internal";
}

Error Error::during(std::string_view phrase) const {
  Error wrapped = *this;
  const std::string& cause = detail.empty() ? message : detail;
  wrapped.detail.assign(phrase).append(": ").append(cause);
  return wrapped;
}

}  // namespace kbase
