// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/curl_fixture.hpp"

std::unique_ptr<kbase::ports::HttpClient> kbase::tests::client_under_test(std::unique_ptr<ports::HttpClient> client,
                                                                          const ports::Clock&, ports::EventLog&) {
  return client;
}
