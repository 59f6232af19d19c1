// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "adapters/http/request.hpp"
#include "ports/driven/random.hpp"

namespace kbase::http {

/// The ids under which the log speaks of requests: the client's own where X-Request-Id has 1 to 64 characters of
/// [A-Za-z0-9._-], else a new one, unlike any of another server. Any thread.
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
