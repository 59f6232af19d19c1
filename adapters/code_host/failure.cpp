// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/failure.hpp"

#include <utility>

namespace kbase::code_host {

using model::ErrorCode;

model::Error bad_answer(std::string detail) {
  return {ErrorCode::BadUpstream, "The code-hosting service's answer can't be used.", std::move(detail), {}, {}};
}

model::Error no_such_user() {
  return {ErrorCode::NotFound, "The code-hosting service has no such user.", {}, {}, {}};
}

model::Error unavailable(std::string detail, std::chrono::milliseconds retry_after) {
  return {
      ErrorCode::Unavailable, "The code-hosting service takes no requests now.", std::move(detail), {}, retry_after};
}

}  // namespace kbase::code_host
