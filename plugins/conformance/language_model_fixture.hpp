// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::conformance {

/// The model in the prompts of the checks.
inline constexpr const char* kAskedModel = "small";

/// How the service behind a language model responds to prompts, in any API.
struct ServiceScript {
  enum class Behavior {
    Answers,
    UnknownModel,  ///< refuses the name of the model
    InvalidKey,
    RateLimited,      ///< rate limit, with a Retry-After of 7 seconds
    InvalidResponse,  ///< status 200 with an HTML page
    Truncated,        ///< ends after the pieces, before the end of the stream
    Silent,           ///< accepts the prompt and never replies
  };

  Behavior behavior = Behavior::Answers;
  std::vector<std::string> pieces = {"Be", "cause."};  ///< pieces of a stream; joined if not streamed
  ports::FinishReason finish_reason = ports::FinishReason::Stop;
  std::uint64_t prompt_tokens = 3;
  std::uint64_t completion_tokens = 5;
};

inline constexpr const char* kFakeModel = "small-1";
inline constexpr const char* kFakeKey = "sk-key-of-ours-123";

/// A successful completion of a fake service.
struct FakeCompletion {
  std::vector<std::string> pieces = {"Gr", "\xC3\xBC", "\xC3\x9F", "e"};
  bool is_cut_by_length = false;  ///< the model stopped at max_tokens
  std::uint64_t prompt_tokens = 11;
  std::uint64_t completion_tokens = 4;

  std::string text() const;
};

/// The separately written parts of a stream. A test can stop or wait between them.
using Parts = std::vector<std::string>;

/// A fake API of a language model. Its bodies have the members that the real service sends.
class FakeApi {
 public:
  virtual ~FakeApi() = default;
  virtual std::string name() const = 0;

  /// Path for prompts, below the base URL.
  virtual std::string path() const = 0;
  /// Header line with the key, kFakeKey.
  virtual std::string key_line() const = 0;

  /// Whether `request` asks for a stream.
  virtual bool wants_stream(std::string_view request) const;

  virtual std::string answer(const FakeCompletion& completion) const = 0;
  virtual Parts stream(const FakeCompletion& completion) const = 0;
  virtual std::string stream_type() const = 0;
  /// Index in stream() of the first part with text.
  virtual std::size_t first_text() const = 0;

  /// Return the body of an error, and an error as a part of a stream.
  virtual std::string error(std::string_view type, std::string_view message) const = 0;
  virtual std::string error_part(std::string_view type, std::string_view message) const = 0;
  /// Returns the body of the 404 response for an unknown model.
  virtual std::string no_such_model(std::string_view model) const = 0;
};

/// A language model whose service follows a script of the check. By default the service is `upstream`; it uses the API
/// that it detects from the URL of the model's first prompt.
class LanguageModelFixture : public Fixture<ports::LanguageModel> {
 public:
  /// Whether the service can answer a prompt with success. False: `upstream` gets no prompts, or prompts of an unknown
  /// API. Refusals, invalid responses and silence work in every API.
  virtual bool can_answer();

  /// Applies `script` from the next prompt on.
  virtual void play(const ServiceScript& script);

  /// Number of prompts that reached the service.
  virtual std::size_t prompts() const { return prompts_; }

  bool reopen() override { return false; }

 private:
  const FakeApi* api();

  std::optional<const FakeApi*> api_;  // nullopt: not detected yet
  std::atomic<std::size_t> prompts_{0};
};

/// The fixture through which a suite uses an implementation of `Port`.
template <class Port>
using FixtureOf = std::conditional_t<std::is_same_v<Port, ports::LanguageModel>, LanguageModelFixture, Fixture<Port>>;

/// All fake APIs. The objects are static.
const std::vector<const FakeApi*>& fake_apis();
const FakeApi& fake_openai();
const FakeApi& fake_anthropic();
const FakeApi& fake_ollama();

/// Returns the fake API whose prompt path is the end of `url`; null: no API has it.
const FakeApi* fake_api_at(std::string_view url);

/// Returns the head of a stream with status 200.
inline std::string stream_head(const FakeApi& api) {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + api.stream_type() + "\r\n\r\n";
}

inline std::string joined(const Parts& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

}  // namespace kbase::conformance
