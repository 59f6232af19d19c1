// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/administer_accounts.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "domain/base/result.hpp"
#include "domain/base/text.hpp"
#include "domain/usecases/account_rules.hpp"

namespace kbase::usecases {

using model::Account;
using model::AccountState;
using ports::Call;

Status AdministerAccounts::list(Call& call, Visitor<Account> visitor) { return deps_.accounts.list(call, visitor); }

Result<Account> AdministerAccounts::approve(Call& call, std::string_view id) {
  auto account = KBASE_TRY(find_existing(call, id));
  if (account.state == AccountState::Pending) KBASE_TRY(announce_approval(call, account));
  return set_state(call, std::move(account), AccountState::Active);
}

Result<Account> AdministerAccounts::block(Call& call, std::string_view id) {
  auto account = KBASE_TRY(find_existing(call, id));
  return set_state(call, std::move(account), AccountState::Blocked);
}

Status AdministerAccounts::remove(Call& call, std::string_view id) {
  const auto account = KBASE_TRY(find_existing(call, id));
  return remove_account(call, deps_.accounts, deps_.keys, account.id);
}

/// Queues the mail before the account changes, under an id of the account, so that a repeated call completes an
/// interrupted one, and queues no second mail.
Status AdministerAccounts::announce_approval(Call& call, const Account& account) {
  model::QueuedMail mail;
  mail.id = "approved";
  std::copy_if(account.id.begin(), account.id.end(), std::back_inserter(mail.id), ascii::is_alphanumeric);
  mail.email = account.email;
  mail.kind = model::MailKind::Approved;
  mail.recipient = recipient_of(deps_.digest, account.email);
  mail.created = mail.due = deps_.clock.now();
  constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();
  const auto added = deps_.accounts.add_mail(call, mail, {mail.created, kNoLimit, kNoLimit});
  if (!added && added.error().code != ErrorCode::Conflict) return added.error();
  return {};
}

Result<Account> AdministerAccounts::set_state(Call& call, Account account, AccountState state) {
  account.state = state;
  KBASE_TRY(deps_.accounts.update(call, account));
  KBASE_TRY(suspend_keys(call, deps_.keys, account));
  return account;
}

Result<Account> AdministerAccounts::find_existing(Call& call, std::string_view id) {
  auto account = KBASE_TRY(deps_.accounts.get(call, id));
  if (!account) return Error{ErrorCode::NotFound, "no account has the id " + std::string(id)};
  return *std::move(account);
}

}  // namespace kbase::usecases
