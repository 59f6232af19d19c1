// SPDX-License-Identifier: Apache-2.0
#include "adapters/memory/account_store.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "domain/base/result.hpp"

namespace kbase::memory {
namespace {

using model::Account;
using model::Instant;
using model::MailState;
using model::QueuedMail;
using model::SecretDigest;
using model::Session;
using model::SignInToken;
using ports::Call;

Error not_found(std::string_view noun) { return {ErrorCode::NotFound, "there is no such " + std::string(noun)}; }
Error conflict(std::string_view noun) { return {ErrorCode::Conflict, "this " + std::string(noun) + " exists already"}; }

template <class Map, class Key> auto copy_of(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found != map.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace

Result<std::optional<Account>> MemoryAccountStore::get(Call&, std::string_view id) {
  const std::lock_guard lock(mutex_);
  return copy_of(accounts_, id);
}

Result<std::optional<Account>> MemoryAccountStore::find(Call&, std::string_view email) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, account] : accounts_)
    if (account.email == email) return std::optional(account);
  return std::optional<Account>();
}

Status MemoryAccountStore::list(Call&, Visitor<Account> visitor) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, account] : accounts_)
    if (visitor(account) == Visit::Stop) break;
  return {};
}

Status MemoryAccountStore::create(Call&, const Account& account) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, known] : accounts_)
    if (id == account.id || known.email == account.email) return conflict("account");
  accounts_.emplace(account.id, account);
  return {};
}

Status MemoryAccountStore::update(Call&, const Account& account) {
  const std::lock_guard lock(mutex_);
  const auto known = accounts_.find(account.id);
  if (known == accounts_.end()) return not_found("account");
  known->second.plan = account.plan;
  known->second.state = account.state;
  return {};
}

Status MemoryAccountStore::remove(Call&, std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto known = accounts_.find(id);
  if (known == accounts_.end()) return not_found("account");
  const std::string email = known->second.email;
  accounts_.erase(known);
  std::erase_if(sessions_, [id](const auto& entry) { return entry.second.account == id; });
  std::erase_if(tokens_, [&email](const auto& entry) { return entry.second.email == email; });
  for (auto& [mail_id, mail] : mails_) {
    if (mail.email != email) continue;
    mail.email.clear();
    if (mail.state == MailState::Waiting) mail.state = MailState::Withheld;
  }
  return {};
}

Result<bool> MemoryAccountStore::add_mail(Call&, const QueuedMail& mail, const ports::MailLimits& limits) {
  const std::lock_guard lock(mutex_);
  std::uint32_t to_address = 0, sign_ups = 0;
  for (const auto& [id, known] : mails_) {
    if (known.created <= limits.since || known.state == MailState::Surplus) continue;
    if (known.recipient == mail.recipient) ++to_address;
    if (known.client == mail.client && known.kind == model::MailKind::SignUp) ++sign_ups;
  }
  const bool is_sign_up = mail.kind == model::MailKind::SignUp;
  if (to_address >= limits.most_to_address || (is_sign_up && sign_ups >= limits.most_sign_ups_of_client)) {
    QueuedMail& surplus = mails_[model::surplus_id(mail.client)];
    surplus = mail;
    surplus.id = model::surplus_id(mail.client);
    surplus.state = MailState::Surplus;
    return false;
  }
  if (!mails_.emplace(mail.id, mail).second) return conflict("mail");
  return true;
}

Status MemoryAccountStore::claim_mails(Call&, Instant now, Instant until, std::uint32_t most,
                                       Visitor<QueuedMail> visitor) {
  std::vector<QueuedMail> claimed;
  {
    const std::lock_guard lock(mutex_);
    std::vector<QueuedMail*> due;
    for (auto& [id, mail] : mails_)
      if (mail.state == MailState::Waiting && mail.due <= now) due.push_back(&mail);
    const auto end = due.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(most, due.size()));
    std::partial_sort(due.begin(), end, due.end(), [](const QueuedMail* a, const QueuedMail* b) {
      return std::tie(a->due, a->id) < std::tie(b->due, b->id);
    });
    for (auto mail = due.begin(); mail != end; ++mail) {
      (*mail)->due = until;
      ++(*mail)->attempts;
      claimed.push_back(**mail);
    }
  }
  for (const QueuedMail& mail : claimed)
    if (visitor(mail) == Visit::Stop) break;
  return {};
}

Status MemoryAccountStore::update_mail(Call&, std::string_view id, MailState state, Instant due) {
  const std::lock_guard lock(mutex_);
  const auto known = mails_.find(id);
  if (known == mails_.end()) return not_found("mail");
  known->second.state = state;
  known->second.due = due;
  return {};
}

Status MemoryAccountStore::add_token(Call&, const SignInToken& token) {
  const std::lock_guard lock(mutex_);
  return tokens_.emplace(token.digest, token).second ? Status() : conflict("token");
}

Result<std::optional<SignInToken>> MemoryAccountStore::take_token(Call&, const SecretDigest& digest) {
  const std::lock_guard lock(mutex_);
  auto token = copy_of(tokens_, digest);
  tokens_.erase(digest);
  return token;
}

Status MemoryAccountStore::add_session(Call&, const Session& session) {
  const std::lock_guard lock(mutex_);
  return sessions_.emplace(session.digest, session).second ? Status() : conflict("session");
}

Result<std::optional<Session>> MemoryAccountStore::find_session(Call&, const SecretDigest& digest) {
  const std::lock_guard lock(mutex_);
  return copy_of(sessions_, digest);
}

Status MemoryAccountStore::extend_session(Call&, const SecretDigest& digest, Instant expires) {
  const std::lock_guard lock(mutex_);
  if (const auto known = sessions_.find(digest); known != sessions_.end()) known->second.expires = expires;
  return {};
}

Status MemoryAccountStore::remove_session(Call&, const SecretDigest& digest) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(digest);
  return {};
}

Status MemoryAccountStore::remove_sessions(Call&, std::string_view account) {
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [account](const auto& entry) { return entry.second.account == account; });
  return {};
}

Status MemoryAccountStore::delete_expired(Call&, Instant now, Instant mails_since) {
  const std::lock_guard lock(mutex_);
  std::erase_if(tokens_, [now](const auto& entry) { return entry.second.expires < now; });
  std::erase_if(sessions_, [now](const auto& entry) { return entry.second.expires < now; });
  std::erase_if(mails_, [mails_since](const auto& entry) {
    return entry.second.state != MailState::Waiting && entry.second.created < mails_since;
  });
  return {};
}

}  // namespace kbase::memory
