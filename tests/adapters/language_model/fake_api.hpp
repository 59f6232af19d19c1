// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::tests {

inline constexpr const char* kFakeModel = "small-1";
inline constexpr const char* kFakeKey = "sk-key-of-ours-123";

/// What a fake service says when all goes well.
struct FakeCompletion {
  std::vector<std::string> pieces = {"Gr", "\xC3\xBC", "\xC3\x9F", "e"};
  bool is_cut_by_length = false;  ///< it stopped at max_tokens
  int prompt_tokens = 11;
  int completion_tokens = 4;

  std::string text() const;
};

/// A stream in the parts that it is written in, so that a test can stop, or wait, between any of them.
using Parts = std::vector<std::string>;

/// An API of language models from both sides: the adapter, and what a service of that kind sends. The bodies have the
/// members that the real services send.
class FakeApi {
 public:
  virtual ~FakeApi() = default;
  virtual std::string name() const = 0;

  /// The adapter, with kFakeKey.
  virtual std::unique_ptr<ports::LanguageModel> model(const std::string& base_url, ports::HttpClient& http,
                                                      const ports::Clock& clock) const = 0;

  /// Where prompts go, below the base URL.
  virtual std::string path() const = 0;
  /// The line of a head that shows the key.
  virtual std::string key_line() const = 0;

  virtual std::string answer(const FakeCompletion& completion) const = 0;
  virtual Parts stream(const FakeCompletion& completion) const = 0;
  virtual std::string stream_type() const = 0;
  /// The first part of stream() that has text, and the first at whose end the completion is whole.
  virtual std::size_t first_text() const = 0;

  /// The body of an error as the service writes it, and the same within a stream.
  virtual std::string error(std::string_view type, std::string_view message) const = 0;
  virtual std::string error_part(std::string_view type, std::string_view message) const = 0;
};

/// All of them; they are static.
const std::vector<const FakeApi*>& fake_apis();
const FakeApi& fake_openai();
const FakeApi& fake_anthropic();
const FakeApi& fake_ollama();

/// "200 OK" and the type of a stream's body.
inline std::string stream_head(const FakeApi& api) {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + api.stream_type() + "\r\n\r\n";
}

inline std::string joined(const Parts& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

}  // namespace kbase::tests
