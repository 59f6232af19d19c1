// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

namespace kbase::prometheus {

/// What every Prometheus client tells of its process, under the names they agreed on (prometheus.io, "Writing client
/// libraries", process metrics), as /proc has it. What cannot be read is left out.
std::vector<::prometheus::MetricFamily> process_families();

}  // namespace kbase::prometheus
