// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/metered_look_ups.hpp"

#include <algorithm>
#include <string_view>

namespace kbase::runtime {

MeteredLookUps::MeteredLookUps(ports::Metrics& metrics) {
  // In the order of ports::LookUpEnd.
  constexpr std::array<std::string_view, kEnds> kOutcomes = {"kept",    "told",    "confirmed", "stood_in",
                                                             "unknown", "refused", "failed",    "cancelled"};
  std::transform(kOutcomes.begin(), kOutcomes.end(), counters_.begin(), [&](std::string_view outcome) {
    return &metrics.counter("kbase_codehost_look_ups_total", "Look-ups of users, by what became of them.",
                            {{"outcome", outcome}});
  });
}

}  // namespace kbase::runtime
