// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "plugins/conformance/suites.hpp"

namespace kbase::conformance {
namespace {

using ports::Call;
using ports::Mail;

constexpr Mail kMail{"abc123", "reader@example.org", "Sign in", "Follow https://example.org/\n",
                     "<p>Follow <a href=\"https://example.org/\">this link</a>.</p>\n"};

void accepts_a_mail(MailerFixture& fixture, Report& report) {
  Call call;
  report.ok(fixture.port().send(call, kMail), "a mail is accepted");
}

void accepts_a_further_attempt(MailerFixture& fixture, Report& report) {
  Call call;
  report.ok(fixture.port().send(call, kMail), "a mail is accepted");
  report.ok(fixture.port().send(call, kMail), "a mail with the same id is accepted again");
}

void accepts_any_text(MailerFixture& fixture, Report& report) {
  Call call;
  Mail mail = kMail;
  const std::string long_line(5'000, 'x');
  for (const std::string& text :
       {std::string(), std::string("."), std::string("\n.\n..\r\nQUIT\r\n"), std::string("From here\n"),
        std::string("\u4E2D\u6587 \u0440\u0443\u0441 \U0001F511"), long_line}) {
    mail.text = text;
    mail.html = text;
    mail.subject = text.find('\n') == std::string::npos ? std::string_view(text) : std::string_view("Subject");
    report.ok(fixture.port().send(call, mail), "every text is accepted");
  }
  mail = kMail;
  mail.to = "o'brien+tag=x!#$%&*/?^_`{|}~@xn--bcher-kva.example.com";
  report.ok(fixture.port().send(call, mail), "every character of an address is accepted");
}

void a_subject_is_one_line(MailerFixture& fixture, Report& report) {
  Call call;
  Mail mail = kMail;
  mail.subject = "Sign in\r\nBcc: other@example.org";
  const auto sent = fixture.port().send(call, mail);
  report.expect(sent || sent.error().code == ErrorCode::InvalidArgument,
                "a subject with a line break is sent as one line or refused");
}

void a_cancelled_call_ends(MailerFixture& fixture, Report& report) {
  const std::atomic<bool> cancel = true;
  Call call;
  call.cancel = &cancel;
  const auto sent = fixture.port().send(call, kMail);
  report.expect(sent || sent.error().code == ErrorCode::Cancelled, "a cancelled call ends, with Cancelled or in time");
}

void accepts_mails_of_several_threads(MailerFixture& fixture, Report& report) {
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&fixture, &refused, thread] {
      for (int i = 0; i < 5; ++i) {
        Call call;
        Mail mail = kMail;
        const std::string id = "id" + std::to_string(thread) + "x" + std::to_string(i);
        mail.id = id;
        if (!fixture.port().send(call, mail)) ++refused;
      }
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(refused.load(), 0, "mails are accepted from several threads at the same time");
}

}  // namespace

Suite<MailerFixture> mailer_suite() {
  return {
      {"AcceptsAMail", "send", accepts_a_mail},
      {"AcceptsAFurtherAttempt", "send", accepts_a_further_attempt},
      {"AcceptsAnyText", "kb_mail", accepts_any_text},
      {"ASubjectIsOneLine", "kb_mail.subject", a_subject_is_one_line},
      {"ACancelledMailEnds", "send", a_cancelled_call_ends},
      {"AcceptsMailsOfSeveralThreads", "send", accepts_mails_of_several_threads},
  };
}

}  // namespace kbase::conformance
