// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "ports/driven/look_up_counts.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::runtime {

/// Counts user look-ups by outcome. Thread-safe.
class MeteredLookUps final : public ports::LookUpCounts {
 public:
  /// `metrics` must outlive this object.
  explicit MeteredLookUps(ports::Metrics& metrics);

  void count(ports::LookUpEnd end) noexcept override { counters_[static_cast<std::size_t>(end)]->add(); }

 private:
  static constexpr std::size_t kEnds = static_cast<std::size_t>(ports::LookUpEnd::Cancelled) + 1;
  std::array<ports::Counter*, kEnds> counters_;
};

}  // namespace kbase::runtime
