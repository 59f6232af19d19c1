// SPDX-License-Identifier: Apache-2.0
// Any connection string is rejected or split into hosts, each with a single host in its keywords.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "adapters/postgres/connector.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto location =
      kbase::postgres::Location::parse(std::string(reinterpret_cast<const char*>(data), size), "password");
  if (!location) return 0;
  if (location->hosts.empty()) std::abort();
  for (const auto& host : location->hosts)
    for (const auto& [name, value] : host.keywords)
      if ((name == "host" || name == "hostaddr" || name == "port") && value.find(',') != value.npos) std::abort();
  return 0;
}
