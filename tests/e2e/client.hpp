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
  std::string target;               ///< after the base address, "/search?q=word", as it goes over the wire
  std::vector<std::string> fields;  ///< "Name: value"
  std::optional<std::string> body;
  bool accepts_gzip = false;  ///< asks for gzip; the body is given unpacked
  /// What the request line says instead of the target's path: "*", or a path outside the base address.
  std::string whole_target;
  std::function<void(std::string_view)> on_request = {};  ///< told each piece of the body as it arrives
};

struct Response {
  long status = 0;
  bool over_http2 = false;
  Fields fields;  ///< names in lower case
  std::string body;

  /// A field's value; empty where it is absent.
  std::string field(std::string_view name) const;
  bool has(std::string_view name) const;
  /// A field's value as a number; fails the test where it is none.
  long long number(std::string_view name) const;
  /// Null where the body is no JSON.
  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

/// How a client reaches a server by TLS under a name that no name server knows.
struct TlsRoute {
  std::string certificate;     ///< the file with the certificate that it trusts
  std::string name_and_place;  ///< "kb.example.org:8443:127.0.0.1"
  std::string from;            ///< the address that it connects from
};

/// An ordinary HTTP client that keeps its connection. One thread.
class Client {
 public:
  explicit Client(std::string base_url, std::string key = {});
  Client(std::string base_url, TlsRoute route);
  ~Client();
  Client(Client&&) noexcept;

  /// Throws std::runtime_error where no answer came.
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

/// `text` for one segment of a path, or one value of a query string.
std::string encoded(std::string_view text);

}  // namespace kbase::tests
