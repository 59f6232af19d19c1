// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "adapters/templates/templates.hpp"
#include "ports/driven/mailer.hpp"

namespace kbase::mail_texts {

/// Writes mails from the templates of a folder: for each kind of mail a NAME.txt, whose first line is "Subject: ...",
/// and a NAME.html. The names are sign_up, sign_in and approved. The values are SITE, HOST, LINK and MINUTES.
/// Thread-safe.
class MailTexts final : public ports::MailTexts {
 public:
  /// `site`: title of the site. `minutes`: how long a link works. Error: Unsupported if a template is missing or
  /// malformed.
  static Result<std::unique_ptr<MailTexts>> open(const std::filesystem::path& folder, std::string site,
                                                 std::chrono::minutes minutes);

  Result<ports::MailText> write(model::MailKind kind, std::string_view link) const override;

 private:
  MailTexts(Templates templates, std::string site, std::chrono::minutes minutes)
      : templates_(std::move(templates)), site_(std::move(site)), minutes_(minutes) {}

  const Templates templates_;
  const std::string site_;
  const std::chrono::minutes minutes_;
};

}  // namespace kbase::mail_texts
