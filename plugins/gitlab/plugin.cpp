// SPDX-License-Identifier: Apache-2.0
#include "adapters/gitlab/gitlab_code_host.hpp"
#include "plugins/code_host/open_code_host.hpp"

namespace kbase::gitlab {
namespace {

constexpr auto kSettings = code_host::settings_schema(
    R"("default": "https://gitlab.com", "description": "URL of the GitLab site, such as https://gitlab.com.")");

const auto kHost =
    sdk::table<ports::CodeHost, code_host::open_code_host<GitlabCodeHost>>({.config_schema = kSettings.data()});

const void* get_port(const char* id) { return sdk::port(id, kHost); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.gitlab", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::gitlab

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::gitlab::kPlugin; }
