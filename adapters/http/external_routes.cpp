// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/completion_body.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/routes.hpp"

namespace kbase::http {
namespace {

/// A service that is asked answers with a document; while none does, its status is all there is to tell.
model::Result<Answer> answer_after(const model::Status& asked) {
  if (!asked) return asked.error();
  return model::Error{model::ErrorCode::Unavailable, "This service gives no answers yet.", {}, {}, {}};
}

}  // namespace

model::Result<Answer> get_codehost_user(const Context& context) {
  Parameters parameters("codehost", context.query);
  const std::string username = parameters.path_segment("username", context.segment);
  if (parameters.error()) return *parameters.error();
  return answer_after(context.services.external.codehost_user(context.call, username));
}

model::Result<Answer> post_completion(const Context& context) {
  const auto parsed = parse_completion_body(context.request.body());
  if (const auto* problem = std::get_if<Problem>(&parsed)) return answer_of(*problem, context.now);
  const auto& body = std::get<CompletionBody>(parsed);
  return answer_after(context.services.external.complete(context.call, body.request()));
}

}  // namespace kbase::http
