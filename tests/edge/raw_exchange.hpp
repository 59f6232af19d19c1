// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tests/adapters/http_client.hpp"
#include "tests/edge/raw_case.hpp"

namespace kbase::tests {

/// How the bytes of a case are cut into writes.
using Cut = std::function<std::vector<std::string>(const std::vector<std::string>& writes)>;

/// Plays a case over a connection of its own, checks every answer, and what becomes of the connection. `pass_time` is
/// called where the server is to lose its patience, until the client has something to read.
void play(const RawCase& raw, std::uint16_t port, const std::function<void(RawClient&)>& pass_time = {},
          const Cut& cut = {});

}  // namespace kbase::tests
