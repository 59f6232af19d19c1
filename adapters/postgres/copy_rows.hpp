// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/postgres/wire.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"

namespace kbase::postgres {

/// The rows of a COPY ... FROM STDIN (FORMAT binary), as the page of COPY defines them under "Binary Format".
class CopyRows {
 public:
  /// A row with the columns of `items` in their order; copies all it is lent.
  void add(const model::ItemView& item, model::Revision revision);

  std::size_t bytes() const { return bytes_.size(); }
  bool empty() const;

  /// All rows with head and end; the next add begins anew.
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
