// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::conformance {

inline constexpr const char* kFakeModel = "small-1";
inline constexpr const char* kFakeKey = "sk-key-of-ours-123";

/// What a fake service says when all goes well.
struct FakeCompletion {
  std::vector<std::string> pieces = {"Gr", "\xC3\xBC", "\xC3\x9F", "e"};
  bool is_cut_by_length = false;  ///< it stopped at max_tokens
  std::uint64_t prompt_tokens = 11;
  std::uint64_t completion_tokens = 4;

  std::string text() const;
};

/// A stream in the parts that it is written in, so that a test can stop, or wait, between any of them.
using Parts = std::vector<std::string>;

/// An API of language models as its services write it: the bodies have the members that the real ones send.
class FakeApi {
 public:
  virtual ~FakeApi() = default;
  virtual std::string name() const = 0;

  /// Where prompts go, below the base URL.
  virtual std::string path() const = 0;
  /// The line of a head that shows the key, kFakeKey.
  virtual std::string key_line() const = 0;

  /// Whether a request asks for a stream.
  virtual bool wants_stream(std::string_view request) const;

  virtual std::string answer(const FakeCompletion& completion) const = 0;
  virtual Parts stream(const FakeCompletion& completion) const = 0;
  virtual std::string stream_type() const = 0;
  /// The first part of stream() that has text, and the first at whose end the completion is whole.
  virtual std::size_t first_text() const = 0;

  /// The body of an error as the service writes it, and the same within a stream.
  virtual std::string error(std::string_view type, std::string_view message) const = 0;
  virtual std::string error_part(std::string_view type, std::string_view message) const = 0;
  /// The body of the 404 by which it says that it has no such model.
  virtual std::string no_such_model(std::string_view model) const = 0;
};

/// All of them; they are static.
const std::vector<const FakeApi*>& fake_apis();
const FakeApi& fake_openai();
const FakeApi& fake_anthropic();
const FakeApi& fake_ollama();

/// The one whose prompts go to this URL. Null: it is of none.
const FakeApi* fake_api_at(std::string_view url);

/// "200 OK" and the type of a stream's body.
inline std::string stream_head(const FakeApi& api) {
  return "HTTP/1.1 200 OK\r\nContent-Type: " + api.stream_type() + "\r\n\r\n";
}

inline std::string joined(const Parts& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

}  // namespace kbase::conformance
