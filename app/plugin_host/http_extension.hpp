// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/http_client.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "ports/driven/http_client.hpp"

namespace kbase::plugin_host {

/// Host extension kbase.http_client/1 for the instances that share a HostTable: a ports::HttpClient, restricted to
/// allowed URLs, as a C table. Thread-safe.
///
/// Owns every exchange that a plugin opens and closes those that the plugin left open: when their call returns, because
/// the data that they point to ends with it, and at the latest in the destructor.
class HttpExtension {
 public:
  /// `client` must outlive this object.
  explicit HttpExtension(ports::HttpClient& client);
  ~HttpExtension();
  HttpExtension(const HttpExtension&) = delete;
  HttpExtension& operator=(const HttpExtension&) = delete;

  /// Returns the table, shared by all instances; its functions find their HttpExtension through the kb_host.
  static const kb_http_client_v1* table() noexcept { return &kTable; }

  /// Closes the exchanges that the call with this `host_data` left open. Returns their number.
  std::size_t close_those_of(const void* call_data) noexcept;

 private:
  using Owned = std::unique_ptr<kb_http_exchange>;

  static kb_status open_entry(const kb_host* host, kb_call* call, const kb_http_request* request,
                              kb_http_exchange** exchange) noexcept;
  static kb_status head_entry(kb_http_exchange* exchange, const kb_http_head** head) noexcept;
  static kb_status read_entry(kb_http_exchange* exchange, char* buffer, std::size_t capacity,
                              std::size_t* size) noexcept;
  static void close_entry(kb_http_exchange* exchange) noexcept;
  static void failure_entry(kb_explanation* why) noexcept;

  static const kb_http_client_v1 kTable;

  kb_status open(kb_call& call, const kb_http_request& request, kb_http_exchange*& exchange);
  template <class Matches>
  Owned take(Matches matches) noexcept;

  ports::HttpClient& client_;
  std::mutex mutex_;
  std::vector<Owned> open_;
  std::atomic<std::size_t> open_count_{0};  // read after every call, so without the mutex
};

}  // namespace kbase::plugin_host
