// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kbase::tests {

/// A reason that one of two parsers has to refuse what the other takes.
struct KnownDifference {
  std::string why;                 ///< the start of Reading::why
  std::vector<std::string> signs;  ///< one of them is in the bytes, in lower case; empty: nothing there is needed
  std::string reason;
};

const std::vector<KnownDifference>& only_we_refuse();
const std::vector<KnownDifference>& only_llhttp_refuses();

/// The difference that these bytes and this refusal are an example of; nullptr: none.
const KnownDifference* known_difference(const std::vector<KnownDifference>& differences, const std::string& why,
                                        const std::string& bytes);

}  // namespace kbase::tests
