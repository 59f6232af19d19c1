// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/plugin.h>

#include <optional>
#include <string_view>

#include "app/plugin_host/host_table.hpp"
#include "plugins/sdk/translation.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::tests {

/// Plugin's side of the HTTP extension without a plugin: the host's extension, and calls of that host.
class HttpExtensionClient {
 public:
  /// All arguments must outlive this object.
  HttpExtensionClient(ports::HttpClient& client, const ports::Clock& clock, ports::EventLog& log)
      : host_table("org.example.fake", "org.example.fake (/fake.so)", {clock, log, nullptr, &client}) {
    static_cast<kb_host&>(host) = *host_table.table();
    host.cancelled = [](const kb_call* call) {
      return static_cast<const ports::Call*>(call->host_data)->cancelled() ? 1 : 0;
    };
    host.explain = [](kb_call* call, const kb_explanation* why) {
      const_cast<Host*>(static_cast<const Host*>(call->host))->explained = sdk::error_of(KB_INTERNAL, *why);
    };
    table = static_cast<const kb_http_client_v1*>(host.get_extension(&host, KB_EXTENSION_HTTP_CLIENT));
  }
  HttpExtensionClient(const HttpExtensionClient&) = delete;
  HttpExtensionClient& operator=(const HttpExtensionClient&) = delete;

  /// `origin` must outlive the call.
  kb_call call(ports::Call& origin) const {
    return {
        sizeof(kb_call), 0, sdk::nanoseconds_of(origin.deadline), sdk::view_of(origin.trace_id), &host, &origin, 0, 0};
  }

  /// A kb_host, and the last explanation of its calls.
  struct Host : kb_host {
    std::optional<Error> explained;  ///< its code has no meaning
  };

  plugin_host::HostTable host_table;
  Host host{};
  const kb_http_client_v1* table = nullptr;
};

}  // namespace kbase::tests
