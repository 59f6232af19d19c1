// SPDX-License-Identifier: Apache-2.0
#include "tests/support/server_process.hpp"

#include <signal.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace kbase::tests {

ServerProcess::ServerProcess(const Launch& launch) : process_(launch) {
  constexpr std::string_view kLead = "listening on ";
  const std::optional<std::string> line = process_.read_line(std::chrono::seconds(30));
  if (line && line->starts_with(kLead)) {
    base_url_ = line->substr(kLead.size());
    return;
  }
  std::ifstream log(launch.error_log, std::ios::binary);
  throw std::runtime_error("the server did not say where it listens but \"" + line.value_or("") + "\", and logged:\n" +
                           std::string(std::istreambuf_iterator<char>(log), {}));
}

std::optional<int> ServerProcess::stop() {
  process_.send_signal(SIGTERM);
  return process_.wait(std::chrono::seconds(15));
}

}  // namespace kbase::tests
