// SPDX-License-Identifier: Apache-2.0
// Changes of the content by clients with the scope `write`.

#include <array>

#include "adapters/http/json_writer.hpp"
#include "adapters/http/negotiation.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/http/routes.hpp"
#include "adapters/http/syntax.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"
#include "domain/model/ids.hpp"

namespace kbase::http {
namespace {

using ports::WriteOutcome;

std::string_view name_of(WriteOutcome outcome) {
  return outcome == WriteOutcome::Created ? "created" : outcome == WriteOutcome::Changed ? "changed" : "unchanged";
}

/// The parameters of get_item() with their defaults, on which the entity tag depends.
Result<std::string> read_item_id(const EndpointContext& context, Parameters& parameters) {
  auto id = read_path_id(context, parameters, "item");
  if (id) Fields::read(parameters, kItemFields);
  return id;
}

/// Calls `write` with the condition that the header fields of the request make.
Result<ports::WriteReport> write_if_permitted(
    const EndpointContext& context, const Parameters& parameters,
    FunctionRef<Result<ports::WriteReport>(ports::WriteCondition condition)> write) {
  return write([&](std::optional<model::Revision> stored) {
    return may_change(context.request,
                      stored ? std::optional(make_item_tag(context, parameters, *stored)) : std::nullopt);
  });
}

Reply make_refusal(const EndpointContext& context) {
  return make_reply(make_problem(HttpStatus::Precondition_Failed), context.now);
}

/// Reports an error that no parameter causes as one of the body.
Result<Reply> refuse_body(const EndpointContext& context, const Error& error) {
  if (error.code != ErrorCode::InvalidArgument || !error.parameter.empty()) return error;
  return make_reply(make_invalid_body(error.message), context.now);
}

}  // namespace

Result<Reply> put_item(const EndpointContext& context) {
  Parameters parameters("item", {});
  const auto id = KBASE_TRY(read_item_id(context, parameters));
  const auto written = write_if_permitted(context, parameters, [&](ports::WriteCondition condition) {
    return context.services.writing.put_item(context.call, id, context.request.body(), condition);
  });
  if (!written) return refuse_body(context, written.error());
  const ports::WriteReport& report = *written;
  if (report.outcome == WriteOutcome::NotPermitted) return make_refusal(context);
  Reply reply;
  reply.status = report.outcome == WriteOutcome::Created ? HttpStatus::Created : HttpStatus::Ok;
  reply.entity_tag = make_item_tag(context, parameters, report.revision);
  JsonWriter json(reply.body);
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key("id").text(id).key("outcome").text(name_of(report.outcome)).end_object().end_object();
  return reply;
}

Result<Reply> delete_item(const EndpointContext& context) {
  Parameters parameters("item", {});
  const auto id = KBASE_TRY(read_item_id(context, parameters));
  const auto report = KBASE_TRY(write_if_permitted(context, parameters, [&](ports::WriteCondition condition) {
    return context.services.writing.remove_item(context.call, id, condition);
  }));
  if (report.outcome == WriteOutcome::NotPermitted) return make_refusal(context);
  Reply reply;
  reply.status = HttpStatus::No_Content;
  return reply;
}

/// Imports the body.
Result<Reply> post_import(const EndpointContext& context) {
  Parameters parameters("import", context.query);
  ports::ImportRequest request;
  request.source = parameters.read_text("source").value_or(std::string());
  request.is_archive = has_archive_body(context.request);
  request.prune = parameters.read_boolean("prune", false);
  request.dry_run = parameters.read_boolean("dry_run", false);
  constexpr std::array<std::string_view, 2> kOnError = {"stop", "skip"};
  request.on_error = parameters.read_choice("on_error", kOnError) == 1 ? ports::OnError::Skip : ports::OnError::Stop;
  request.take_over = parameters.read_boolean("take_over", false);
  request.prefix = parameters.read_text("prefix").value_or(std::string());
  request.map = parameters.read_texts("map");
  constexpr std::array<std::string_view, 3> kPageIds = {"auto", "path", "name"};
  constexpr std::array<ports::PageIdChoice, 3> kPageIdChoices = {
      ports::PageIdChoice::AsBefore, ports::PageIdChoice::ByPath, ports::PageIdChoice::ByName};
  request.page_ids = kPageIdChoices[parameters.read_choice("ids", kPageIds)];
  const std::uint64_t prune_limit = parameters.read_integer("prune_limit", request.prune_limit_percent);
  if (parameters.error()) return *parameters.error();
  if (prune_limit > 100) return invalid_argument("prune_limit", "prune_limit must be at most 100");
  request.prune_limit_percent = static_cast<unsigned>(prune_limit);
  if (request.source.empty())
    return invalid_argument("source", "source is required: the name that owns the items, such as docs");
  if (!model::id_defect(request.source).empty())
    return invalid_argument("source", "source must have at most 256 bytes and no control characters");
  if (!request.prefix.empty() && !model::id_defect(request.prefix).empty())
    return invalid_argument("prefix", "prefix must have at most 256 bytes and no control characters");
  if (!request.is_archive && (!request.prefix.empty() || request.page_ids != ports::PageIdChoice::AsBefore))
    return invalid_argument("prefix", "prefix and ids are for the pages of an archive, and the body has JSON Lines");
  if (request.is_archive && !request.map.empty())
    return invalid_argument("map", "map is for JSON Lines, and the body is an archive of pages");
  const auto next = [&context]() -> Result<std::string> {
    return context.upload != nullptr ? context.upload->read(context.call) : Result<std::string>(std::string());
  };
  const auto result = context.services.writing.import(context.call, next, request);
  if (!result && context.upload != nullptr)
    if (const auto refusal = context.upload->refusal())
      return make_reply(make_problem(static_cast<HttpStatus>(refusal->status), std::string(refusal->message)),
                        context.now);
  if (!result) return refuse_body(context, result.error());
  Reply reply;
  JsonWriter json(reply.body);
  const ports::ImportReport& report = result->report;
  json.begin_object().key("success").boolean(true).key("data").begin_object();
  json.key("added").number(report.added).key("changed").number(report.changed);
  json.key("unchanged").number(report.unchanged).key("removed").number(report.removed);
  json.key("rejected").number(report.rejected).key("categories").number(report.categories);
  json.key("activity").number(report.activity).key("synonyms").number(report.synonyms);
  json.key("missing").number(report.missing).key("rejections").begin_array();
  for (const ports::Rejection& each : result->rejections)
    json.begin_object()
        .key("file")
        .text(each.file)
        .key("line")
        .number(each.line)
        .key("reason")
        .text(each.reason)
        .end_object();
  json.end_array().key("notes").begin_array();
  for (const std::string& note : result->notes) json.text(note);
  json.end_array().end_object().end_object();
  return reply;
}

}  // namespace kbase::http
