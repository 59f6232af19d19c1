// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "adapters/http/request.hpp"
#include "ports/driven/random.hpp"

namespace kbase::http {

/// Generator of request ids for the log. Uses X-Request-Id of the client if it has 1 to 64 characters of
/// [A-Za-z0-9._-], else a new id with a random prefix per server. Thread-safe.
class RequestIds {
 public:
  explicit RequestIds(ports::Random& random);

  std::string id_of(const Request& request);
  std::string next();

 private:
  std::string prefix_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace kbase::http
