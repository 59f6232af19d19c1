// SPDX-License-Identifier: Apache-2.0
#include "adapters/gitea/gitea_code_host.hpp"
#include "plugins/code_host/open_code_host.hpp"

namespace kbase::gitea {
namespace {

constexpr auto kSettings = code_host::settings_schema(
    R"("default": "https://gitea.com", "description": "URL of the Gitea or Forgejo site, such as https://gitea.com or https://codeberg.org.")");

const auto kHost =
    sdk::table<ports::CodeHost, code_host::open_code_host<GiteaCodeHost>>({.config_schema = kSettings.data()});

const void* get_port(const char* id) { return sdk::port(id, kHost); }

constexpr kb_plugin kPlugin = sdk::descriptor("org.kbase.gitea", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::gitea

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::gitea::kPlugin; }
