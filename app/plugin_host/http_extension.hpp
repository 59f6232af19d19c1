// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/http_client.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "domain/model/error.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::plugin_host {

/// Host extension kbase.http_client/1 for one instance of a plugin: a ports::HttpClient, which knows where the instance
/// may go, as the C table. Any thread.
///
/// It owns every exchange that the plugin opens, and closes those that the plugin forgot: when their call returns,
/// because nothing they point to outlives it, and at the latest with itself.
class HttpExtension {
 public:
  /// `client` outlives it.
  explicit HttpExtension(ports::HttpClient& client);
  ~HttpExtension();
  HttpExtension(const HttpExtension&) = delete;
  HttpExtension& operator=(const HttpExtension&) = delete;

  /// What kb_host.get_extension answers for `id`; null: it is not this one's. The host of the instance must pass on
  /// every id, for the table's functions find their way back by one of their own.
  const void* get(const char* id) const noexcept;

  /// The call whose kb_call has this `host_data` returns. Says how many exchanges it had left open.
  std::size_t close_those_of(const void* call_data) noexcept;

 private:
  using Owned = std::unique_ptr<kb_http_exchange>;

  static HttpExtension* of(const kb_host* host) noexcept;
  static kb_status open_entry(const kb_host* host, kb_call* call, const kb_http_request* request,
                              kb_http_exchange** exchange) noexcept;
  static kb_status head_entry(kb_http_exchange* exchange, const kb_http_head** head) noexcept;
  static kb_status read_entry(kb_http_exchange* exchange, char* buffer, std::size_t capacity,
                              std::size_t* size) noexcept;
  static void close_entry(kb_http_exchange* exchange) noexcept;

  static const kb_http_client_v1 kTable;

  kb_status open(kb_call& call, const kb_http_request& request, kb_http_exchange*& exchange);
  Owned take(const kb_http_exchange* exchange) noexcept;

  ports::HttpClient& client_;
  std::mutex mutex_;
  std::vector<Owned> open_;
};

}  // namespace kbase::plugin_host
