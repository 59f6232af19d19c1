// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/manage_account.hpp"

#include <algorithm>

#include "domain/base/result.hpp"
#include "domain/usecases/client_ids.hpp"
#include "domain/usecases/secrets.hpp"

namespace kbase::usecases {
namespace {

using model::Account;
using model::AccountState;
using model::Instant;
using ports::Call;

constexpr std::chrono::days kReportedDays{30};

/// How many times `keys_per_account` keys an account may have had on one day.
constexpr std::size_t kKeysOfDay = 3;

/// A session is extended only when this much of it has passed, so that most requests write nothing.
constexpr std::chrono::minutes kExtendAfter{10};

Error no_session() { return {ErrorCode::NotFound, "You are not signed in, or your session has ended."}; }
Error no_link() {
  return {ErrorCode::NotFound, "This link was used before or is older than 30 minutes; ask for a new one."};
}
Error no_key(std::string_view id) {
  return {ErrorCode::NotFound, "Your account has no key with the id " + std::string(id) + ".", {}, "id"};
}
Error too_many_keys(std::uint32_t most) {
  return {ErrorCode::Conflict,
          "Your account has " + std::to_string(most) + " keys, as many as it may have; delete one of them first."};
}

}  // namespace

Status ManageAccount::sign_up(Call& call, std::string_view email, std::string_view client) {
  const auto address = KBASE_TRY(normalize(email));
  const std::string domain = address.substr(address.rfind('@') + 1);
  if (!rules_.allowed_domains.empty() && std::ranges::count(rules_.allowed_domains, domain) == 0) {
    std::string domains;
    for (const std::string& allowed : rules_.allowed_domains) domains += (domains.empty() ? "" : ", ") + allowed;
    return invalid_argument("email", "Only addresses of these domains may sign up: " + domains + ".");
  }
  return request_mail(call, model::MailKind::SignUp, address, client);
}

Status ManageAccount::sign_in(Call& call, std::string_view email, std::string_view client) {
  const auto address = KBASE_TRY(normalize(email));
  return request_mail(call, model::MailKind::SignIn, address, client);
}

Status ManageAccount::request_mail(Call& call, model::MailKind kind, const std::string& email,
                                   std::string_view client) {
  model::QueuedMail mail;
  mail.id = generate_id(deps_.random, "");
  mail.email = email;
  mail.kind = kind;
  // By the network address alone: a person can have many keys.
  mail.client = client_id_of(deps_.digest, "address", client);
  mail.recipient = recipient_of(deps_.digest, email);
  mail.created = mail.due = deps_.clock.now();
  const ports::MailLimits limits{mail.created - kMailPeriod, kMailsToAddress, kSignUpsOfClient};
  KBASE_TRY(deps_.accounts.add_mail(call, mail, limits));
  return {};
}

/// Returns the form of an address that is stored: the domain in lower-case ASCII. The part before the "@" stays,
/// because only its mail server may interpret it (RFC 5321 section 2.4).
Result<std::string> ManageAccount::normalize(std::string_view email) const {
  const auto parsed = model::parse_email(email);
  const auto domain = parsed ? deps_.domains.to_ascii(parsed->domain) : std::nullopt;
  if (!domain) return invalid_argument("email", "email must be an address such as name@example.org");
  std::string address = std::string(parsed->local) + '@' + *domain;
  if (address.size() > model::kMaxEmailBytes) return invalid_argument("email", "email is too long");
  return address;
}

Result<ports::SessionSecret> ManageAccount::confirm(Call& call, std::string_view text) {
  if (text.size() != 2 * kSecretBytes) return no_link();
  const auto token = KBASE_TRY(deps_.accounts.take_token(call, deps_.digest.sha256(text)));
  if (!token || token->expires <= deps_.clock.now()) return no_link();
  const auto account = KBASE_TRY(find_or_create(call, *token));
  if (account.state == AccountState::Blocked) return no_link();
  ports::SessionSecret session{generate_secret(deps_.random)};
  const Instant now = deps_.clock.now();
  KBASE_TRY(
      deps_.accounts.add_session(call, {deps_.digest.sha256(session.text), account.id, now, now + ports::kSessionLifetime}));
  return session;
}

Result<Account> ManageAccount::find_or_create(Call& call, const model::SignInToken& token) {
  auto known = KBASE_TRY(deps_.accounts.find(call, token.email));
  if (known) return *std::move(known);
  if (!token.signs_up) return no_link();
  Account account;
  account.id = generate_id(deps_.random, "acc_");
  account.email = token.email;
  account.plan = rules_.plan;
  account.state = rules_.needs_approval ? AccountState::Pending : AccountState::Active;
  account.created = deps_.clock.now();
  const Status created = deps_.accounts.create(call, account);
  if (created) return account;
  if (created.error().code != ErrorCode::Conflict) return created.error();
  // Another link of the same address was followed meanwhile.
  known = KBASE_TRY(deps_.accounts.find(call, token.email));
  return known ? Result<Account>(*std::move(known)) : no_link();
}

/// Returns the account of a session and extends the session. NotFound: there is no such session, or it has ended.
Result<Account> ManageAccount::signed_in(Call& call, std::string_view text) {
  if (text.size() != 2 * kSecretBytes) return no_session();
  const model::SecretDigest digest = deps_.digest.sha256(text);
  const auto session = KBASE_TRY(deps_.accounts.find_session(call, digest));
  const Instant now = deps_.clock.now();
  if (!session || session->expires <= now) return no_session();
  auto account = KBASE_TRY(deps_.accounts.get(call, session->account));
  if (!account || account->state == AccountState::Blocked) return no_session();
  const Instant expires = std::min(now + ports::kSessionLifetime, session->created + kMaxSessionLifetime);
  if (session->expires < expires - kExtendAfter) KBASE_TRY(deps_.accounts.extend_session(call, digest, expires));
  return *std::move(account);
}

Result<ports::AccountReport> ManageAccount::report(Call& call, std::string_view session) {
  ports::AccountReport report;
  report.account = KBASE_TRY(signed_in(call, session));
  const auto keys = KBASE_TRY(read_keys(call, report.account.id));
  for (const model::ApiKey& key : keys.live) {
    auto described = KBASE_TRY(describe(call, key));
    report.keys.push_back(std::move(described));
  }
  KBASE_TRY(read_windows(call, report.keys));
  return report;
}

Result<ManageAccount::Keys> ManageAccount::read_keys(Call& call, const std::string& account) {
  Keys keys;
  auto all = KBASE_TRY(keys_of(call, deps_.keys, account));
  const model::Day today = model::day_of(deps_.clock.now());
  for (model::ApiKey& key : all) {
    if (!key.revoked) {
      keys.live.push_back(std::move(key));
    } else if (key.expires && model::day_of(*key.expires) >= today) {
      ++keys.ended_today;
    } else {
      const Status removed = deps_.keys.remove(call, key.id);
      if (!removed && removed.error().code != ErrorCode::NotFound) return removed.error();
    }
  }
  return keys;
}

Result<ports::AccountKey> ManageAccount::describe(Call& call, const model::ApiKey& key) {
  const model::Day today = model::day_of(deps_.clock.now());
  ports::AccountKey described;
  described.key = key;
  for (model::Day day = today - kReportedDays + std::chrono::days(1); day <= today; day += std::chrono::days(1))
    described.days.push_back({day, 0});
  const model::Day first = described.days.front().day;
  KBASE_TRY(deps_.keys.usage_of(call, key.id, first, today, [&](const ports::KeyUsage& usage) {
    described.days[static_cast<std::size_t>((usage.day - first).count())].requests = usage.requests;
    return Visit::Continue;
  }));
  described.last_used = KBASE_TRY(deps_.keys.last_used(call, key.id));
  if (auto plan = deps_.plans.find(key.plan)) described.plan = *std::move(plan);
  return described;
}

/// Reads what is left of each key's limits. If the rate limiter does not respond, the report lacks it.
Status ManageAccount::read_windows(Call& call, std::vector<ports::AccountKey>& keys) {
  std::vector<ports::AcquireRequest> peeks(keys.size());
  std::vector<ports::Decision> decisions(keys.size());
  std::vector<const ports::AcquireRequest*> requests;
  std::vector<ports::Decision*> answers;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    peeks[i].client_id = client_id_of_key(deps_.digest, keys[i].key.id);
    peeks[i].mode = ports::AcquireRequest::Mode::Peek;
    peeks[i].limits = keys[i].plan.limits;
    requests.push_back(&peeks[i]);
    answers.push_back(&decisions[i]);
  }
  if (keys.empty() || !deps_.rate_limiter.acquire(call, requests, answers)) return {};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i].minute = decisions[i].minute;
    keys[i].day = decisions[i].day;
  }
  return {};
}

