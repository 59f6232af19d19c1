// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"
#include "tests/plugins/code_host/plain_code_host.hpp"

namespace {

namespace model = kbase::model;
namespace ports = kbase::ports;
namespace sdk = kbase::sdk;

constexpr char kSettings[] = R"({"type": "object", "additionalProperties": false, "required": ["base_url"],
  "properties": {"base_url": {"type": "string"}, "token": {"type": "string", "writeOnly": true}}})";

sdk::Opened<ports::CodeHost> open_plain(sdk::Setup& setup) {
  if (setup.http() == nullptr) return kbase::invalid_argument("base_url", "There is no service to ask.");
  return std::shared_ptr<ports::CodeHost>(
      std::make_shared<kbase::tests::PlainCodeHost>(*setup.http(), setup.settings().text("base_url", "")));
}

const auto kPlain = sdk::table<ports::CodeHost, open_plain>({.config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kPlain); }

constexpr kb_plugin kPlugin = sdk::descriptor("org.example.plain-host", "1.0.0", "Example", "Apache-2.0", get_port);

}  // namespace

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kPlugin; }
