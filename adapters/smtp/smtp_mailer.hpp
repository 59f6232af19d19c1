// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adapters/mail/message.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/mailer.hpp"

namespace kbase::smtp {

enum class Tls {
  Required,   ///< refuses a server that offers no STARTTLS
  IfOffered,  ///< protects against listeners, not against a changed connection
  None,
};

struct Options {
  std::string url;  ///< "smtp://HOST:PORT" (STARTTLS, RFC 3207) or "smtps://HOST:PORT" (implicit TLS, RFC 8314)
  std::string user;
  std::string password;
  std::string authorities;  ///< file with the certificates of the authorities; empty: those of the system
  Tls tls = Tls::Required;
  mail::Sender sender;
};

/// Sends mails to an SMTP server (RFC 5321), each over a connection of its own. Thread-safe.
/// Contract suite: plugins/conformance/mailer_suite.
///
/// InvalidArgument: the server refused the recipient or the message for good (5xx). Any other refusal, such as that of
/// the login or of the sender, is Unavailable: an operator can fix it, and the mail is sent then.
class SmtpMailer final : public ports::Mailer {
 public:
  /// `clock` must outlive the mailer. InvalidArgument: `url`.
  static Result<std::unique_ptr<SmtpMailer>> make(Options options, const ports::Clock& clock);

  Status send(ports::Call& call, const ports::Mail& mail) override;

 private:
  SmtpMailer(Options options, const ports::Clock& clock) : options_(std::move(options)), clock_(clock) {}

  const Options options_;
  const ports::Clock& clock_;
};

}  // namespace kbase::smtp
