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

/// The reverse proxies that config/proxy has a sample for.
enum class ProxyKind { Nginx, Haproxy, Caddy };

void PrintTo(ProxyKind kind, std::ostream* out);
std::string proxy_name(const testing::TestParamInfo<ProxyKind>& info);
inline auto every_proxy() {
  return testing::Values(ProxyKind::Nginx, ProxyKind::Haproxy, ProxyKind::Caddy);
}

/// What a proxy's test needs and this machine lacks; empty: nothing.
std::string missing_program(ProxyKind kind);

/// A reverse proxy that runs its sample as it is shipped, but for the addresses, the certificate, and where it writes.
/// It needs no privileges, and it is killed with the object.
class Proxy {
 public:
  /// Starts it before 127.0.0.1:`upstream_port`. Throws std::runtime_error where it ends, or does not answer within 10
  /// seconds.
  Proxy(ProxyKind kind, std::uint16_t upstream_port);

  /// A client of the proxy that connects from this address of the machine.
  Client client(const std::string& from = "127.0.0.1") const;

 private:
  bool answers() const;

  TemporaryFolder folder_;
  std::uint16_t port_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace kbase::tests
