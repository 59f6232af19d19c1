// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/mailer.hpp"

/// The form of a mail in which it is sent and stored.
namespace kbase::mail {

/// The sender of all mails.
struct Sender {
  std::string name;  ///< may be empty
  std::string address;
};

/// Parses "docs@example.org" or "Example Docs <docs@example.org>". Error: InvalidArgument with the parameter "from".
Result<Sender> parse_sender(std::string_view from);

/// Composes a message with a text and an HTML part (RFC 5322, RFC 2045, RFC 2046 section 5.1.4). Lines end with CR LF
/// and are at most 76 characters long; all characters are ASCII. A line break in the subject becomes a space.
std::string compose(const ports::Mail& mail, const Sender& sender, model::Instant date);

}  // namespace kbase::mail
