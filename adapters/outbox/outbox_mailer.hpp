// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "adapters/mail/message.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/mailer.hpp"

namespace kbase::outbox {

/// Writes each mail into a file ID.eml of a folder, for tests and for operators who send mails by other means. A file
/// appears when it is complete and on disk. A further attempt replaces the file. Thread-safe.
/// Contract suite: plugins/conformance/mailer_suite.
class OutboxMailer final : public ports::Mailer {
 public:
  /// Creates the folder if it is missing. `clock` must outlive the mailer. Unavailable: the folder cannot be created.
  static Result<std::unique_ptr<OutboxMailer>> open(std::filesystem::path folder, mail::Sender sender,
                                                    const ports::Clock& clock);

  Status send(ports::Call& call, const ports::Mail& mail) override;

 private:
  OutboxMailer(std::filesystem::path folder, mail::Sender sender, const ports::Clock& clock)
      : folder_(std::move(folder)), sender_(std::move(sender)), clock_(clock) {}

  const std::filesystem::path folder_;
  const mail::Sender sender_;
  const ports::Clock& clock_;
};

}  // namespace kbase::outbox
