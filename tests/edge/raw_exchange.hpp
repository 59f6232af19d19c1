// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tests/adapters/http_client.hpp"
#include "tests/edge/raw_case.hpp"

namespace kbase::tests {

/// Splits the writes of a case into other writes.
using Cut = std::function<std::vector<std::string>(const std::vector<std::string>& writes)>;

/// Runs a case over a new connection and checks every response and the final connection state. Where the server is
/// expected to time out, calls `pass_time` to advance the clock until the client has something to read.
void play(const RawCase& raw, std::uint16_t port, const std::function<void(RawClient&)>& pass_time = {},
          const Cut& cut = {});

}  // namespace kbase::tests
