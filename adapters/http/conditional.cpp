// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/conditional.hpp"

#include "adapters/http/entity_tag.hpp"
#include "adapters/http/negotiation.hpp"

namespace kbase::http {

std::string tag_of(const Context& context, const ports::Validator& validator, std::string_view canonical_request) {
  return entity_tag(context.edition, validator, canonical_request);
}

bool is_known(const Context& context, std::string_view entity_tag) {
  return lists_entity_tag(context.request, entity_tag);
}

Answer not_modified(std::string entity_tag) {
  Answer answer;
  answer.status = Status::Not_Modified;
  answer.entity_tag = std::move(entity_tag);
  answer.caching = Answer::Caching::Revalidate;
  return answer;
}

Answer ok(const Context& context, std::string body, std::string entity_tag) {
  if (is_known(context, entity_tag) || lists_any_entity(context.request)) return not_modified(std::move(entity_tag));
  Answer answer;
  answer.body = std::move(body);
  answer.entity_tag = std::move(entity_tag);
  answer.caching = Answer::Caching::Revalidate;
  return answer;
}

Answer prepared_answer(const Request& request, const PreparedBody& prepared) {
  if (lists_entity_tag(request, prepared.entity_tag) || lists_any_entity(request))
    return not_modified(prepared.entity_tag);
  Answer answer;
  answer.prepared = &prepared;
  answer.entity_tag = prepared.entity_tag;
  answer.caching = Answer::Caching::Revalidate;
  return answer;
}

model::Result<Answer> ok_data(const Context& context, const model::Result<ports::Validator>& validator,
                              std::string_view canonical_request,
                              model::FunctionRef<model::Status(JsonWriter&)> write_data) {
  std::string tag = validator ? tag_of(context, *validator, canonical_request) : std::string();
  if (validator && is_known(context, tag)) return not_modified(std::move(tag));
  // Without a validator, compute the data anyway: errors of the request are reported before errors of the validator.
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("success").boolean(true).key("data");
  if (const model::Status written = write_data(json); !written) return written.error();
  if (!validator) return validator.error();
  json.end_object();
  return ok(context, std::move(body), std::move(tag));
}

}  // namespace kbase::http
