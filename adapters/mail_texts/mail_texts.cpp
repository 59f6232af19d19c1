// SPDX-License-Identifier: Apache-2.0
#include "adapters/mail_texts/mail_texts.hpp"

#include <array>

#include "domain/base/result.hpp"

namespace kbase::mail_texts {
namespace {

constexpr std::string_view kSetting = "mail.templates";
constexpr std::string_view kSubject = "Subject: ";

/// Names of the templates, by model::MailKind.
constexpr std::array<std::string_view, 3> kNames = {"sign_up", "sign_in", "approved"};

std::string host_of(std::string_view link) {
  const std::size_t begin = link.find("://");
  if (begin == std::string_view::npos) return std::string(link);
  return std::string(link.substr(begin + 3, link.find('/', begin + 3) - begin - 3));
}

}  // namespace

Result<std::unique_ptr<MailTexts>> MailTexts::open(const std::filesystem::path& folder, std::string site,
                                                   std::chrono::minutes minutes) {
  auto templates = KBASE_TRY(Templates::open(folder, kSetting));
  for (const std::string_view name : kNames)
    for (const std::string_view ending : {".txt", ".html"})
      if (const std::string file = std::string(name).append(ending); !templates.has(file))
        return Error{ErrorCode::Unsupported, std::string(kSetting) + ": " + folder.string() + " has no file " + file};
  return std::unique_ptr<MailTexts>(new MailTexts(std::move(templates), std::move(site), minutes));
}

Result<ports::MailText> MailTexts::write(model::MailKind kind, std::string_view link) const {
  const std::string name(kNames[static_cast<std::size_t>(kind)]);
  ctemplate::TemplateDictionary values("mail");
  values.SetValue("SITE", site_);
  values.SetValue("HOST", host_of(link));
  values.SetValue("LINK", std::string(link));
  values.SetIntValue("MINUTES", static_cast<long>(minutes_.count()));
  ports::MailText mail;
  mail.text = templates_.expand(name + ".txt", values);
  mail.html = templates_.expand(name + ".html", values);
  const std::size_t end = mail.text.find('\n');
  if (!mail.text.starts_with(kSubject) || end == std::string::npos)
    return Error{ErrorCode::Internal,
                 {},
                 std::string(kSetting) + ": the first line of " + name + ".txt is not \"Subject: ...\""};
  mail.subject = mail.text.substr(kSubject.size(), end - kSubject.size());
  mail.text.erase(0, std::min(mail.text.size(), mail.text.find_first_not_of("\r\n", end)));
  return mail;
}

}  // namespace kbase::mail_texts
