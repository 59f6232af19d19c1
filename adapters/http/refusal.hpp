// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kbase::http {

/// Why a message is not taken for a request: the status of its answer and a sentence for the client, a literal. The
/// connection closes after it, since nothing is known about where the next message would start.
struct Refusal {
  unsigned status = 400;
  std::string_view message;
};

}  // namespace kbase::http
