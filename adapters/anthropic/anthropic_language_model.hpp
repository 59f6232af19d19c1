// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adapters/language_model/http_language_model.hpp"

namespace kbase::anthropic {

struct Options {
  std::string base_url = "https://api.anthropic.com/v1";
  /// Sent as `x-api-key`. Empty: not sent, for servers without keys.
  std::string api_key;
};

/// Messages API of Anthropic and of compatible servers (docs.anthropic.com/en/api/messages).
class AnthropicLanguageModel final : public language_model::HttpLanguageModel {
 public:
  /// `http` and `clock` must outlive this object.
  AnthropicLanguageModel(const Options& options, ports::HttpClient& http, const ports::Clock& clock);

 private:
  Result<std::string> make_request(const ports::Prompt& prompt) const override;
  Status read_response(language_model::Value response, language_model::CompletionBuilder& completion) const override;
  Result<Part> read_part(language_model::Value part, language_model::CompletionBuilder& completion) const override;
};

}  // namespace kbase::anthropic
