// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adapters/language_model/http_language_model.hpp"

namespace kbase::openai {

struct Options {
  std::string base_url = "https://api.openai.com/v1";
  /// Sent as a bearer token; empty: none is, as servers without keys have it.
  std::string api_key;

  /// The member of a request that bounds the tokens. OpenAI's newer models know the second alone, other servers often
  /// the first alone; what they don't know they either refuse or, worse, overlook.
  enum class TokenLimit { MaxTokens, MaxCompletionTokens };
  TokenLimit token_limit = TokenLimit::MaxTokens;

  /// Asks a stream for its tokens (`stream_options`); false for servers that refuse that. Then they are estimated.
  bool asks_for_usage = true;
};

/// Chat completions of OpenAI and of the many servers that speak as it does
/// (platform.openai.com/docs/api-reference/chat).
class OpenAiLanguageModel final : public language_model::HttpLanguageModel {
 public:
  /// `http` and `clock` outlive it.
  OpenAiLanguageModel(const Options& options, ports::HttpClient& http, const ports::Clock& clock);

 private:
  model::Result<std::string> request_of(const ports::Prompt& prompt) const override;
  model::Status read_answer(language_model::Value answer, language_model::Draft& draft) const override;
  model::Result<Part> read_part(language_model::Value part, language_model::Draft& draft) const override;

  const char* const token_limit_;
  const bool asks_for_usage_;
};

}  // namespace kbase::openai
