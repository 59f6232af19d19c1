// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/language_model/model_fixture.hpp"

#include "adapters/anthropic/anthropic_language_model.hpp"
#include "adapters/ollama/ollama_language_model.hpp"
#include "adapters/openai/openai_language_model.hpp"

namespace kbase::tests {
namespace {

template <class Adapter, class Options>
std::unique_ptr<ports::LanguageModel> made(const std::string& base_url, ports::HttpClient& http,
                                           const ports::Clock& clock) {
  Options options;
  options.base_url = base_url;
  options.api_key = kFakeKey;
  return std::make_unique<Adapter>(options, http, clock);
}

}  // namespace

std::unique_ptr<ports::LanguageModel> adapter_of(const FakeApi& api, const std::string& base_url,
                                                 ports::HttpClient& http, const ports::Clock& clock) {
  if (&api == &fake_anthropic())
    return made<anthropic::AnthropicLanguageModel, anthropic::Options>(base_url, http, clock);
  if (&api == &fake_ollama()) return made<ollama::OllamaLanguageModel, ollama::Options>(base_url, http, clock);
  return made<openai::OpenAiLanguageModel, openai::Options>(base_url, http, clock);
}

}  // namespace kbase::tests
