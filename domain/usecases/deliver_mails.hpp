// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "ports/driven/account_store.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/mailer.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::usecases {

/// Sends the mails of the queue. A token is created when its mail is sent, so that the queue contains none, and so that
/// a link works for its whole time even if the mail server was away. Several threads and servers may deliver at the
/// same time: each mail is sent by one of them.
///
/// A mail that was accepted, but whose result could not be stored, is sent again with the same id. Nothing can prevent
/// this (RFC 1047), and no mail is lost.
class DeliverMails {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::AccountStore& accounts;
    ports::Mailer& mailer;
    const ports::MailTexts& texts;
    const ports::Digest& digest;
    const ports::Pseudonyms& pseudonyms;
    ports::Random& random;
    const ports::Clock& clock;
    ports::EventLog& log;
  };

  /// Results of attempts. Null: not counted.
  struct Counters {
    ports::Counter* sent = nullptr;
    ports::Counter* postponed = nullptr;
    ports::Counter* failed = nullptr;
  };

  /// `site`: scheme and authority of the links.
  DeliverMails(const Dependencies& deps, std::string site, const Counters& counters)
      : deps_(deps), site_(std::move(site)), counters_(counters) {}

  /// Sends one mail that is due. False: no mail is due. Errors: those of the store.
  Result<bool> deliver_one(ports::Call& call);

  /// Deletes what has expired.
  Status clean_up(ports::Call& call);

  /// How long one attempt may take.
  static constexpr std::chrono::seconds kSendTimeout{60};

 private:
  Result<std::string> make_link(ports::Call& call, const model::QueuedMail& mail);
  Result<bool> is_wanted(ports::Call& call, const model::QueuedMail& mail);
  Status send(ports::Call& call, const model::QueuedMail& mail, const std::string& link);
  Status store_result(ports::Call& call, const model::QueuedMail& mail, const Status& sent);
  void log_result(const model::QueuedMail& mail, const Error& error, bool is_final);

  const Dependencies deps_;
  const std::string site_;
  const Counters counters_;
};

}  // namespace kbase::usecases
