// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/language_model/complaint.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::language_model {

using Field = std::pair<std::string, std::string>;  ///< name and value

/// The address of a service, and the fields of every request to it.
struct ServiceAddress {
  std::string base_url;       ///< with or without a trailing slash
  std::vector<Field> fields;  ///< sent with every request; contain our key
};

/// Returns an address with `key` as bearer token. An empty key is not sent.
ServiceAddress with_bearer(const std::string& base_url, const std::string& key);

/// HTTP client for the APIs of language models. Thread-safe.
class Service {
 public:
  /// `http` and `clock` must outlive this object.
  Service(ports::HttpClient& http, const ports::Clock& clock, ServiceAddress address);

  using Exchange = std::unique_ptr<ports::HttpExchange>;

  /// Sends a prompt for `model` once and waits for the head of the response, which has status 200. Errors: those of the
  /// client, and error_of() a refusal.
  model::Result<Exchange> post(ports::Call& call, std::string_view path, std::string_view accepted,
                               std::string_view body, std::string_view model) const;

  /// Returns the error object in `answer` without names and parameters that repeat our key; nullopt: there is none.
  std::optional<Complaint> complaint_in(Value answer) const;

  /// Succeeds if a GET returns 200, 404 or 405: a service without this path is healthy too.
  model::Status probe(ports::Call& call, std::string_view path) const;

 private:
  model::Result<Exchange> open(ports::Call& call, ports::HttpRequest request, std::string_view path,
                               std::string_view accepted) const;
  Refusal refusal(ports::HttpExchange& exchange, const ports::HttpHead& head) const;
  bool is_our_key(std::string_view text) const;

  ports::HttpClient& http_;
  const ports::Clock& clock_;
  const ServiceAddress address_;
};

/// Returns the complete body of a response.
model::Result<std::string> body_of(ports::HttpExchange& answer);

}  // namespace kbase::language_model
