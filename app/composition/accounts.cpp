// SPDX-License-Identifier: Apache-2.0
#include "app/composition/accounts.hpp"

#include <chrono>
#include <filesystem>

#include "adapters/mail_texts/mail_texts.hpp"
#include "app/composition/configured_files.hpp"
#include "app/runtime/log_throttle.hpp"

namespace kbase::composition {
namespace {

/// Number of mails that are sent at the same time.
constexpr std::size_t kMailThreads = 4;
constexpr std::chrono::milliseconds kMailPause{500};
constexpr std::chrono::seconds kCleanUpPause{60};

usecases::AccountRules rules_of(const config::SignUp& signup, const idn::DomainNames& domains) {
  usecases::AccountRules rules;
  rules.needs_approval = signup.mode == config::SignUpMode::Approval;
  rules.plan = signup.plan;
  rules.keys_per_account = signup.keys_per_account;
  for (const std::string& domain : signup.allowed_domains)
    rules.allowed_domains.push_back(domains.to_ascii(domain).value_or(domain));
  return rules;
}

usecases::DeliverMails::Counters make_counters(ports::Metrics& metrics) {
  const auto counter = [&metrics](std::string_view result) {
    return &metrics.counter("kbase_mails_total", "Attempts to send a mail to the owner of an account, by their result.",
                            {{"result", result}});
  };
  return {counter("sent"), counter("postponed"), counter("failed")};
}

}  // namespace

Result<Mailing> open_mailing(Environment& env) {
  Mailing mailing;
  if (env.settings.signup.mode == config::SignUpMode::Off) return mailing;
  mailing.mailer = KBASE_TRY(env.backends.open_mailer());
  const std::string& configured = env.settings.mail.templates;
  const std::filesystem::path folder =
      configured.empty() ? installed_folder() / "mails" : std::filesystem::path(configured);
  mailing.texts = KBASE_TRY(mail_texts::MailTexts::open(folder, env.settings.explorer.title, usecases::kLinkLifetime));
  return mailing;
}

Accounts::Accounts(const Dependencies& deps)
    : deps_(deps),
      administration_({deps.access.key_cache, deps.access.plans, deps.env.platform.digest, deps.env.platform.random,
                       deps.env.platform.clock}) {
  if (deps.mailing.mailer == nullptr) return;
  const Platform& platform = deps.env.platform;
  manage_.emplace(
      usecases::ManageAccount::Dependencies{*deps.storage.stores.accounts, deps.access.key_cache, administration_,
                                            deps.request_limiter, deps.access.plans, domains_, platform.digest,
                                            deps.env.platform.random, platform.clock},
      rules_of(deps.env.settings.signup, domains_));
}

void Accounts::start(std::string site) {
  if (!manage_) return;
  Platform& platform = deps_.env.platform;
  delivery_.emplace(usecases::DeliverMails::Dependencies{*deps_.storage.stores.accounts, *deps_.mailing.mailer,
                                                         *deps_.mailing.texts, platform.digest, deps_.env.pseudonyms,
                                                         platform.random, platform.clock, platform.log},
                    std::move(site), make_counters(deps_.env.metrics));
  for (std::size_t i = 0; i < kMailThreads; ++i)
    tasks_.push_back(std::make_unique<runtime::PeriodicTask>(kMailPause, [this] { deliver(); }));
  tasks_.push_back(std::make_unique<runtime::PeriodicTask>(kCleanUpPause, [this] { clean_up(); }));
}

void Accounts::stop() {
  is_stopping_ = true;
  tasks_.clear();
}

/// Sends mails until none is due.
void Accounts::deliver() {
  const Platform& platform = deps_.env.platform;
  while (!is_stopping_) {
    ports::Call call;
    call.cancel = &is_stopping_;
    const auto delivered = delivery_->deliver_one(call);
    if (delivered && *delivered) continue;
    if (!delivered && !is_stopping_ && warnings_.is_due(platform.clock.steady())) {
      const ports::LogField fields[] = {{"cause", runtime::log_cause(delivered.error())}};
      deps_.env.platform.log.log(ports::LogLevel::Warning, "mail.store_failed",
                                 "The queue of mails cannot be read or written. Mails wait.", fields);
    }
    return;
  }
}

void Accounts::clean_up() {
  ports::Call call;
  call.cancel = &is_stopping_;
  static_cast<void>(delivery_->clean_up(call));  // is tried again
}

}  // namespace kbase::composition
