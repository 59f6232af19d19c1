// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/conformance/api_key_store_samples.hpp"

namespace kbase::conformance {

inline constexpr model::Instant kNow =
    std::chrono::sys_days(std::chrono::year(2026) / 3 / 14) + std::chrono::milliseconds(45'296'789);
inline constexpr ports::MailLimits kNoLimits{kNow - std::chrono::hours(1), 1'000, 1'000};

inline model::Account account_of(std::string_view id, std::string_view email) {
  model::Account account;
  account.id = id;
  account.email = email;
  account.plan = "developer";
  account.created = kNow;
  return account;
}

inline model::QueuedMail mail_of(std::string_view id, std::string_view email, model::Instant due = kNow) {
  model::QueuedMail mail;
  mail.id = id;
  mail.email = email;
  mail.client = {1, 2, 3, 0, 255};
  std::copy_n(email.begin(), std::min(email.size(), mail.recipient.size()), mail.recipient.begin());
  mail.created = kNow;
  mail.due = due;
  return mail;
}

inline std::vector<model::QueuedMail> claim(ports::AccountStore& store, Report& report, model::Instant now,
                                            model::Instant until = kNow + std::chrono::minutes(2),
                                            std::uint32_t most = 100) {
  ports::Call call;
  std::vector<model::QueuedMail> claimed;
  report.ok(store.claim_mails(call, now, until, most,
                              [&claimed](const model::QueuedMail& mail) {
                                claimed.push_back(mail);
                                return Visit::Continue;
                              }),
            "mails are claimed");
  return claimed;
}

inline std::string ids_of(const std::vector<model::QueuedMail>& mails) {
  std::string ids;
  for (const model::QueuedMail& mail : mails) ids += (ids.empty() ? "" : "|") + mail.id;
  return ids;
}

/// Adds a mail and reports whether it was added.
inline void add(ports::AccountStore& store, Report& report, const model::QueuedMail& mail, bool is_added = true,
                const ports::MailLimits& limits = kNoLimits, SourceLine where = SourceLine::current()) {
  ports::Call call;
  const auto added = store.add_mail(call, mail, limits);
  if (report.ok(added, "add_mail succeeds", where))
    report.equal(*added, is_added, "add_mail reports whether it added the mail", where);
}

}  // namespace kbase::conformance
