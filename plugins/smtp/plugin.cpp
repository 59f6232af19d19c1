// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"

#include "adapters/smtp/smtp_mailer.hpp"
#include "domain/base/result.hpp"

namespace kbase::smtp {
namespace {

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "required": ["url", "from"], "properties": {
    "url": {"type": "string", "minLength": 1,
      "description": "The mail server: smtp://HOST:587 (STARTTLS) or smtps://HOST:465 (TLS from the first byte)."},
    "user": {"type": "string", "default": "", "description": "User name for the login. Empty: no login."},
    "password": {"type": "string", "writeOnly": true, "default": "", "description": "Password for the login."},
    "from": {"type": "string", "minLength": 1,
      "description": "Sender of the mails: docs@example.org or Example Docs <docs@example.org>."},
    "tls": {"type": "string", "enum": ["required", "if_offered", "none"],
      "description": "Whether smtp:// uses TLS. Default: required with a login, except to this machine; else if_offered. smtps:// always uses it."},
    "ca_file": {"type": "string", "format": "path",
      "description": "File with the certificates of the authorities that may sign the server's certificate (PEM). Default: those of the system."}}})";

/// Whether the server of the URL is this machine, so that no one can listen on the way to it.
bool is_local(const std::string& url) {
  const std::string host = url.substr(std::min(url.size(), url.find("://") + 3));
  return host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]");
}

Tls read_tls(const sdk::Settings& settings, const Options& options) {
  const bool has_login = !options.user.empty();
  const std::string tls = settings.text("tls", has_login && !is_local(options.url) ? "required" : "if_offered");
  return tls == "required" ? Tls::Required : tls == "none" ? Tls::None : Tls::IfOffered;
}

sdk::Opened<ports::Mailer> open_mailer(sdk::Setup& setup) {
  const sdk::Settings& settings = setup.settings();
  Options options;
  options.url = settings.text("url", "");
  options.user = settings.text("user", "");
  options.password = settings.text("password", "");
  options.authorities = settings.path("ca_file", "").string();
  options.tls = read_tls(settings, options);
  options.sender = KBASE_TRY(mail::parse_sender(settings.text("from", "")));
  auto made = KBASE_TRY(SmtpMailer::make(std::move(options), setup.clock()));
  return std::shared_ptr<ports::Mailer>(std::move(made));
}

const auto kMailer = sdk::table<ports::Mailer, open_mailer>({.config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kMailer); }

constexpr kb_plugin kPlugin = sdk::descriptor("org.kbase.smtp", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::smtp

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::smtp::kPlugin; }
