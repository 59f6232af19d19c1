// SPDX-License-Identifier: Apache-2.0
#include "adapters/anthropic/anthropic_language_model.hpp"
#include "plugins/language_model/open_language_model.hpp"

namespace kbase::anthropic {
namespace {

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "base_url": {"type": "string", "minLength": 1, "default": "https://api.anthropic.com/v1",
      "description": "Base URL of the service's API, usually ending with /v1. /messages is appended."},
    "api_key": {"type": "string", "writeOnly": true, "default": "",
      "description": "API key, sent as x-api-key. Empty: no key is sent, for servers without keys."}}})";

const auto kModel =
    sdk::table<ports::LanguageModel, language_model::open_language_model<AnthropicLanguageModel, Options>>(
        {.config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kModel); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.anthropic", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::anthropic

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::anthropic::kPlugin; }
