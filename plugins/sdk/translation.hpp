// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Conversion between the ports' values and the structs of the C header. Host and plugin both use both directions.
/// Which member of a struct corresponds to which member of a value is in generated/fields.hpp.
#include "plugins/sdk/from_c.hpp"
#include "plugins/sdk/generated/fields.hpp"
#include "plugins/sdk/to_c.hpp"
