// SPDX-License-Identifier: Apache-2.0
#include "app/cli/key_use.hpp"

namespace kbase::cli {

model::Result<KeyUses> read_key_uses(ports::KeyAdministration& keys, ports::Call& call, model::Day first) {
  using namespace std::chrono;
  constexpr model::Day kFirst{year(1970) / 1 / 1};
  constexpr model::Day kLast{year(9999) / 12 / 31};
  KeyUses uses;
  const auto read = keys.usage(call, kFirst, kLast, [&](const ports::KeyUsage& row) {
    KeyUse& use = uses[std::string(row.id)];
    use.last = row.day;  // of a key the days ascend
    if (row.day < first) return model::Visit::Continue;
    use.days[row.day] = row.requests;
    use.requests += row.requests;
    return model::Visit::Continue;
  });
  if (!read) return read.error();
  return uses;
}

}  // namespace kbase::cli
