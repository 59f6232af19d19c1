// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/chat.hpp"

#include <nlohmann/json.hpp>

namespace kbase::language_model {

using Json = nlohmann::json;

Json chat_of(const ports::Prompt& prompt) {
  return {{"model", prompt.model},
          {"messages", Json::array({{{"role", "user"}, {"content", prompt.text}}})},
          {"stream", prompt.is_stream}};
}

std::string text_of(const Json& request) {
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kbase::language_model
