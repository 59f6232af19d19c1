// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace kbase::tests {

/// Returns a schema of KBASE_TEST_DATA/llm, such as "openai-request"; nullopt: this machine does not have the data.
std::optional<std::string> llm_schema(const std::string& name);

/// Validates a JSON text against a JSON Schema and returns the first error, or "". Supports the keywords that the
/// schemas of language models use: $ref, type, const, enum, required, properties, additionalProperties: false, items,
/// anyOf.
std::string schema_error(const std::string& json, const std::string& schema);

}  // namespace kbase::tests
