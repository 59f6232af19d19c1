// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/sqlite/database.hpp"

namespace kbase::sqlite {

/// Schema of content.db. Views constants.
const Schema& content_schema();

}  // namespace kbase::sqlite
