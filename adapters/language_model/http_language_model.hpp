// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/language_model/api_error.hpp"
#include "adapters/language_model/part_stream.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/language_model.hpp"

namespace kbase::language_model {

/// Returns the members that the requests of all APIs share: the model, the prompt as the only message of a chat, and
/// whether to stream.
nlohmann::json make_chat_request(const ports::Prompt& prompt);

/// Serializes the body of a request. Replaces bytes that are not UTF-8 by U+FFFD.
std::string serialize(const nlohmann::json& request);

using Field = std::pair<std::string, std::string>;  ///< name and value

/// The address of a service, and the fields of every request to it.
struct ServiceAddress {
  std::string base_url;       ///< with or without a trailing slash
  std::vector<Field> fields;  ///< sent with every request; contain our key
};

/// Returns an address with `key` as bearer token. An empty key is not sent.
ServiceAddress make_bearer_address(const std::string& base_url, const std::string& key);

/// HTTP client for the APIs of language models. Thread-safe.
class ApiClient {
 public:
  /// `http` and `clock` must outlive this object.
  ApiClient(ports::HttpClient& http, const ports::Clock& clock, ServiceAddress address);

  using Exchange = std::unique_ptr<ports::HttpExchange>;

  /// Sends a prompt for `model` once and waits for the head of the response, which has status 200. Errors: those of the
  /// client, and to_error() of the response.
  Result<Exchange> post(ports::Call& call, std::string_view path, std::string_view accepted_type, std::string_view body,
                        std::string_view model) const;

  /// Returns the error object in `response` without names and parameters that repeat our key; nullopt: no error object.
  std::optional<ApiError> find_api_error(Value response) const;

  /// Succeeds if a GET returns 200, 404 or 405: a service without this path is healthy too.
  Status check_health(ports::Call& call, std::string_view path) const;

 private:
  Result<Exchange> open(ports::Call& call, ports::HttpRequest request, std::string_view path,
                        std::string_view accepted_type) const;
  ErrorResponse read_error_response(ports::HttpExchange& exchange, const ports::HttpHead& head) const;
  bool is_api_key(std::string_view text) const;

  ports::HttpClient& http_;
  const ports::Clock& clock_;
  const ServiceAddress address_;
};

/// Appends the text of a message: a string, an object with a `text`, or an array of these. Appends nothing if it has no
/// value. Cancelled: the visitor stopped.
Status append_content(Value content, CompletionBuilder& completion);

/// Returns the complete body of a response.
Result<std::string> read_body(ports::HttpExchange& response);

/// The paths and the stream format of an API. The texts must be literals.
struct ApiShape {
  std::string_view completions_path;  ///< path below the base URL for prompts
  std::string_view health_path;       ///< path that answers GET without cost
  Framing framing = Framing::Events;
  std::string_view end_marker;  ///< last part of a stream, which is not JSON; "": the API has none
};

/// Base class for language models behind HTTP. Derived classes define the requests and responses of an API. Keeps no
/// state between calls. Passes the parts of a stream to the visitor as they arrive, so a slow visitor slows the service
/// down.
class HttpLanguageModel : public ports::LanguageModel {
 public:
  Result<ports::Completion> complete(ports::Call& call, const ports::Prompt& prompt,
                                     Visitor<std::string_view> text) final;
  Status health(ports::Call& call) final;

 protected:
  HttpLanguageModel(ApiClient client, ApiShape shape) : client_(std::move(client)), shape_(shape) {}

  /// Whether a stream has more parts.
  enum class Part { More, Last };

 private:
  /// Returns the body of a request. InvalidArgument: the API does not support a value of the prompt.
  virtual Result<std::string> make_request(const ports::Prompt& prompt) const = 0;

  /// Read a response, or a part of a stream, into `completion`.
  virtual Status read_response(Value response, CompletionBuilder& completion) const = 0;
  virtual Result<Part> read_part(Value part, CompletionBuilder& completion) const = 0;

  Status read(ports::HttpExchange& response, const ports::Prompt& prompt, CompletionBuilder& completion) const;
  Status read_stream(ports::HttpExchange& response, const ports::Prompt& prompt, CompletionBuilder& completion) const;

  const ApiClient client_;
  const ApiShape shape_;
};

}  // namespace kbase::language_model