Result<ports::IssuedKey> ManageAccount::create_key(Call& call, std::string_view session, std::string_view name) {
  const auto account = KBASE_TRY(signed_in(call, session));
  const auto keys = KBASE_TRY(read_keys(call, account.id));
  if (keys.live.size() >= rules_.keys_per_account) return too_many_keys(rules_.keys_per_account);
  // A new key has limits of its own, so a person must not get new limits by deleting and creating keys.
  if (keys.live.size() + keys.ended_today >= kKeysOfDay * rules_.keys_per_account)
    return Error{ErrorCode::Conflict,
                 "You have deleted many keys today; create the next one tomorrow, or replace the "
                 "text of an existing one."};
  ports::NewKey wanted{name, account.plan};
  wanted.account = account.id;
  wanted.suspended = account.state != AccountState::Active;
  auto issued = KBASE_TRY(deps_.administration.create(call, wanted));
  KBASE_TRY(settle_new_key(call, account, issued.key));
  return issued;
}

/// Checks the new key again, because another request may have created a key, and the operator may have changed the
/// account, meanwhile.
Status ManageAccount::settle_new_key(Call& call, const Account& account, const model::ApiKey& key) {
  const auto now = KBASE_TRY(deps_.accounts.get(call, account.id));
  const auto keys = KBASE_TRY(read_keys(call, account.id));
  const auto place = std::ranges::find(keys.live, key.id, &model::ApiKey::id) - keys.live.begin();
  const bool is_beyond = place >= static_cast<std::ptrdiff_t>(rules_.keys_per_account);
  if (!now || is_beyond) {
    const Status removed = deps_.keys.remove(call, key.id);
    if (!removed && removed.error().code != ErrorCode::NotFound) return removed;
    return now ? too_many_keys(rules_.keys_per_account) : no_session();
  }
  if (now->state != account.state) return suspend_keys(call, deps_.keys, *now);
  return {};
}

