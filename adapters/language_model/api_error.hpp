// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::language_model {

/// An error object of a service. The forms are OpenAI's {"error": {"message", "type", "param", "code"}}, Anthropic's
/// {"type": "error", "error": {"type", "message"}} and Ollama's {"error": MESSAGE}. Servers mix them, so every form is
/// accepted from every server.
struct ApiError {
  std::string message;                  ///< message; may quote the prompt or our key, so it is never logged or shown
  std::string parameter;                ///< request parameter, as the service names it
  std::vector<std::string> names;       ///< type and code, identifiers such as "rate_limit_error"
  std::optional<std::uint32_t> status;  ///< set if the code is an HTTP status
};

/// A response with a status other than 200.
struct ErrorResponse {
  std::uint32_t status = 0;
  ApiError error;
  std::chrono::milliseconds retry_after{0};  ///< 0: not given
};

/// Returns the error that a refused prompt for `model` ends with, by the rules of ports::LanguageModel. The detail
/// contains advice for the operator.
Error to_error(const ErrorResponse& response, std::string_view model);

/// Returns the error for an error object in place of a response or of a part of a stream.
Error to_error(const ApiError& api_error, std::string_view model);

/// Returns the error for a response that does not follow the API.
Error invalid_response(std::string detail);

/// Returns how long a refused request must wait; 0: the response does not specify it. `retry-after-ms` and
/// `retry-after` (RFC 9110, section 10.2.3: seconds or a date) take precedence. Otherwise the wait is the longer of
/// `x-ratelimit-reset-requests` and `-tokens`, for limits with nothing remaining; these are spans such as "6m0s"
/// (platform.openai.com/docs/guides/rate-limits).
std::chrono::milliseconds retry_after(const ports::HttpHead& head, model::Instant now);

/// A value of a document, or no value: a value that is absent or of another type than requested counts as not given. A
/// view of the document.
class Value {
 public:
  Value() = default;
  explicit Value(const nlohmann::json* value) : value_(value) {}

  Value member(std::string_view name) const;
  Value at(std::size_t index) const;
  std::size_t size() const;

  /// Whether the value is neither absent nor null.
  bool has_value() const;
  bool is_object() const;
  bool is_true() const;
  /// Returns the string; "" if the value is not a string. May contain bytes that are not UTF-8: see Document.
  std::string_view text() const;
  /// Returns an integer from 0 to 2^32 - 1; nullopt: any other value. Real counts are smaller, and their sums do not
  /// overflow.
  std::optional<std::uint64_t> count() const;

 private:
  const nlohmann::json* value_ = nullptr;
};

/// Reads the error object in `response`; nullopt: it has none.
std::optional<ApiError> find_api_error(Value response);

/// A JSON document of a service. Keeps the bytes of strings, because some services split characters between parts:
/// bytes that are not UTF-8 stay, and half of an escaped surrogate pair becomes three such bytes, which Utf8Stream
/// joins.
class Document {
 public:
  /// nullopt: `text` is not JSON, or is nested deeper or has more values than any valid response.
  static std::optional<Document> parse(std::string_view text);

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  Value root() const { return Value(root_.get()); }

 private:
  explicit Document(std::unique_ptr<const nlohmann::json> root);
  std::unique_ptr<const nlohmann::json> root_;
};

}  // namespace kbase::language_model
