// SPDX-License-Identifier: Apache-2.0
#include "app/config/schema.hpp"

#include "app/config/schema_json.hpp"

namespace kbase::config {

nlohmann::ordered_json host_schema() { return nlohmann::ordered_json::parse(kSchemaJson); }

}  // namespace kbase::config
