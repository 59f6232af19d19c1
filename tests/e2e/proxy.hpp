// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tests/e2e/client.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/free_port.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {

/// Reverse proxies that have a sample in config/proxy.
enum class ProxyKind { Nginx, Haproxy, Caddy };

void PrintTo(ProxyKind kind, std::ostream* out);
std::string proxy_name(const testing::TestParamInfo<ProxyKind>& info);
inline auto every_proxy() { return testing::Values(ProxyKind::Nginx, ProxyKind::Haproxy, ProxyKind::Caddy); }

/// Returns the program that the proxy's test needs and this machine lacks; empty if none is missing.
std::string missing_program(ProxyKind kind);

/// Reverse proxy that runs its shipped sample; only addresses, certificate and output paths are changed. Needs no
/// privileges. The destructor kills it.
class Proxy {
 public:
  /// Starts the proxy with the upstream 127.0.0.1:`upstream_port`. Throws std::runtime_error if it exits or does not
  /// answer within 10 seconds.
  Proxy(ProxyKind kind, std::uint16_t upstream_port);

  /// Client of the proxy that connects from this local address.
  Client client(const std::string& from = "127.0.0.1") const;

 private:
  bool answers() const;

  TemporaryFolder folder_;
  std::uint16_t port_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace kbase::tests
