// SPDX-License-Identifier: Apache-2.0
#include "adapters/github/github_code_host.hpp"
#include "plugins/code_host/open_code_host.hpp"

namespace kbase::github {
namespace {

constexpr auto kSettings = code_host::settings_schema(
    R"("default": "https://api.github.com", "description": "URL of the REST API: https://api.github.com, or https://HOST/api/v3 for a GitHub Enterprise Server.")");

const auto kHost =
    sdk::table<ports::CodeHost, code_host::open_code_host<GithubCodeHost>>({.config_schema = kSettings.data()});

const void* get_port(const char* id) { return sdk::port(id, kHost); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.github", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::github

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::github::kPlugin; }
