// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/call_external.hpp"

namespace kbase::usecases {
namespace {

model::Error disabled(std::string_view service) {
  return {model::ErrorCode::Unavailable, std::string(service) + " is not enabled on this server", {}, {}, {}};
}

}  // namespace

model::Status CallExternal::complete(ports::Call&, const ports::CompletionRequest& request) {
  if (request.prompt.empty()) return model::invalid_argument("prompt", "prompt must not be empty");
  if (request.model && request.model->empty()) return model::invalid_argument("model", "model must not be empty");
  if (request.max_tokens && *request.max_tokens < 1)
    return model::invalid_argument("max_tokens", "max_tokens must be at least 1");
  // Written so that NaN is refused too.
  if (request.temperature && !(*request.temperature >= 0 && *request.temperature <= 2))
    return model::invalid_argument("temperature", "temperature must be from 0 to 2");
  return disabled("the language-model service");
}

}  // namespace kbase::usecases
