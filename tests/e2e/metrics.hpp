// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {

/// Returns the address of the admin listener of the base's last server, from the log. Fails the test if the log has
/// none.
std::string admin_url(const KnowledgeBase& base);

/// Returns the value of a series, named as in the exposition; -1 if it is absent.
double value_of(const std::string& exposition, const std::string& series);

}  // namespace kbase::tests
