// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace kbase::tests {

/// A shape of KBASE_TEST_DATA/llm, "openai-request"; nullopt: this machine has no such data.
std::optional<std::string> llm_schema(const std::string& name);

/// What is wrong with a JSON text by a JSON Schema, as far as the shapes of language models use it: $ref, type, const,
/// enum, required, properties, additionalProperties: false, items, anyOf. "": nothing.
std::string misfit(const std::string& json, const std::string& schema);

}  // namespace kbase::tests
