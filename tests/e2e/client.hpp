// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kbase::tests {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = "GET";
  std::string target;               ///< after the base address, percent-encoded: "/search?q=word"
  std::vector<std::string> fields;  ///< "Name: value"
  std::optional<std::string> body;
  bool accepts_gzip = false;  ///< sends Accept-Encoding: gzip; the body is returned uncompressed
  /// Request target to send instead of base path + `target`: "*", or a path outside the base address.
  std::string whole_target;
  std::function<void(std::string_view)> on_request = {};  ///< called with each piece of the body as it arrives
};

struct Response {
  long status = 0;
  bool over_http2 = false;
  Fields fields;  ///< names in lower case
  std::string body;

  /// Returns the value of a field, or an empty string if it is absent.
  std::string field(std::string_view name) const;
  bool has(std::string_view name) const;
  /// Returns the value of a field as a number. Fails the test if it is not a number.
  long long number(std::string_view name) const;
  /// Returns the parsed body, or a discarded value if the body is not JSON.
  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

/// How a client connects by TLS to a server whose name is not in DNS.
struct TlsRoute {
  std::string certificate;     ///< file of the trusted certificate
  std::string name_and_place;  ///< "kb.example.org:8443:127.0.0.1"
  std::string from;            ///< local address to connect from
};

/// HTTP client that keeps its connection open. Not thread-safe.
class Client {
 public:
  explicit Client(std::string base_url, std::string key = {});
  Client(std::string base_url, TlsRoute route);
  ~Client();
  Client(Client&&) noexcept;

  /// Throws std::runtime_error if no response arrives.
  Response send(const Request& request);
  Response get(std::string target, std::vector<std::string> fields = {}) {
    return send({.target = std::move(target), .fields = std::move(fields), .body = {}, .whole_target = {}});
  }
  Response head(std::string target) {
    return send({.method = "HEAD", .target = std::move(target), .fields = {}, .body = {}, .whole_target = {}});
  }

 private:
  struct Handle;
  std::string base_url_;
  std::string key_;
  std::optional<TlsRoute> route_;
  std::unique_ptr<Handle> handle_;
};

/// Percent-encodes `text` for one path segment or one query parameter value.
std::string encoded(std::string_view text);

}  // namespace kbase::tests
