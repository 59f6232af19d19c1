// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"
#include "domain/model/account.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// A mail to one recipient, as text and as HTML.
struct Mail {
  std::string_view id;  ///< letters and digits; the same for each attempt, and part of the mail's Message-ID
  std::string_view to;  ///< address in ASCII
  std::string_view subject;
  std::string_view text;
  std::string_view html;
};

/// Hands mails to a mail server.
///
/// Thread-safety: any thread, concurrent calls allowed.
/// Contract suite: plugins/conformance/mailer_suite.
class Mailer {
 public:
  virtual ~Mailer() = default;

  /// Returns when the server has accepted the mail. InvalidArgument: the server refuses the mail for good; a further
  /// attempt is useless. Any other error: the mail may or may not have been accepted, and a further attempt may
  /// succeed.
  virtual Status send(Call& call, const Mail& mail) = 0;
};

/// The text of a mail.
struct MailText {
  std::string subject;
  std::string text;
  std::string html;
};

/// Writes mails from templates, which an operator may replace. Any thread.
class MailTexts {
 public:
  virtual ~MailTexts() = default;

  /// `link`: address to follow, in the mail. Error: Internal if a template is damaged.
  virtual Result<MailText> write(model::MailKind kind, std::string_view link) const = 0;
};

/// Converts domain names to the form that is compared and sent. Any thread.
class DomainNames {
 public:
  virtual ~DomainNames() = default;

  /// Returns the name in lower-case ASCII (UTS #46, nontransitional; RFC 5891). nullopt: not a valid name.
  virtual std::optional<std::string> to_ascii(std::string_view name) const = 0;
};

}  // namespace kbase::ports
