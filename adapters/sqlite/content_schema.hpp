// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/sqlite/database.hpp"

namespace kbase::sqlite {

/// The tables of content.db; it views constants.
const Schema& content_schema();

}  // namespace kbase::sqlite
