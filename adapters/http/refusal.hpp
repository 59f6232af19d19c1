// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kbase::http {

/// Reason for refusing a message: the status of the response and a message for the client, with static lifetime. The
/// connection is closed afterwards, because the start of the next message is unknown.
struct Refusal {
  unsigned status = 400;
  std::string_view message;
};

}  // namespace kbase::http
