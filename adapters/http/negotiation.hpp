// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/problem.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/http/request_parser.hpp"
#include "adapters/http/routes.hpp"
#include "domain/base/function_ref.hpp"
#include "ports/driving/validator.hpp"

/// Content negotiation and conditional requests (RFC 9110 sections 12 and 13).
namespace kbase::http {

/// Returns whether the client accepts gzip (RFC 9110 section 12.5.3): listed by name or by `*`, and not with q=0.
bool accepts_gzip(const Request& request);

/// Returns whether If-None-Match contains this entity tag, by weak comparison (RFC 9110 section 13.1.2).
bool lists_entity_tag(const Request& request, std::string_view entity_tag);

/// Returns whether a change of the resource may happen (RFC 9110 sections 13.1.1 and 13.1.2). `entity_tag`: of the
/// resource as it is; nullopt: it does not exist. If-Match compares weakly too: the tags of items are weak only because
/// their view counts may differ.
bool may_change(const Request& request, const std::optional<std::string>& entity_tag);

/// Returns whether If-None-Match is `*`, which matches any existing representation.
bool lists_any_entity(const Request& request);

/// Returns whether the body can be read: its Content-Type is JSON or absent, and it is not compressed.
bool has_json_body(const Request& request);

/// Returns whether the body can be read as JSON Lines, plain or with gzip: its Content-Type is one of theirs or absent.
bool has_json_lines_body(const Request& request);

/// Returns whether the body is an archive of files.
bool has_archive_body(const Request& request);

/// Returns a weak ETag: the XXH3 128-bit hash of the state that the reply was computed from, of the part of the request
/// that determines the reply, and of `edition`, which covers everything else (program version, search plugin and its
/// configuration). Equal on all servers with the same edition and the same content.
std::string make_entity_tag(std::string_view edition, const ports::Validator& validator,
                            std::string_view canonical_request);

std::string make_entity_tag(const EndpointContext& context, const ports::Validator& validator,
                            std::string_view canonical_request);

/// Returns whether the client has the reply with this tag, so that it need not be computed.
bool is_cached_by_client(const EndpointContext& context, std::string_view entity_tag);

Reply make_not_modified(std::string entity_tag);

/// Returns 200 with `body`, or 304 if the client has it.
Reply make_ok_reply(const EndpointContext& context, std::string body, std::string entity_tag);

/// Returns 200 with a prepared body, or 304 if the client has it. `prepared` must outlive the reply.
Reply make_prepared_reply(const Request& request, const PreparedBody& prepared);

/// Returns 200 with {"success":true,"data":…}, where `write_data` writes the data. If the client has the data, returns
/// 304 without calling `write_data`.
Result<Reply> make_data_reply(const EndpointContext& context, const Result<ports::Validator>& validator,
                              std::string_view canonical_request, FunctionRef<Status(JsonWriter&)> write_data);

}  // namespace kbase::http
