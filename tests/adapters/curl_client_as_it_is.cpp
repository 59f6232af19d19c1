// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/curl_world.hpp"

std::unique_ptr<kbase::ports::HttpClient> kbase::tests::as_used(std::unique_ptr<ports::HttpClient> client,
                                                                const ports::Clock&, ports::EventLog&) {
  return client;
}
