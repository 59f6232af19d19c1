// SPDX-License-Identifier: Apache-2.0
#include "app/composition/server_options.hpp"

#include "adapters/http/api_description.hpp"
#include "app/config/version.hpp"

namespace kbase::composition {
namespace {

constexpr std::size_t kAdminConnections = 64;
constexpr std::chrono::milliseconds kAdminDrain{1000};

http::LoggedAddress logged_address(config::ClientAddress wanted) {
  switch (wanted) {
    case config::ClientAddress::Hash:
      return http::LoggedAddress::Hash;
    case config::ClientAddress::Prefix:
      return http::LoggedAddress::Prefix;
    case config::ClientAddress::Full:
      return http::LoggedAddress::Full;
    case config::ClientAddress::None:
      break;
  }
  return http::LoggedAddress::None;
}

}  // namespace

http::ServerOptions server_options(const config::Settings& settings, const ports::ItemStore& items,
                                   const ports::SearchIndex& index) {
  const config::Server& wanted = settings.server;
  http::ServerOptions options;
  options.address = wanted.address;
  options.port = wanted.port;
  options.base_path = wanted.base_path;
  options.threads = wanted.threads;
  options.max_body_bytes = wanted.max_body_bytes;
  options.max_body_bytes_total = wanted.max_body_bytes_total;
  options.max_connections = wanted.max_connections;
  options.max_connections_per_address = wanted.max_connections_per_address;
  options.header_timeout = wanted.header_timeout;
  options.body_timeout = wanted.body_timeout;
  options.idle_timeout = wanted.idle_timeout;
  options.send_timeout = wanted.send_timeout;
  options.request_timeout = wanted.request_timeout;
  options.llm_timeout = settings.llm.timeout;
  options.stream_timeout = settings.llm.stream_timeout;
  options.drain_timeout = wanted.drain_timeout;
  options.trusted_proxies = wanted.trusted_proxies;
  options.cors = {wanted.cors.allowed_origins, wanted.cors.max_age};
  options.logged_address = logged_address(settings.logging.client_address);
  options.http_max_age = settings.cache.http_max_age;
  options.codehost_timeout = settings.codehost.timeout;
  options.codehost_needs_key = settings.codehost.require_key;
  options.program_version = config::kVersion;
  options.description = http::api_description(wanted.base_path);
  options.search_fingerprint = index.fingerprint();
  options.inline_catalog = items.capabilities().inline_reads;
  options.inline_search = index.capabilities().inline_search;
  return options;
}

http::ServerOptions admin_options(const config::Settings& settings) {
  http::ServerOptions options;
  options.section = "admin";
  options.address = settings.admin.address;
  options.port = *settings.admin.port;
  options.max_body_bytes = 0;
  options.max_connections = kAdminConnections;
  options.drain_timeout = kAdminDrain;
  return options;
}

}  // namespace kbase::composition
