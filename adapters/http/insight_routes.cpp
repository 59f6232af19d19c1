// SPDX-License-Identifier: Apache-2.0
// What readers do with results and say of items, for the operator.
#include "adapters/http/insight_routes.hpp"

#include "adapters/http/json_body.hpp"
#include "adapters/http/json_writer.hpp"
#include "adapters/http/negotiation.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/representation.hpp"
#include "domain/base/result.hpp"

namespace kbase::http {

void note_search(const EndpointContext& context, std::string_view normalized, bool has_result) {
  if (normalized.empty() || context.is_head || !context.admission.client_id) return;
  context.services.insights->record_search(*context.admission.client_id, normalized, has_result);
}

std::string search_tag(std::string tag, bool has_result) {
  if (!has_result) tag.insert(tag.size() - 1, "-0");  // before the quotation mark
  return tag;
}

std::optional<Reply> find_cached_search(const EndpointContext& context, const std::string& tag,
                                        std::string_view normalized) {
  for (const bool has_result : {true, false}) {
    std::string cached = search_tag(tag, has_result);
    if (!is_cached_by_client(context, cached)) continue;
    note_search(context, normalized, has_result);
    return make_not_modified(std::move(cached));
  }
  return std::nullopt;
}

void note_click(const EndpointContext& context) {
  constexpr std::string_view kSearch = "search:";
  if (context.services.insights == nullptr || context.is_head || !context.admission.client_id) return;
  // A reader of its own, so that the parameter is not part of the entity tag.
  const auto from = Parameters("click", context.query).read_text("from");
  if (!from || !from->starts_with(kSearch)) return;
  context.services.insights->record_click(*context.admission.client_id, std::string_view(*from).substr(kSearch.size()));
}

Result<Reply> post_feedback(const EndpointContext& context) {
  ports::Insights* const insights = context.services.insights;
  if (insights == nullptr) return Error{ErrorCode::NotFound, "This knowledge base collects no feedback."};
  Parameters parameters("feedback", {});
  const auto id = KBASE_TRY(read_path_id(context, parameters, "item"));
  const auto parsed = parse_object(context.request.body());
  if (const auto* const problem = std::get_if<Problem>(&parsed)) return make_reply(*problem, context.now);
  MemberReader members(std::get<Json>(parsed));
  std::optional<bool> is_helpful;
  std::optional<std::string> comment;
  members.read_flag("helpful", is_helpful);
  members.read_text("comment", comment);
  if (members.error()) return *members.error();
  if (!is_helpful) return invalid_argument("helpful", "helpful is required: true or false");
  KBASE_TRY(context.services.catalog.item(context.call, id, [](const model::ItemView&) { return Visit::Stop; }));
  const model::ClientId client = context.admission.client_id.value_or(model::ClientId{});
  KBASE_TRY(insights->give_feedback(context.call, client, id, *is_helpful, comment.value_or(std::string())));
  Reply reply;
  reply.body = R"({"success":true,"data":{}})";
  return reply;
}

}  // namespace kbase::http
