// SPDX-License-Identifier: Apache-2.0
#include "adapters/mail/message.hpp"

#include <algorithm>

#include "adapters/base/date_field.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"
#include "domain/model/account.hpp"

namespace kbase::mail {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMaxLine = 76;       // RFC 2045 section 6.7
constexpr std::size_t kMaxWordBytes = 42;  // of an encoded word before encoding: 56 characters of Base64

/// Returns the text in one line.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; }, ' ');
  return line;
}

/// Returns the text as it is if it fits into one line of ASCII, else as encoded words (RFC 2047), one per line.
std::string encode_words(std::string_view text) {
  const bool is_ascii = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (is_ascii && text.size() <= kMaxLine - std::string_view("Subject: ").size() &&
      text.find("=?") == std::string_view::npos)
    return std::string(text);
  std::string encoded;
  while (!text.empty()) {
    std::size_t bytes = 0;
    while (bytes < text.size()) {
      const std::size_t length = std::max<std::size_t>(1, utf8::sequence_length(text.substr(bytes)));
      if (bytes + length > kMaxWordBytes) break;
      bytes += length;
    }
    encoded.append(encoded.empty() ? "" : "\r\n ").append("=?UTF-8?B?").append(to_base64(text.substr(0, bytes)));
    encoded.append("?=");
    text.remove_prefix(bytes);
  }
  return encoded;
}

/// Returns a display name for the From field: quoted (RFC 5322 section 3.2.4) or encoded.
std::string encode_name(std::string_view name) {
  const std::string words = encode_words(name);
  if (words != name) return words;
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// Appends a text as quoted-printable (RFC 2045 section 6.7).
void append_quoted_printable(std::string& message, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::size_t column = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool ends_line = i + 1 == text.size() || text[i + 1] == '\n' || text.substr(i + 1).starts_with("\r\n");
    if (byte == '\r' && text.substr(i).starts_with("\r\n")) continue;
    if (byte == '\n') {
      message += kLineEnd;
      column = 0;
      continue;
    }
    // A point or "From " at the start of a line would be changed on the way.
    const bool is_plain = byte >= ' ' && byte <= '~' && byte != '=' && !(byte == ' ' && ends_line) &&
                          !(column == 0 && (byte == '.' || byte == 'F'));
    const std::size_t length = is_plain ? 1 : 3;
    if (column + length >= kMaxLine) {
      message.append("=").append(kLineEnd);
      column = 0;
    }
    if (is_plain)
      message += static_cast<char>(byte);
    else
      message.append({'=', kDigits[byte >> 4], kDigits[byte & 15]});
    column += length;
  }
  if (column != 0) message += kLineEnd;
}

}  // namespace

Result<Sender> parse_sender(std::string_view from) {
  Sender sender;
  std::string_view address = from;
  if (const std::size_t begin = from.rfind('<'); begin != std::string_view::npos && from.ends_with('>')) {
    address = from.substr(begin + 1, from.size() - begin - 2);
    sender.name = utf8::trimmed(from.substr(0, begin));
  }
  const bool is_ascii = std::all_of(address.begin(), address.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!is_ascii || !model::parse_email(address) || !utf8::is_valid(from) || utf8::has_control(from))
    return invalid_argument("from", "must be an address such as docs@example.org or Example Docs <docs@example.org>");
  sender.address = address;
  return sender;
}

std::string compose(const ports::Mail& mail, const Sender& sender, model::Instant date) {
  const std::string boundary = "part-" + std::string(mail.id);
  const std::string domain = sender.address.substr(sender.address.rfind('@') + 1);
  std::string message;
  const auto add_field = [&message](std::string_view name, std::string_view value) {
    message.append(name).append(": ").append(value).append(kLineEnd);
  };
  const auto add_part = [&](std::string_view type, std::string_view text) {
    message.append("--").append(boundary).append(kLineEnd);
    add_field("Content-Type", std::string(type) + "; charset=utf-8");
    add_field("Content-Transfer-Encoding", "quoted-printable");
    message.append(kLineEnd);
    append_quoted_printable(message, text);
  };
  add_field("Date", format_date(date, "+0000"));
  add_field("From", sender.name.empty() ? sender.address : encode_name(sender.name) + " <" + sender.address + '>');
  add_field("To", one_line(mail.to));
  add_field("Subject", encode_words(one_line(mail.subject)));
  add_field("Message-ID", '<' + std::string(mail.id) + '@' + domain + '>');
  add_field("Auto-Submitted", "auto-generated");  // RFC 3834: no automatic replies
  add_field("MIME-Version", "1.0");
  add_field("Content-Type", "multipart/alternative; boundary=\"" + boundary + '"');
  message.append(kLineEnd);
  add_part("text/plain", mail.text);
  add_part("text/html", mail.html);
  message.append("--").append(boundary).append("--").append(kLineEnd);
  return message;
}

}  // namespace kbase::mail
