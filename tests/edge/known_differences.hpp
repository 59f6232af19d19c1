// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kbase::tests {

/// Reason for which one of the two parsers rejects what the other accepts.
struct KnownDifference {
  std::string why;                 ///< prefix of Reading::why
  std::vector<std::string> signs;  ///< the lower-cased bytes must contain one of these; empty: any bytes
  std::string reason;
};

const std::vector<KnownDifference>& only_we_refuse();
const std::vector<KnownDifference>& only_llhttp_refuses();

/// Returns the difference that explains this rejection of these bytes; nullptr if no difference does.
const KnownDifference* known_difference(const std::vector<KnownDifference>& differences, const std::string& why,
                                        const std::string& bytes);

}  // namespace kbase::tests
