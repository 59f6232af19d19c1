// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/raw_case.hpp"

#include <ostream>

namespace kbase::tests {

std::string RawCase::bytes() const {
  std::string all;
  for (const Exchange& exchange : exchanges)
    for (const std::string& write : exchange.writes) all += write;
  return all;
}

void PrintTo(const RawCase& raw, std::ostream* out) { *out << raw.name << " (" << raw.section << ")"; }

Expected item(const std::string& id) { return {{200}, R"("id":")" + id + '"'}; }

Expected completion(const std::string& prompt) { return {{404, 401}, "completion of " + prompt}; }

std::string get(const std::string& fields) { return "GET /api/v1/item/a HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n"; }

std::string line(const std::string& request_line) { return request_line + "\r\nHost: x\r\n\r\n"; }

std::string post(const std::string& rest) { return "POST /api/v1/external/llm HTTP/1.1\r\nHost: x\r\n" + rest; }

std::string chunked(const std::string& coded) { return post("Transfer-Encoding: chunked\r\n\r\n" + coded); }

}  // namespace kbase::tests
