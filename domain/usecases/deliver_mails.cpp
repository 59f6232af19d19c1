// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/deliver_mails.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "domain/base/result.hpp"
#include "domain/usecases/account_rules.hpp"
#include "domain/usecases/client_ids.hpp"
#include "domain/usecases/secrets.hpp"

namespace kbase::usecases {
namespace {

using model::AccountState;
using model::MailKind;
using model::MailState;
using model::QueuedMail;
using ports::Call;

/// Pauses after each failed attempt. After the last one the mail has failed.
constexpr std::array<std::chrono::minutes, 4> kPauses = {std::chrono::minutes(1), std::chrono::minutes(5),
                                                         std::chrono::minutes(30), std::chrono::hours(2)};

/// When another thread or server may take a mail of which no result was stored: later than the end of an attempt.
constexpr std::chrono::seconds kClaim = 2 * DeliverMails::kSendTimeout;

void count(ports::Counter* counter) {
  if (counter != nullptr) counter->add(1);
}

}  // namespace

Result<bool> DeliverMails::deliver_one(Call& call) {
  const model::Instant now = deps_.clock.now();
  std::optional<QueuedMail> mail;
  KBASE_TRY(deps_.accounts.claim_mails(call, now, now + kClaim, 1, [&mail](const QueuedMail& claimed) {
    mail = claimed;
    return Visit::Continue;
  }));
  if (!mail) return false;
  // An unwanted mail causes as many writes as a wanted one, so the time of other requests says nothing about accounts.
  const auto link = KBASE_TRY(make_link(call, *mail));
  const auto is_wanted_now = KBASE_TRY(is_wanted(call, *mail));
  if (!is_wanted_now) {
    KBASE_TRY(deps_.accounts.update_mail(call, mail->id, MailState::Withheld, mail->due));
    return true;
  }
  const Status sent = send(call, *mail, link);
  // The process ends, and the mail is claimed again once its claim has run out.
  if (!sent && call.cancelled()) return sent.error();
  KBASE_TRY(store_result(call, *mail, sent));
  return true;
}

/// Returns the address that the mail asks to follow; stores the token in it.
Result<std::string> DeliverMails::make_link(Call& call, const QueuedMail& mail) {
  if (mail.kind == MailKind::Approved) return site_ + "/account";
  const std::string token = generate_secret(deps_.random);
  const bool signs_up = mail.kind == MailKind::SignUp;
  KBASE_TRY(deps_.accounts.add_token(
      call, {deps_.digest.sha256(token), mail.email, signs_up, deps_.clock.now() + kLinkLifetime}));
  // A browser does not send the part after "#" to any server, so the token appears in no log.
  return site_ + "/account/confirm#" + token;
}

/// Whether the mail may be sent: no one gets a mail who did not sign up, and no one whose account is blocked.
Result<bool> DeliverMails::is_wanted(Call& call, const QueuedMail& mail) {
  const auto account = KBASE_TRY(deps_.accounts.find(call, mail.email));
  if (account) return account->state != AccountState::Blocked;
  return mail.kind == MailKind::SignUp;
}

Status DeliverMails::send(Call& call, const QueuedMail& mail, const std::string& link) {
  const auto text = KBASE_TRY(deps_.texts.write(mail.kind, link));
  Call attempt = call;
  attempt.deadline = deps_.clock.steady() + kSendTimeout;
  return deps_.mailer.send(attempt, {mail.id, mail.email, text.subject, text.text, text.html});
}

Status DeliverMails::store_result(Call& call, const QueuedMail& mail, const Status& sent) {
  MailState state = MailState::Sent;
  model::Instant due = deps_.clock.now();
  if (!sent) {
    const bool is_final = sent.error().code == ErrorCode::InvalidArgument || mail.attempts > kPauses.size();
    state = is_final ? MailState::Failed : MailState::Waiting;
    if (!is_final) due += kPauses[std::max<std::uint32_t>(mail.attempts, 1) - 1];
    log_result(mail, sent.error(), is_final);
    count(is_final ? counters_.failed : counters_.postponed);
  } else {
    count(counters_.sent);
  }
  const Status stored = deps_.accounts.update_mail(call, mail.id, state, due);
  // The owner has deleted the account meanwhile.
  if (!stored && stored.error().code == ErrorCode::NotFound) return {};
  return stored;
}

void DeliverMails::log_result(const QueuedMail& mail, const Error& error, bool is_final) {
  const ports::Pseudonym address = deps_.pseudonyms.of(client_id_of(deps_.digest, "email", mail.email));
  const ports::LogField fields[] = {{"mail", mail.id},
                                    {"address_hash", std::string_view(address.data(), address.size())},
                                    {"attempts", std::uint64_t{mail.attempts}},
                                    {"cause", error.detail.empty() ? error.message : error.detail}};
  if (!is_final) {
    deps_.log.log(ports::LogLevel::Warning, "mail.postponed", "A mail could not be sent. It is sent later.", fields);
    return;
  }
  deps_.log.log(ports::LogLevel::Error, "mail.failed", "A mail could not be sent and is given up.", fields);
  deps_.log.flush();  // it is the only report, and the mail is not tried again
}

Status DeliverMails::clean_up(Call& call) {
  const model::Instant now = deps_.clock.now();
  return deps_.accounts.delete_expired(call, now, now - kMailPeriod);
}

}  // namespace kbase::usecases
