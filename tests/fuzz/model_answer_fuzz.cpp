// SPDX-License-Identifier: Apache-2.0
// For any response of a language model service, the adapter passes on complete UTF-8 characters and no empty piece, and
// the text does not depend on how the response is split. Byte 0 selects the adapter, streaming and an error status;
// byte 1 is the size of the pieces; the rest is the body.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "adapters/anthropic/anthropic_language_model.hpp"
#include "adapters/ollama/ollama_language_model.hpp"
#include "adapters/openai/openai_language_model.hpp"
#include "domain/base/text.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/split_response.hpp"

namespace kbase::tests {
namespace {

constexpr std::size_t kWhole = std::size_t{1} << 30;

struct Case {
  int api;
  bool is_stream;
  std::uint32_t status;
  std::string body;
};

class OneResponse final : public ports::HttpClient {
 public:
  OneResponse(const Case& played, std::size_t piece_bytes) : case_(played), piece_bytes_(piece_bytes) {}

  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call&, const ports::HttpRequest&) override {
    return std::unique_ptr<ports::HttpExchange>(
        std::make_unique<SplitResponse>(case_.body, piece_bytes_, case_.status));
  }

 private:
  const Case& case_;
  const std::size_t piece_bytes_;
};

std::unique_ptr<ports::LanguageModel> model_of(int api, ports::HttpClient& http, const ports::Clock& clock) {
  if (api == 0) return std::make_unique<openai::OpenAiLanguageModel>(openai::Options(), http, clock);
  if (api == 1) return std::make_unique<anthropic::AnthropicLanguageModel>(anthropic::Options(), http, clock);
  return std::make_unique<ollama::OllamaLanguageModel>(ollama::Options(), http, clock);
}

/// Returns the text, then the error or the completion's data.
std::string result_of(const Case& played, std::size_t piece_bytes) {
  OneResponse http(played, piece_bytes);
  const conformance::ManualClock clock;
  std::string text;
  const auto append = [&](std::string_view piece) {
    if (piece.empty() || !utf8::is_valid(piece)) std::abort();
    text += piece;
    return Visit::Continue;
  };
  ports::Prompt prompt;
  prompt.text = "Hello?";
  prompt.model = "m";
  prompt.max_tokens = 10;
  prompt.is_stream = played.is_stream;
  ports::Call call;
  const auto completion = model_of(played.api, http, clock)->complete(call, prompt, append);
  if (!completion) return text + "\n" + completion.error().detail;
  if (completion->model.empty() || !utf8::is_valid(completion->model) || completion->prompt_tokens == 0) std::abort();
  return text + "\n" + completion->model + std::to_string(completion->completion_tokens);
}

}  // namespace
}  // namespace kbase::tests

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase::tests;
  if (size < 2) return 0;
  const Case played{data[0] % 3,
                    data[0] / 3 % 2 == 1,
                    data[0] / 6 % 2 == 1 ? 400U : 200U,
                    {reinterpret_cast<const char*>(data) + 2, size - 2}};
  if (result_of(played, std::size_t{1} + data[1]) != result_of(played, kWhole)) std::abort();
  return 0;
}
