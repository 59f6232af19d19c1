// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/postgres/wire.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"

namespace kbase::postgres {

/// Rows for COPY ... FROM STDIN (FORMAT binary), in the format of the COPY manual page, section "Binary Format".
class CopyRows {
 public:
  /// Appends a row with the columns of `items` in table order. Copies all data.
  void add(const model::ItemView& item, model::Revision revision);

  std::size_t bytes() const { return bytes_.size(); }
  bool empty() const;

  /// Returns all rows with header and trailer, valid until the next add, which starts a new set of rows.
  std::string_view done();

 private:
  void add(std::string_view bytes);
  void add(std::int64_t number);
  void add(model::Day day);
  void add(model::TextList list);

  std::string bytes_;
  bool is_done_ = true;
};

}  // namespace kbase::postgres
