// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/answer.hpp"
#include "adapters/http/json_writer.hpp"
#include "adapters/http/route.hpp"
#include "domain/model/function_ref.hpp"
#include "ports/driving/validator.hpp"

/// Conditional requests (RFC 9110 section 13).
namespace kbase::http {

std::string tag_of(const Context& context, const ports::Validator& validator, std::string_view canonical_request);

/// Returns whether the client has the reply with this tag, so that it need not be computed.
bool is_known(const Context& context, std::string_view entity_tag);

Answer not_modified(std::string entity_tag);

/// Returns 200 with `body`, or 304 if the client has it.
Answer ok(const Context& context, std::string body, std::string entity_tag);

/// Returns 200 with a prepared body, or 304 if the client has it. `prepared` must outlive the reply.
Answer prepared_answer(const Request& request, const PreparedBody& prepared);

/// Returns 200 with {"success":true,"data":…}, where `write_data` writes the data. If the client has the data, returns
/// 304 without calling `write_data`.
model::Result<Answer> ok_data(const Context& context, const model::Result<ports::Validator>& validator,
                              std::string_view canonical_request,
                              model::FunctionRef<model::Status(JsonWriter&)> write_data);

}  // namespace kbase::http
