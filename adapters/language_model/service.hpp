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

/// Where a service is, and what every request to it carries.
struct ServiceAddress {
  std::string base_url;       ///< with or without a slash at its end
  std::vector<Field> fields;  ///< those that show our key
};

/// One whose key is a bearer token; without a key nothing is sent.
ServiceAddress with_bearer(const std::string& base_url, const std::string& key);

/// HTTP as the APIs of language models use it. Any thread.
class Service {
 public:
  /// `http` and `clock` outlive it.
  Service(ports::HttpClient& http, const ports::Clock& clock, ServiceAddress address);

  using Exchange = std::unique_ptr<ports::HttpExchange>;

  /// Sends a prompt for `model`, once, and waits for the head of an answer of 200. Errors: the client's, and what a
  /// refusal comes to.
  model::Result<Exchange> post(ports::Call& call, std::string_view path, std::string_view accepted,
                               std::string_view body, std::string_view model) const;

  /// What an answer complains about, without names in which it repeats our key; nullopt: it is no complaint.
  std::optional<Complaint> complaint_in(Value answer) const;

  /// Whether a GET succeeds; a path that the service lacks is as good.
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

/// All of an answer's body.
model::Result<std::string> body_of(ports::HttpExchange& answer);

}  // namespace kbase::language_model
