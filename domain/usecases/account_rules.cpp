// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/account_rules.hpp"

#include <algorithm>
#include <tuple>

#include "domain/base/text.hpp"
#include "domain/usecases/client_ids.hpp"

namespace kbase::usecases {
namespace {

Status remove_keys(ports::Call& call, ports::ApiKeyStore& keys, std::string_view account) {
  const auto found = KBASE_TRY(keys_of(call, keys, account));
  for (const model::ApiKey& key : found)
    if (const auto removed = keys.remove(call, key.id); !removed && removed.error().code != ErrorCode::NotFound)
      return removed;
  return {};
}

}  // namespace

Result<std::vector<model::ApiKey>> keys_of(ports::Call& call, ports::ApiKeyStore& keys, std::string_view account) {
  std::vector<model::ApiKey> found;
  KBASE_TRY(keys.list_of(call, account, [&found](const model::ApiKey& key) {
    found.push_back(key);
    return Visit::Continue;
  }));
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return std::tie(a.created, a.id) < std::tie(b.created, b.id); });
  return found;
}

model::ClientId recipient_of(const ports::Digest& digest, std::string_view email) {
  return client_id_of(digest, "recipient", ascii::to_lower(email));
}

Status suspend_keys(ports::Call& call, ports::ApiKeyStore& keys, const model::Account& account) {
  auto found = KBASE_TRY(keys_of(call, keys, account.id));
  const bool is_suspended = account.state != model::AccountState::Active;
  for (model::ApiKey& key : found) {
    if (key.suspended == is_suspended) continue;
    key.suspended = is_suspended;
    const Status updated = keys.update(call, key);
    if (!updated && updated.error().code != ErrorCode::NotFound) return updated;  // NotFound: its owner deleted it
  }
  return {};
}

Status remove_account(ports::Call& call, ports::AccountStore& accounts, ports::ApiKeyStore& keys, std::string_view id) {
  KBASE_TRY(remove_keys(call, keys, id));
  KBASE_TRY(accounts.remove(call, id));
  return remove_keys(call, keys, id);
}

}  // namespace kbase::usecases
