// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/parameters.hpp"
#include "adapters/http/routes.hpp"

namespace kbase::http {
namespace {

/// The cached data are JSON and are copied without parsing.
Answer answer_of(const ports::UserAnswer& user) {
  constexpr std::string_view kBefore = R"({"success":true,"data":)";
  Answer answer;
  answer.body.reserve(kBefore.size() + user.text.size() + 1);
  answer.body.append(kBefore).append(user.text).append("}");
  if (user.age) add_field(answer.fields, "Age", std::to_string(user.age->count()));
  return answer;
}

}  // namespace

std::optional<ports::UserAnswer> kept_user(const Services& services, std::string_view segment) {
  Parameters parameters("codehost", {});
  const std::string username = parameters.path_segment("username", segment);
  if (parameters.error()) return std::nullopt;
  return services.users.kept(username);
}

model::Result<Answer> get_codehost_user(const Context& context) {
  if (context.kept) return answer_of(*context.kept);
  Parameters parameters("codehost", context.query);
  const std::string username = parameters.path_segment("username", context.segment);
  if (parameters.error()) return *parameters.error();
  const ports::Admission& admission = context.admission;
  const ports::ExternalClient client{admission.client_id.value_or(model::ClientId{}), admission.has_key};
  const auto user = context.services.users.look_up(context.call, client, username);
  if (!user) return user.error();
  return answer_of(*user);
}

}  // namespace kbase::http
