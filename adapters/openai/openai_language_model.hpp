// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adapters/language_model/http_language_model.hpp"

namespace kbase::openai {

struct Options {
  std::string base_url = "https://api.openai.com/v1";
  /// Sent as a bearer token. Empty: not sent, for servers without keys.
  std::string api_key;

  /// The member of a request that limits the tokens. OpenAI's newer models know only the second, many other servers
  /// only the first. A member that they do not know is refused or, worse, ignored.
  enum class TokenLimit { MaxTokens, MaxCompletionTokens };
  TokenLimit token_limit = TokenLimit::MaxTokens;

  /// Whether to request the token counts of a stream (`stream_options`). Set to false for servers that refuse that;
  /// then the counts are estimated.
  bool requests_usage = true;
};

/// Chat completions API of OpenAI and of compatible servers (platform.openai.com/docs/api-reference/chat).
class OpenAiLanguageModel final : public language_model::HttpLanguageModel {
 public:
  /// `http` and `clock` must outlive this object.
  OpenAiLanguageModel(const Options& options, ports::HttpClient& http, const ports::Clock& clock);

 private:
  Result<std::string> make_request(const ports::Prompt& prompt) const override;
  Status read_response(language_model::Value response, language_model::CompletionBuilder& completion) const override;
  Result<Part> read_part(language_model::Value part, language_model::CompletionBuilder& completion) const override;

  const char* const token_limit_;
  const bool requests_usage_;
};

}  // namespace kbase::openai
