// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "adapters/idn/domain_names.hpp"
#include "adapters/mail/message.hpp"
#include "adapters/mail_texts/mail_texts.hpp"
#include "adapters/outbox/outbox_mailer.hpp"
#include "plugins/conformance/suites.hpp"
#include "tests/support/contract.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

constexpr model::Instant kDate =
    std::chrono::sys_days(std::chrono::year(2026) / 11 / 30) + std::chrono::seconds(45'296);

std::string composed(const ports::Mail& mail, const mail::Sender& sender = {"", "docs@example.org"}) {
  return mail::compose(mail, sender, kDate);
}

/// Whether the message has this line.
bool has_line(const std::string& message, const std::string& line) {
  return ("\r\n" + message).find("\r\n" + line + "\r\n") != std::string::npos;
}

TEST(MailMessage, HasTheFieldsOfAMail) {
  const std::string message = composed({"abc", "reader@example.com", "Sign in", "text", "<p>html</p>"});
  for (const std::string line :
       {"Date: Mon, 30 Nov 2026 12:34:56 +0000", "From: docs@example.org", "To: reader@example.com", "Subject: Sign in",
        "Message-ID: <abc@example.org>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
        "Content-Type: multipart/alternative; boundary=\"part-abc\"", "--part-abc",
        "Content-Type: text/plain; charset=utf-8", "Content-Type: text/html; charset=utf-8",
        "Content-Transfer-Encoding: quoted-printable", "text", "<p>html</p>", "--part-abc--"})
    EXPECT_TRUE(has_line(message, line)) << line << "\n" << message;
}

TEST(MailMessage, HasShortLinesOfAscii) {
  const std::string text = std::string(500, 'x') + " \u4E2D\u6587 = \n.\nFrom here \t\n" + std::string(200, ' ');
  const std::string message = composed({"abc", "reader@example.com", text.substr(0, 300), text, text},
                                       {"B\u00FCcher \"und\" mehr", "docs@example.org"});
  for (std::size_t begin = 0; begin < message.size();) {
    const std::size_t end = message.find("\r\n", begin);
    ASSERT_NE(end, std::string::npos);
    const std::string line = message.substr(begin, end - begin);
    EXPECT_LE(line.size(), 78u) << line;
    EXPECT_NE(line, ".");
    EXPECT_FALSE(line.starts_with("From "));
    EXPECT_FALSE(line.ends_with(' ') || line.ends_with('\t')) << line;
    for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
    begin = end + 2;
  }
}

TEST(MailMessage, ALineBreakAddsNoField) {
  const std::string message =
      composed({"abc", "reader@example.com\r\nBcc: a@example.org", "Hi\r\nBcc: b@example.org", "text", "html"});
  EXPECT_EQ(message.find("\r\nBcc:"), std::string::npos);
}

TEST(MailMessage, ParsesTheSender) {
  const auto plain = mail::parse_sender("docs@example.org");
  ASSERT_TRUE(succeeded(plain));
  EXPECT_EQ(plain->address, "docs@example.org");
  EXPECT_EQ(plain->name, "");
  const auto named = mail::parse_sender("Example Docs <docs@example.org>");
  ASSERT_TRUE(succeeded(named));
  EXPECT_EQ(named->address, "docs@example.org");
  EXPECT_EQ(named->name, "Example Docs");
  for (const std::string bad :
       {"", "docs", "<>", "Docs <docs>", "a@b.c\r\nBcc: x@y.z", "Docs\n <docs@example.org>", "d\u00F6cs@example.org"})
    EXPECT_TRUE(failed(mail::parse_sender(bad), ErrorCode::InvalidArgument, "from")) << bad;
  EXPECT_TRUE(has_line(composed({"a", "b@c.de", "s", "t", "h"}, *named), "From: \"Example Docs\" <docs@example.org>"));
}

TEST(DomainNames, BecomeLowerCaseAscii) {
  const idn::DomainNames names;
  EXPECT_EQ(names.to_ascii("Example.ORG"), "example.org");
  EXPECT_EQ(names.to_ascii("b\u00FCcher.example"), "xn--bcher-kva.example");
  EXPECT_EQ(names.to_ascii("B\u00DCCHER.example"), "xn--bcher-kva.example");
  EXPECT_EQ(names.to_ascii("bu\u0308cher.example"), "xn--bcher-kva.example");
  EXPECT_EQ(names.to_ascii("stra\u00DFe.example"), "xn--strae-oqa.example");
  EXPECT_EQ(names.to_ascii("xn--bcher-kva.example"), "xn--bcher-kva.example");
  for (const std::string& bad : std::vector<std::string>{
           "", "-a.example", "a-.example", "a..example", "a b.example", "xn--a.example",
           std::string(64, 'a') + ".example", std::string("a\0b.example", 11), "a_b.example", "\u202Eevil.example"})
    EXPECT_EQ(names.to_ascii(bad), std::nullopt) << bad;
}

TEST(MailTexts, TheInstalledTextsNameTheSiteAndTheLink) {
  const auto texts = mail_texts::MailTexts::open(KBASE_MAILS, "Docs & <more>", std::chrono::minutes(30));
  ASSERT_TRUE(succeeded(texts));
  const std::string link = "https://docs.example.org/account/confirm#0123";
  for (const auto kind : {model::MailKind::SignUp, model::MailKind::SignIn, model::MailKind::Approved}) {
    const auto text = (*texts)->write(kind, link);
    ASSERT_TRUE(succeeded(text));
    EXPECT_NE(text->subject.find("Docs & <more>"), std::string::npos) << text->subject;
    EXPECT_NE(text->text.find("\n" + link + "\n"), std::string::npos) << text->text;
    EXPECT_NE(text->html.find("href=\"" + link + '"'), std::string::npos) << text->html;
    EXPECT_EQ(text->html.find("<more>"), std::string::npos) << text->html;
    EXPECT_FALSE(text->text.starts_with('\n'));
  }
}

TEST(MailTexts, AMissingTemplateIsNamed) {
  const TemporaryFolder folder;
  const auto texts = mail_texts::MailTexts::open(folder.path(), "Docs", std::chrono::minutes(30));
  ASSERT_TRUE(failed(texts, ErrorCode::Unsupported));
  EXPECT_NE(texts.error().message.find("mail.templates"), std::string::npos);
  EXPECT_NE(texts.error().message.find("sign_up.txt"), std::string::npos);
}

TEST(OutboxMailer, WritesAFileForEachMail) {
  const TemporaryFolder folder;
  conformance::ManualClock clock;
  const auto mailer = outbox::OutboxMailer::open(folder.path() / "a/b", {"", "docs@example.org"}, clock);
  ASSERT_TRUE(succeeded(mailer));
  ports::Call call;
  ASSERT_TRUE(succeeded((*mailer)->send(call, {"abc", "reader@example.com", "Sign in", "text", "html"})));
  std::ifstream file(folder.path() / "a/b/abc.eml", std::ios::binary);
  const std::string message{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(has_line(message, "To: reader@example.com"));
  EXPECT_TRUE(
      failed((*mailer)->send(call, {"../abc", "reader@example.com", "s", "t", "h"}), ErrorCode::InvalidArgument, "id"));
}

class OutboxFixture final : public conformance::MailerFixture {
 public:
  ports::Mailer& port() override { return *mailer_; }
  bool reopen() override { return false; }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<outbox::OutboxMailer> mailer_ =
      outbox::OutboxMailer::open(folder_.path(), {"", "docs@example.org"}, clock).value();
};

const bool kRegistered = register_contract<conformance::MailerFixture>(
    "OutboxMailer", conformance::mailer_suite(), [] { return std::make_unique<OutboxFixture>(); });

}  // namespace
}  // namespace kbase::tests
