// SPDX-License-Identifier: Apache-2.0
// Any bytes are rejected or read as a list. A list is unchanged after it is written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "adapters/postgres/wire.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace wire = kbase::postgres::wire;
  std::vector<std::string_view> texts, again;
  if (!wire::read_list({reinterpret_cast<const char*>(data), size}, texts)) return 0;
  wire::ArrayBuilder list(wire::Type::Bytea);
  for (const std::string_view text : texts) list.add(text);
  if (!wire::read_list(list.encode(), again) || again != texts) std::abort();
  return 0;
}
