// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adapters/language_model/http_language_model.hpp"

namespace kbase::ollama {

struct Options {
  std::string base_url = "http://127.0.0.1:11434";
  /// Sent as a bearer token, for proxies that require one; Ollama itself has no keys. Empty: not sent.
  std::string api_key;
};

/// Chat API of Ollama (github.com/ollama/ollama, docs/api.md).
class OllamaLanguageModel final : public language_model::HttpLanguageModel {
 public:
  /// `http` and `clock` must outlive this object.
  OllamaLanguageModel(const Options& options, ports::HttpClient& http, const ports::Clock& clock);

 private:
  Result<std::string> make_request(const ports::Prompt& prompt) const override;
  Status read_response(language_model::Value response, language_model::CompletionBuilder& completion) const override;
  Result<Part> read_part(language_model::Value part, language_model::CompletionBuilder& completion) const override;
};

}  // namespace kbase::ollama
