// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/records/item_rows.hpp"
#include "adapters/sqlite/connection.hpp"

namespace kbase::sqlite {

using SummaryRow = records::SummaryRow<Statement>;
using ItemRow = records::ItemRow<Statement>;
using CategoryRow = records::CategoryRow<Statement>;

}  // namespace kbase::sqlite
