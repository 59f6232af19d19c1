// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/driven/language_model.hpp"
#include "tests/adapters/curl_fixture.hpp"
#include "tests/adapters/language_model/json_shape.hpp"
#include "tests/support/fake_api.hpp"

namespace kbase::tests {

/// Creates the adapter of an API with the key kFakeKey.
std::unique_ptr<ports::LanguageModel> adapter_of(const FakeApi& api, const std::string& base_url,
                                                 ports::HttpClient& http, const ports::Clock& clock);

/// The result of a call of complete().
struct CompletionOutcome {
  std::vector<std::string> pieces;
  std::optional<ports::Completion> completion;
  std::optional<Error> error;

  std::string text() const { return joined(pieces); }
};

inline testing::AssertionResult failed_with(const CompletionOutcome& outcome, ErrorCode code,
                                            std::string_view parameter = {}) {
  if (outcome.completion) return testing::AssertionFailure() << "it succeeded with '" << outcome.text() << "'";
  if (outcome.error->code == code && outcome.error->parameter == parameter) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name_of(outcome.error->code) << " of parameter '" << outcome.error->parameter
                                     << "': " << outcome.error->detail;
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
inline CompletionOutcome complete(ports::LanguageModel& model, ports::Call& call, const ports::Prompt& prompt) {
  CompletionOutcome outcome;
  const auto keep = [&](std::string_view piece) {
    outcome.pieces.emplace_back(piece);
    return Visit::Continue;
  };
  const auto ended = model.complete(call, prompt, keep);
  if (ended)
    outcome.completion = *ended;
  else
    outcome.error = ended.error();
  return outcome;
}

/// A model of one API, using the real HTTP client, at a server that a test scripts.
class ModelClientFixture : public CurlFixture {
 public:
  ModelClientFixture(const FakeApi& api, const std::string& url) : ModelClientFixture(api, options(url)) {}
  ModelClientFixture(const FakeApi& api, const curl::ClientOptions& options)
      : http_(client(options)), model_(adapter_of(api, options.allowed_urls.front() + "v1/", *http_, clock)) {}

  ports::LanguageModel& model() { return *model_; }

  CompletionOutcome complete(const ports::Prompt& prompt) { return tests::complete(*model_, call, prompt); }
  CompletionOutcome complete(std::string_view text = "Hello?", bool is_stream = false) {
    return complete(prompt_of(text, is_stream));
  }

 private:
  std::unique_ptr<ports::HttpClient> http_;
  std::unique_ptr<ports::LanguageModel> model_;
};

/// Fixture for tests that run for every API.
class OfEveryApi : public testing::TestWithParam<const FakeApi*> {
 protected:
  const FakeApi& api() const { return *GetParam(); }

  /// Returns the result for a server that sends `bytes` and closes the connection.
  CompletionOutcome outcome_of_bytes(const std::string& bytes, bool is_stream) const {
    ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) {
      peer.send(bytes);
      peer.close();
    });
    return ModelClientFixture(api(), server.url()).complete("Hello?", is_stream);
  }

  /// Returns the result for a complete response with this status and body.
  CompletionOutcome outcome_of_response(const std::string& status_and_fields, const std::string& body,
                                        bool is_stream = false) const {
    ScriptedHttpServer server([&](const ReceivedRequest&, Peer& peer) { peer.answer(status_and_fields, body); });
    return ModelClientFixture(api(), server.url()).complete("Hello?", is_stream);
  }
};

inline std::string name_of_api(const testing::TestParamInfo<const FakeApi*>& info) { return info.param->name(); }

}  // namespace kbase::tests
