// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace kbase::prometheus {

/// Returns the standard process metrics (prometheus.io, "Writing client libraries", section "Process metrics"), read
/// from /proc. Omits metrics that cannot be read.
std::vector<::prometheus::MetricFamily> read_process_metrics();

}  // namespace kbase::prometheus
