// SPDX-License-Identifier: Apache-2.0
// Runs the contract suite of the code_host port on a minimal implementation, directly and through the plugin boundary.
#include "app/plugin_host/host_table.hpp"
#include "plugins/conformance/suites.hpp"
#include "plugins/sdk/plugin.hpp"
#include "tests/plugins/code_host/plain_code_host.hpp"
#include "tests/support/contract.hpp"

namespace kbase::tests {
namespace {

constexpr const char* kUrl = "https://plain.example";

class PlainFixture final : public conformance::CodeHostFixture {
 public:
  ports::CodeHost& port() override { return host_; }
  bool reopen() override { return false; }

 private:
  PlainCodeHost host_{upstream, kUrl};
};

class Silence final : public ports::EventLog {
 public:
  void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override {}
};

sdk::Opened<ports::CodeHost> open_plain(sdk::Setup& setup) {
  return std::shared_ptr<ports::CodeHost>(std::make_shared<PlainCodeHost>(*setup.http(), kUrl));
}

const auto kPlain = sdk::table<ports::CodeHost, open_plain>({});

class PluggedFixture final : public conformance::CodeHostFixture {
 public:
  ports::CodeHost& port() override { return *host_; }
  bool reopen() override { return false; }

 private:
  Silence log_;
  plugin_host::HostTable table_{"org.example.plain", "org.example.plain", {clock, log_, nullptr, &upstream}};
  std::unique_ptr<ports::CodeHost> host_ =
      plugin_host::open_port<ports::CodeHost>(kPlain, table_, R"({"base_url":"https://plain.example"})").value();
};

[[maybe_unused]] const bool kRegistered =
    register_contract<conformance::CodeHostFixture>("PlainCodeHost", conformance::code_host_suite(),
                                                    [] { return std::make_unique<PlainFixture>(); }) &&
    register_contract<conformance::CodeHostFixture>("PluggedCodeHost", conformance::code_host_suite(),
                                                    [] { return std::make_unique<PluggedFixture>(); });

}  // namespace
}  // namespace kbase::tests
