// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/driven/language_model.hpp"
#include "tests/adapters/curl_world.hpp"
#include "tests/adapters/language_model/json_shape.hpp"
#include "tests/support/fake_api.hpp"

namespace kbase::tests {

/// Creates the adapter of an API with the key kFakeKey.
std::unique_ptr<ports::LanguageModel> adapter_of(const FakeApi& api, const std::string& base_url,
                                                 ports::HttpClient& http, const ports::Clock& clock);

/// The result of a call of complete().
struct Told {
  std::vector<std::string> pieces;
  std::optional<ports::Completion> completion;
  std::optional<model::Error> error;

  std::string text() const { return joined(pieces); }
};

inline testing::AssertionResult failed_with(const Told& told, ErrorCode code, std::string_view parameter = {}) {
  if (told.completion) return testing::AssertionFailure() << "it succeeded with '" << told.text() << "'";
  if (told.error->code == code && told.error->parameter == parameter) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name_of(told.error->code) << " of parameter '" << told.error->parameter
                                     << "': " << told.error->detail;
}

inline ports::Prompt prompt_of(std::string_view text, bool is_stream = false) {
  ports::Prompt prompt;
  prompt.text = text;
  prompt.model = kFakeModel;
  prompt.max_tokens = 100;
  prompt.is_stream = is_stream;
  return prompt;
}

/// Completes a prompt and returns the pieces and the result.
inline Told ask(ports::LanguageModel& model, ports::Call& call, const ports::Prompt& prompt) {
  Told told;
  const auto keep = [&](std::string_view piece) {
    told.pieces.emplace_back(piece);
    return model::Visit::Continue;
  };
  const auto ended = model.complete(call, prompt, keep);
  if (ended)
    told.completion = *ended;
  else
    told.error = ended.error();
  return told;
}

/// A model of one API, using the real HTTP client, at a server that a test scripts.
class ModelWorld : public CurlWorld {
 public:
  ModelWorld(const FakeApi& api, const std::string& url) : ModelWorld(api, options(url)) {}
  ModelWorld(const FakeApi& api, const curl::ClientOptions& options)
      : http_(client(options)), model_(adapter_of(api, options.allowed_urls.front() + "v1/", *http_, clock)) {}

  ports::LanguageModel& model() { return *model_; }

  Told ask(const ports::Prompt& prompt) { return tests::ask(*model_, call, prompt); }
  Told ask(std::string_view text = "Hello?", bool is_stream = false) { return ask(prompt_of(text, is_stream)); }

 private:
  std::unique_ptr<ports::HttpClient> http_;
  std::unique_ptr<ports::LanguageModel> model_;
};

/// Fixture for tests that run for every API.
class OfEveryApi : public testing::TestWithParam<const FakeApi*> {
 protected:
  const FakeApi& api() const { return *GetParam(); }

  /// Returns the result for a server that sends `bytes` and closes the connection.
  Told told_by(const std::string& bytes, bool is_stream) const {
    ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) {
      peer.send(bytes);
      peer.close();
    });
    return ModelWorld(api(), server.url()).ask("Hello?", is_stream);
  }

  /// Returns the result for a complete response with this status and body.
  Told answered(const std::string& status_and_fields, const std::string& body, bool is_stream = false) const {
    ScriptedHttpServer server([&](const HeardRequest&, Peer& peer) { peer.answer(status_and_fields, body); });
    return ModelWorld(api(), server.url()).ask("Hello?", is_stream);
  }
};

inline std::string name_of_api(const testing::TestParamInfo<const FakeApi*>& info) {
  return info.param->name();
}

}  // namespace kbase::tests
