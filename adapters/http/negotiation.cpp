// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/negotiation.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "adapters/http/syntax.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"

namespace kbase::http {
namespace {

/// Returns whether the parameters after the first `;` of an element contain a weight of zero: q=0, q=0.0, q=0.000.
bool has_zero_weight(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    const std::string_view parameter = trim(parameters.substr(0, end));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
    if (parameter.size() < 3 || !equals_lower(parameter.substr(0, 2), "q=")) continue;
    return parameter.find_first_not_of("0.", 2) == std::string_view::npos;
  }
  return false;
}

std::string_view strip_weak_prefix(std::string_view entity_tag) {
  return entity_tag.starts_with("W/") ? entity_tag.substr(2) : entity_tag;
}

std::string_view strip_parameters(std::string_view element) { return trim(element.substr(0, element.find(';'))); }

constexpr std::size_t kNumbersBytes = 4 * sizeof(std::uint64_t);
constexpr std::size_t kTagBytes = 4 + 2 * sizeof(XXH128_canonical_t);

void append_number(std::string& text, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) text += static_cast<char>((number >> shift) & 0xFF);
}

bool has_type(const Request& request, std::span<const std::string_view> types) {
  const auto field = request.field("content-type");
  return field && std::find(types.begin(), types.end(), ascii::to_lower(strip_parameters(*field))) != types.end();
}

}  // namespace

bool accepts_gzip(const Request& request) {
  std::optional<bool> named;
  bool any = false;
  request.each_field("accept-encoding", [&](std::string_view list) {
    while (!list.empty()) {
      const std::string_view element = next_element(list);
      const std::string_view coding = strip_parameters(element);
      const std::size_t parameters = std::min(element.find(';'), element.size());
      const bool wanted = !has_zero_weight(element.substr(parameters));
      if (equals_lower(coding, "gzip") || equals_lower(coding, "x-gzip")) named = wanted;
      if (coding == "*") any = wanted;
    }
  });
  return named.value_or(any);
}

namespace {

/// Whether the field `name`, a list of entity tags, contains `entity_tag` by weak comparison.
bool field_lists(const Request& request, std::string_view name, std::string_view entity_tag) {
  bool listed = false;
  request.each_field(name, [&](std::string_view list) {
    while (!list.empty() && !listed) listed = strip_weak_prefix(next_element(list)) == strip_weak_prefix(entity_tag);
  });
  return listed;
}

}  // namespace

bool lists_entity_tag(const Request& request, std::string_view entity_tag) {
  return field_lists(request, "if-none-match", entity_tag);
}

bool may_change(const Request& request, const std::optional<std::string>& entity_tag) {
  const bool is_any = request.field("if-match") == "*";
  if (request.field("if-match") && !(entity_tag && (is_any || field_lists(request, "if-match", *entity_tag))))
    return false;
  return !entity_tag || !(lists_any_entity(request) || lists_entity_tag(request, *entity_tag));
}

bool lists_any_entity(const Request& request) { return request.field("if-none-match") == "*"; }

bool has_json_body(const Request& request) {
  if (const auto coding = request.field("content-encoding"); coding && !equals_lower(*coding, "identity")) return false;
  const auto field = request.field("content-type");
  if (!field) return true;
  const std::string type = ascii::to_lower(strip_parameters(*field));
  return type == "application/json" || (type.starts_with("application/") && type.ends_with("+json"));
}

bool has_json_lines_body(const Request& request) {
  const auto coding = request.field("content-encoding");
  if (coding && !equals_lower(*coding, "identity") && !equals_lower(*coding, "gzip")) return false;
  // The first is the name in use; the others are what programs send (no name is registered).
  constexpr std::array<std::string_view, 6> kTypes = {"application/x-ndjson", "application/ndjson",
                                                      "application/jsonl",    "application/x-jsonlines",
                                                      "application/json",     "application/gzip"};
  return !request.field("content-type") || has_type(request, kTypes);
}

bool has_archive_body(const Request& request) {
  constexpr std::array<std::string_view, 3> kTypes = {"application/x-tar", "application/x-gtar", "application/zip"};
  return !request.field("content-encoding") && has_type(request, kTypes);
}

std::string make_entity_tag(std::string_view edition, const ports::Validator& validator,
                            std::string_view canonical_request) {
  std::string state;
  state.reserve(2 * validator.store_id.size() + kNumbersBytes + edition.size() + canonical_request.size());
  state.append(validator.store_id.begin(), validator.store_id.end());
  state.append(validator.index_store_id.begin(), validator.index_store_id.end());
  append_number(state, validator.content_revision);
  append_number(state, validator.index_revision);
  append_number(state, validator.views_revision);
  append_number(state, validator.synonyms);
  append_number(state, edition.size());
  state.append(edition).append(canonical_request);

  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(state.data(), state.size()));
  std::string tag;
  tag.reserve(kTagBytes);
  tag += "W/\"";
  append_hex(tag, hash.digest);
  return tag += '"';
}

std::string make_entity_tag(const EndpointContext& context, const ports::Validator& validator,
                            std::string_view canonical_request) {
  return make_entity_tag(context.edition, validator, canonical_request);
}

bool is_cached_by_client(const EndpointContext& context, std::string_view entity_tag) {
  return lists_entity_tag(context.request, entity_tag);
}

Reply make_not_modified(std::string entity_tag) {
  Reply reply;
  reply.status = HttpStatus::Not_Modified;
  reply.entity_tag = std::move(entity_tag);
  reply.caching = Reply::Caching::Revalidate;
  return reply;
}

Reply make_ok_reply(const EndpointContext& context, std::string body, std::string entity_tag) {
  if (is_cached_by_client(context, entity_tag) || lists_any_entity(context.request))
    return make_not_modified(std::move(entity_tag));
  Reply reply;
  reply.body = std::move(body);
  reply.entity_tag = std::move(entity_tag);
  reply.caching = Reply::Caching::Revalidate;
  return reply;
}

Reply make_prepared_reply(const Request& request, const PreparedBody& prepared) {
  if (lists_entity_tag(request, prepared.entity_tag) || lists_any_entity(request))
    return make_not_modified(prepared.entity_tag);
  Reply reply;
  reply.prepared = &prepared;
  reply.entity_tag = prepared.entity_tag;
  reply.caching = Reply::Caching::Revalidate;
  return reply;
}

Result<Reply> make_data_reply(const EndpointContext& context, const Result<ports::Validator>& validator,
                              std::string_view canonical_request, FunctionRef<Status(JsonWriter&)> write_data) {
  std::string tag = validator ? make_entity_tag(context, *validator, canonical_request) : std::string();
  if (validator && is_cached_by_client(context, tag)) return make_not_modified(std::move(tag));
  // Without a validator, compute the data anyway: errors of the request are reported before errors of the validator.
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("success").boolean(true).key("data");
  KBASE_TRY(write_data(json));
  if (!validator) return validator.error();
  json.end_object();
  return make_ok_reply(context, std::move(body), std::move(tag));
}

}  // namespace kbase::http
