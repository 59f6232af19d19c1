// SPDX-License-Identifier: Apache-2.0
#include "adapters/openai/openai_language_model.hpp"
#include "plugins/language_model/open_language_model.hpp"

namespace kbase::openai {
namespace {

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "base_url": {"type": "string", "minLength": 1, "default": "https://api.openai.com/v1",
      "description": "Where the service's API begins: /chat/completions is added. Usually ends with /v1."},
    "api_key": {"type": "string", "writeOnly": true, "default": "",
      "description": "Sent as a bearer token. Empty: none is sent, for servers without keys."},
    "token_limit": {"type": "string", "enum": ["auto", "max_tokens", "max_completion_tokens"], "default": "auto",
      "description": "The member that bounds the tokens of a completion. auto: max_completion_tokens at api.openai.com, max_tokens elsewhere."},
    "stream_usage": {"type": "boolean", "default": true,
      "description": "Ask streams for their tokens. false: for a service that refuses that; tokens are then estimated from the text."}}})";

Options::TokenLimit token_limit_of(const std::string& name, const std::string& base_url) {
  const bool is_auto = name == "auto" && base_url.find("://api.openai.com") != std::string::npos;
  return is_auto || name == "max_completion_tokens" ? Options::TokenLimit::MaxCompletionTokens
                                                    : Options::TokenLimit::MaxTokens;
}

sdk::Opened<ports::LanguageModel> open_model(sdk::Setup& setup) {
  auto options = language_model::access_of<Options>(setup.settings());
  options.token_limit = token_limit_of(setup.settings().text("token_limit", "auto"), options.base_url);
  options.asks_for_usage = setup.settings().flag("stream_usage", options.asks_for_usage);
  return language_model::opened<OpenAiLanguageModel>(setup, options);
}

const auto kModel = sdk::table<ports::LanguageModel, open_model>({.config_schema = kSettings});

const void* get_port(const char* id) {
  return sdk::port(id, kModel);
}

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.openai", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::openai

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept {
  return &kbase::openai::kPlugin;
}
