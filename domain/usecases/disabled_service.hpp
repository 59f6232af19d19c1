// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase::usecases {

/// The error of every call of an external service that the configuration does not enable. The contract requires
/// Unavailable. The long time keeps clients that obey it from retrying a call that cannot succeed before an operator
/// changes the configuration.
inline Error disabled_service(std::string_view name) {
  Error error{ErrorCode::Unavailable, "The " + std::string(name) + " service is not enabled on this server."};
  error.retry_after = std::chrono::hours(1);
  return error;
}

}  // namespace kbase::usecases
