// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/parameters.hpp"

namespace kbase::postgres {

Parameters::Arrays Parameters::arrays() const {
  Arrays arrays;
  for (std::size_t i = 0; i < count_; ++i) {
    const Slot& slot = slots_[i];
    const char* const lent = slot.lent.data() != nullptr ? slot.lent.data() : "";  // a null pointer would be NULL
    arrays.types[i] = static_cast<std::uint32_t>(slot.type);
    arrays.values[i] = slot.is_null ? nullptr : slot.is_inline ? slot.own.data() : lent;
    arrays.lengths[i] = slot.is_inline ? slot.own_length : static_cast<int>(slot.lent.size());
    arrays.formats[i] = 1;
  }
  return arrays;
}

void Parameters::add_number(wire::Type type, std::int64_t number, int bytes) {
  Slot& slot = slots_[count_++];
  slot.type = type;
  slot.is_inline = true;
  slot.own_length = bytes;
  for (int i = bytes; i-- > 0; number >>= 8)
    slot.own[static_cast<std::size_t>(i)] = static_cast<char>(static_cast<std::uint64_t>(number) & 0xFFU);
}

void Parameters::add_lent(wire::Type type, std::string_view bytes) {
  Slot& slot = slots_[count_++];
  slot.type = type;
  slot.lent = bytes;
}

}  // namespace kbase::postgres
