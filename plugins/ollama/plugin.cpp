// SPDX-License-Identifier: Apache-2.0
#include "adapters/ollama/ollama_language_model.hpp"
#include "plugins/language_model/open_language_model.hpp"

namespace kbase::ollama {
namespace {

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "base_url": {"type": "string", "minLength": 1, "default": "http://127.0.0.1:11434",
      "description": "URL of the server. /api/chat is appended."},
    "api_key": {"type": "string", "writeOnly": true, "default": "",
      "description": "Sent as a bearer token, for a proxy that requires one; Ollama has no keys. Empty: no token is sent."}}})";

const auto kModel = sdk::table<ports::LanguageModel, language_model::open_language_model<OllamaLanguageModel, Options>>(
    {.config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kModel); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.ollama", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::ollama

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::ollama::kPlugin; }
