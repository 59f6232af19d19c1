// SPDX-License-Identifier: Apache-2.0
#include "adapters/smtp/smtp_mailer.hpp"

#include <curl/curl.h>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>

#include "adapters/base/authorities.hpp"

namespace kbase::smtp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTimeout{10'000};
constexpr milliseconds kMaxTime{60'000};  // of a call without a deadline

struct End {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};

/// One mail on its way.
struct Transfer {
  const ports::Call& call;
  std::string_view unsent;
  bool names_recipient = false;  // RCPT was sent, so a refusal is about the recipient or the message
};

std::size_t read_message(char* buffer, std::size_t size, std::size_t count, void* data) {
  auto& transfer = *static_cast<Transfer*>(data);
  const std::size_t bytes = std::min(size * count, transfer.unsent.size());
  std::memcpy(buffer, transfer.unsent.data(), bytes);
  transfer.unsent.remove_prefix(bytes);
  return bytes;
}

int check_call(void* data, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const Transfer*>(data)->call.cancelled() ? 1 : 0;
}

/// Follows the dialog. libcurl does not report which command was refused.
int watch(CURL*, curl_infotype type, char* text, std::size_t size, void* data) {
  if (type == CURLINFO_HEADER_OUT && std::string_view(text, size).starts_with("RCPT "))
    static_cast<Transfer*>(data)->names_recipient = true;
  return 0;
}

Error describe(const ports::Call& call, CURLcode code, long status, const char* text, bool names_recipient) {
  std::string detail = *text != '\0' ? text : curl_easy_strerror(code);
  if (status > 0) detail += " (SMTP " + std::to_string(status) + ")";
  if (call.cancelled()) return {ErrorCode::Cancelled, "The mail was not sent.", std::move(detail)};
  if (code == CURLE_OPERATION_TIMEDOUT)
    return {ErrorCode::Deadline, "The mail server did not answer in time.", std::move(detail)};
  if (names_recipient && status >= 500 && status < 600)
    return {ErrorCode::InvalidArgument, "The mail server refuses the mail.", std::move(detail), "to"};
  return {ErrorCode::Unavailable, "The mail server did not accept the mail.", std::move(detail)};
}

}  // namespace

Result<std::unique_ptr<SmtpMailer>> SmtpMailer::make(Options options, const ports::Clock& clock) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  const std::unique_ptr<CURLU, End> url(curl_url());
  const bool is_smtp = options.url.starts_with("smtp://") || options.url.starts_with("smtps://");
  if (!is_smtp || curl_url_set(url.get(), CURLUPART_URL, options.url.c_str(), 0) != CURLUE_OK)
    return invalid_argument("url", "must be smtp://HOST:PORT or smtps://HOST:PORT");
  if (options.authorities.empty())
    if (const char* const authorities = tls::find_system_authorities()) options.authorities = authorities;
  return std::unique_ptr<SmtpMailer>(new SmtpMailer(std::move(options), clock));
}

Status SmtpMailer::send(ports::Call& call, const ports::Mail& mail) {
  if (call.cancelled()) return Error{ErrorCode::Cancelled, "The mail was not sent."};
  const auto now = clock_.steady();
  if (call.deadline <= now) return Error{ErrorCode::Deadline, "The mail was not sent in time."};
  const std::unique_ptr<CURL, End> handle(curl_easy_init());
  const std::string from = '<' + options_.sender.address + '>';
  const std::string to = '<' + std::string(mail.to) + '>';
  const std::unique_ptr<curl_slist, End> recipients(curl_slist_append(nullptr, to.c_str()));
  if (!handle || !recipients) return Error{ErrorCode::NoMemory, "There is not enough memory for the mail."};
  const std::string message = mail::compose(mail, options_.sender, clock_.now());
  Transfer transfer{call, message};
  char text[CURL_ERROR_SIZE] = "";
  CURL* const curl = handle.get();
  const auto time = std::min<milliseconds>(kMaxTime, std::chrono::duration_cast<milliseconds>(call.deadline - now));

  curl_easy_setopt(curl, CURLOPT_URL, options_.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(kConnectTimeout.count()));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, std::max(1L, static_cast<long>(time.count())));
  curl_easy_setopt(curl, CURLOPT_USE_SSL,
                   static_cast<long>(options_.tls == Tls::Required    ? CURLUSESSL_ALL
                                     : options_.tls == Tls::IfOffered ? CURLUSESSL_TRY
                                                                      : CURLUSESSL_NONE));
  if (!options_.authorities.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, options_.authorities.c_str());
  if (!options_.user.empty()) {
    curl_easy_setopt(curl, CURLOPT_USERNAME, options_.user.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, options_.password.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_MAIL_FROM, from.c_str());
  curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients.get());
  curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_message);
  curl_easy_setopt(curl, CURLOPT_READDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, check_call);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_VERBOSE, 1L);  // for watch()
  curl_easy_setopt(curl, CURLOPT_DEBUGFUNCTION, watch);
  curl_easy_setopt(curl, CURLOPT_DEBUGDATA, &transfer);

  const CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_OK) return {};
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return describe(call, code, status, text, transfer.names_recipient);
}

}  // namespace kbase::smtp
