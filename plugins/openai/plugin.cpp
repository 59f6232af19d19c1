// SPDX-License-Identifier: Apache-2.0
#include "adapters/openai/openai_language_model.hpp"
#include "plugins/language_model/open_language_model.hpp"

namespace kbase::openai {
namespace {

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "properties": {
    "base_url": {"type": "string", "minLength": 1, "default": "https://api.openai.com/v1",
      "description": "Base URL of the service's API, usually ending with /v1. /chat/completions is appended."},
    "api_key": {"type": "string", "writeOnly": true, "default": "",
      "description": "API key, sent as a bearer token. Empty: no key is sent, for servers without keys."},
    "token_limit": {"type": "string", "enum": ["auto", "max_tokens", "max_completion_tokens"], "default": "auto",
      "description": "Request member that limits the tokens of a completion. auto: max_completion_tokens for api.openai.com, max_tokens for other servers."},
    "stream_usage": {"type": "boolean", "default": true,
      "description": "Request token counts for streams. Set to false if the service refuses that; kbase then estimates the counts from the text."}}})";

Options::TokenLimit parse_token_limit(const std::string& name, const std::string& base_url) {
  const bool is_auto = name == "auto" && base_url.find("://api.openai.com") != std::string::npos;
  return is_auto || name == "max_completion_tokens" ? Options::TokenLimit::MaxCompletionTokens
                                                    : Options::TokenLimit::MaxTokens;
}

sdk::Opened<ports::LanguageModel> open_model(sdk::Setup& setup) {
  auto options = language_model::read_access_settings<Options>(setup.settings());
  options.token_limit = parse_token_limit(setup.settings().text("token_limit", "auto"), options.base_url);
  options.requests_usage = setup.settings().flag("stream_usage", options.requests_usage);
  return language_model::open_with<OpenAiLanguageModel>(setup, options);
}

const auto kModel = sdk::table<ports::LanguageModel, open_model>({.config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kModel); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.openai", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::openai

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::openai::kPlugin; }