Result<model::ApiKey> ManageAccount::own_key(Call& call, const Account& account, std::string_view id) {
  auto key = KBASE_TRY(deps_.keys.get(call, id));
  if (!key || key->account != account.id || key->revoked) return no_key(id);
  return *std::move(key);
}

Result<ports::IssuedKey> ManageAccount::rotate_key(Call& call, std::string_view session, std::string_view id) {
  const auto account = KBASE_TRY(signed_in(call, session));
  const auto key = KBASE_TRY(own_key(call, account, id));
  auto issued = KBASE_TRY(deps_.administration.rotate(call, key.id, kRotationGrace));
  // The operator may have changed the account meanwhile.
  const auto now = KBASE_TRY(deps_.accounts.get(call, account.id));
  if (now && now->state != account.state) KBASE_TRY(suspend_keys(call, deps_.keys, *now));
  return issued;
}

Status ManageAccount::remove_key(Call& call, std::string_view session, std::string_view id) {
  const auto account = KBASE_TRY(signed_in(call, session));
  auto key = KBASE_TRY(own_key(call, account, id));
  key.revoked = true;
  key.expires = deps_.clock.now();
  return deps_.keys.update(call, key);
}

Status ManageAccount::end_session(Call& call, std::string_view session) {
  return deps_.accounts.remove_session(call, deps_.digest.sha256(session));
}

Status ManageAccount::end_sessions(Call& call, std::string_view session) {
  const auto account = KBASE_TRY(signed_in(call, session));
  return deps_.accounts.remove_sessions(call, account.id);
}

Status ManageAccount::remove_account(Call& call, std::string_view session) {
  const auto account = KBASE_TRY(signed_in(call, session));
  return usecases::remove_account(call, deps_.accounts, deps_.keys, account.id);
}

}  // namespace kbase::usecases
