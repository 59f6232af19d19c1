// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <memory>

#include "ports/driven/http_client.hpp"

namespace kbase::sdk {

/// The host's HTTP client as a port. Supports calls that came from the host, and copies of them with an earlier
/// deadline; with any other call open() fails with Unsupported.
class HostHttpClient final : public ports::HttpClient {
 public:
  /// Returns null if the host has no HTTP for this plugin.
  static const kb_http_client_v1* table_of(const kb_host& host);

  HostHttpClient(const kb_host& host, const kb_http_client_v1& table) : host_(host), table_(table) {}

  Result<std::unique_ptr<ports::HttpExchange>> open(ports::Call& call, const ports::HttpRequest& request) override;

 private:
  const kb_host& host_;
  const kb_http_client_v1& table_;
};

}  // namespace kbase::sdk
