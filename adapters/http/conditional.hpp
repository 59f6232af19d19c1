// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/answer.hpp"
#include "adapters/http/json_writer.hpp"
#include "adapters/http/route.hpp"
#include "domain/model/function_ref.hpp"
#include "ports/driving/validator.hpp"

/// Answers that a client may have already (RFC 9110 section 13).
namespace kbase::http {

std::string tag_of(const Context& context, const ports::Validator& validator, std::string_view canonical_request);

/// Whether the client has the answer of this tag, so that it need not be computed.
bool is_known(const Context& context, std::string_view entity_tag);

Answer not_modified(std::string entity_tag);

/// 200 with this body; 304 where the client has it.
Answer ok(const Context& context, std::string body, std::string entity_tag);

/// The same of a body that is always there, which outlives the answer.
Answer prepared_answer(const Request& request, const PreparedBody& prepared);

/// 200 with {"success":true,"data":…}, whose data `write_data` writes unless the client has them.
model::Result<Answer> ok_data(const Context& context, const model::Result<ports::Validator>& validator,
                              std::string_view canonical_request,
                              model::FunctionRef<model::Status(JsonWriter&)> write_data);

}  // namespace kbase::http
