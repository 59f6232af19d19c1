// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {

/// Where the admin listener of the base's last server is, as its log says. Fails the test where it does not.
std::string admin_url(const KnowledgeBase& base);

/// The value of a series, given as it stands in the exposition; -1: there is none.
double value_of(const std::string& exposition, const std::string& series);

}  // namespace kbase::tests
