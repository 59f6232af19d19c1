// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/idn/domain_names.hpp"
#include "app/composition/parts.hpp"
#include "app/runtime/log_throttle.hpp"
#include "app/runtime/worker_pool.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/administer_keys.hpp"
#include "domain/usecases/deliver_mails.hpp"
#include "domain/usecases/manage_account.hpp"
#include "ports/driven/mailer.hpp"

namespace kbase::composition {

/// The way to send mails, and their texts. Both are null if the configuration has no accounts.
struct Mailing {
  std::unique_ptr<ports::Mailer> mailer;
  std::unique_ptr<ports::MailTexts> texts;
};

/// Errors: those of Backends::open_mailer(); Unsupported if a template of the mails is missing or malformed.
Result<Mailing> open_mailing(Environment& env);

/// The accounts of developers, and the threads that send mails to them.
class Accounts {
 public:
  /// All members must outlive this object.
  struct Dependencies {
    Environment& env;
    Storage& storage;
    Access& access;
    ports::RateLimitStore& request_limiter;
    const Mailing& mailing;
  };
  explicit Accounts(const Dependencies& deps);
  ~Accounts() { stop(); }

  /// Null if the configuration has no accounts.
  ports::Accounts* port() { return manage_ ? &*manage_ : nullptr; }

  /// Starts to send mails, with links to `site`, if there are accounts.
  void start(std::string site);

  /// Stops to send mails. A mail that is being sent is sent later, maybe by another server.
  void stop();

 private:
  void deliver();
  void clean_up();

  const Dependencies deps_;
  const idn::DomainNames domains_;
  usecases::AdministerKeys administration_;
  std::optional<usecases::ManageAccount> manage_;
  std::optional<usecases::DeliverMails> delivery_;
  std::atomic<bool> is_stopping_{false};
  runtime::OncePerMinute warnings_;
  std::vector<std::unique_ptr<runtime::PeriodicTask>> tasks_;
};

}  // namespace kbase::composition
