// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {

/// Served base with upstream services, configured with `--set` arguments.
class ExternalBase {
 public:
  using Sets = std::vector<std::string>;

  explicit ExternalBase(const Sets& sets)
      : key_(base_.create_key("premium").text), server_(base_.serve(arguments_of(sets))) {}

  /// Clients with a key that has all permissions, and without a key.
  Client client() const { return Client(server_.base_url(), key_); }
  Client keyless_client() const { return Client(server_.base_url()); }

  static std::vector<std::string> arguments_of(const Sets& sets) {
    std::vector<std::string> arguments;
    for (const std::string& set : sets) {
      arguments.emplace_back("--set");
      arguments.push_back(set);
    }
    return arguments;
  }

 private:
  KnowledgeBase base_{Storage::Sqlite};
  std::string key_;
  ServerProcess server_;
};

/// POST /external/llm.
inline Request prompt_of(const std::string& text, bool is_stream, int max_tokens, double temperature = 1) {
  const nlohmann::json body = {
      {"prompt", text}, {"stream", is_stream}, {"max_tokens", max_tokens}, {"temperature", temperature}};
  return {.method = "POST",
          .target = "/external/llm",
          .fields = {"Content-Type: application/json"},
          .body = body.dump(),
          .whole_target = {}};
}

}  // namespace kbase::tests
