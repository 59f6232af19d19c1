// SPDX-License-Identifier: Apache-2.0
#include "app/cli/key_use.hpp"

namespace kbase::cli {

model::Result<KeyUses> read_key_uses(ports::KeyAdministration& keys, ports::Call& call, model::Day first) {
  constexpr model::Day kLast{std::chrono::year(9999) / 12 / 31};
  KeyUses uses;
  const auto read = keys.usage(call, first, kLast, [&uses](const ports::KeyUsage& row) {
    KeyUse& use = uses[std::string(row.id)];
    use.days[row.day] = row.requests;
    use.requests += row.requests;
    return model::Visit::Continue;
  });
  if (!read) return read.error();
  return uses;
}

}  // namespace kbase::cli
