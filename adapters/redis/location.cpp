// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/location.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>

#include "adapters/base/authorities.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"

namespace kbase::redis {
namespace {

constexpr std::uint16_t kRedisPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;

struct Scheme {
  std::string_view prefix;
  Location::Kind kind;
  bool tls;
};
constexpr std::array<Scheme, 6> kSchemes{{{"redis://", Location::Kind::Single, false},
                                          {"rediss://", Location::Kind::Single, true},
                                          {"redis+sentinel://", Location::Kind::Sentinels, false},
                                          {"rediss+sentinel://", Location::Kind::Sentinels, true},
                                          {"redis+cluster://", Location::Kind::Cluster, false},
                                          {"rediss+cluster://", Location::Kind::Cluster, true}}};

Error url_error(std::string reason) { return invalid_argument("url", "url: " + std::move(reason)); }

/// Removes the part before `mark` from `text`, together with `mark`, and returns it; the whole text if there is no
/// `mark`.
std::string_view split_off(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

template <class Number> std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Decodes percent-encoding (RFC 3986, section 2.1), so that a password can contain any character. Nullopt: invalid.
std::optional<std::string> percent_decode(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const auto byte = percent_escape_at(text, i);
    if (!byte) return std::nullopt;
    plain += static_cast<char>(*byte);
    i += 2;
  }
  return plain;
}

Result<Endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port) {
  Endpoint endpoint{{}, default_port};
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    if (text.find(']') == text.npos) return url_error("an IPv6 address must end with ], as in [::1]");
    endpoint.host = split_off(text, ']');
    if (endpoint.host.find(':') == endpoint.host.npos)
      return url_error("the text between [ and ] must be an IPv6 address, as in [::1]");
    if (!text.empty() && text.front() != ':') return url_error("after [ADDRESS] only :PORT can follow");
    if (!text.empty()) text.remove_prefix(1);
  } else {
    endpoint.host = split_off(text, ':');
  }
  if (endpoint.host.empty()) return url_error("a host is missing");
  if (text.empty()) return endpoint;
  const auto port = parse_number<std::uint16_t>(text);
  if (!port || *port == 0) return url_error("a port must be a number from 1 to 65535");
  endpoint.port = *port;
  return endpoint;
}

Status parse_user(Location& location, std::string_view user) {
  auto name = percent_decode(split_off(user, ':'));
  auto password = percent_decode(user);
  if (!name || !password)
    return url_error(
        "percent-encode the special characters of the user name and password: % as %25, @ as %40, : as %3A, / as %2F");
  location.username = *std::move(name);
  location.password = *std::move(password);
  return {};
}

Status parse_path(Location& location, std::string_view path) {
  if (location.kind == Location::Kind::Sentinels) {
    location.primary = split_off(path, '/');
    if (location.primary.empty())
      return url_error(
          "the name of the primary is missing; add it after the sentinels: redis+sentinel://HOST,HOST/NAME");
  }
  if (path.empty()) return {};
  if (location.kind == Location::Kind::Cluster)
    return url_error("a cluster has no databases; remove the path after the last host");
  const auto database = parse_number<std::uint32_t>(path);
  if (!database) return url_error("the database after the last / must be a number");
  location.database = *database;
  return {};
}

/// Returns the oldest error in OpenSSL's queue of this thread, and clears the queue.
std::string last_error_text() {
  std::array<char, 256> text{};
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown reason";
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

Error file_error(const char* setting, const std::string& file) {
  return invalid_argument(setting, std::string(setting) + ": cannot use the file '" + file + "': " + last_error_text());
}

// Replacement for OpenSSL's socket BIO, which uses write(): on a closed connection that raises SIGPIPE and ends the
// process.

int socket_of(BIO* bio) { return *static_cast<const int*>(BIO_get_data(bio)); }

int write_to_socket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = ::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int read_from_socket(BIO* bio, char* buffer, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t received = ::recv(socket_of(bio), buffer, static_cast<std::size_t>(size), 0);
  if (received < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(received);
}

long control_socket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* socket_method() {
  static const std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> kMethod = [] {
    BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without signals");
    if (method == nullptr) throw std::bad_alloc();
    BIO_meth_set_write(method, write_to_socket);
    BIO_meth_set_read(method, read_from_socket);
    BIO_meth_set_ctrl(method, control_socket);
    return std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)>(method, BIO_meth_free);
  }();
  return kMethod.get();
}

/// Replaces OpenSSL's callback, which would prompt for a password on the terminal.
int refuse_prompt(char*, int, int, void*) { return -1; }

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

/// Trusts the authorities of this system; SSL_CERT_FILE and SSL_CERT_DIR replace them.
void trust_system_authorities(SSL_CTX& context) {
  SSL_CTX_set_default_verify_paths(&context);
  std::error_code ignored;
  if (std::getenv(X509_get_default_cert_file_env()) != nullptr ||
      std::filesystem::exists(X509_get_default_cert_dir(), ignored))
    return;
  if (const char* const file = tls::find_system_authorities()) SSL_CTX_load_verify_file(&context, file);
}

}  // namespace

Result<Location> Location::parse(std::string_view url) {
  Location location;
  std::string_view rest;
  for (const Scheme& scheme : kSchemes) {
    if (!url.starts_with(scheme.prefix)) continue;
    location.kind = scheme.kind;
    location.tls = scheme.tls;
    rest = url.substr(scheme.prefix.size());
  }
  if (rest.data() == nullptr)
    return url_error(
        "it must begin with redis://, redis+sentinel:// or redis+cluster://, or the same with rediss for TLS");
  std::string_view authority = split_off(rest, '/');
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    KBASE_TRY(parse_user(location, authority.substr(0, at)));
    authority.remove_prefix(at + 1);
  }
  const std::uint16_t port = location.kind == Kind::Sentinels ? kSentinelPort : kRedisPort;
  do {
    auto endpoint = KBASE_TRY(parse_endpoint(split_off(authority, ','), port));
    location.endpoints.push_back(std::move(endpoint));
  } while (!authority.empty());
  if (location.kind == Kind::Single && location.endpoints.size() != 1)
    return url_error("redis:// accepts one host; use redis+sentinel:// or redis+cluster:// for several");
  KBASE_TRY(parse_path(location, rest));
  return location;
}

Result<std::shared_ptr<const TlsContext>> TlsContext::make(const TlsFiles& files) {
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (context == nullptr) throw std::bad_alloc();
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_default_passwd_cb(context.get(), refuse_prompt);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (files.authorities.empty()) {
    trust_system_authorities(*context);
  } else if (SSL_CTX_load_verify_file(context.get(), files.authorities.c_str()) != 1) {
    return file_error("tls_ca", files.authorities);
  }
  if (!files.certificate.empty()) {
    if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1)
      return file_error("tls_certificate", files.certificate);
    if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1)
      return file_error("tls_key", files.key);
  }
  return std::shared_ptr<const TlsContext>(new TlsContext(context));
}

void TlsSession::Deleter::operator()(SSL* session) const noexcept { SSL_free(session); }

TlsSession::TlsSession(const TlsContext& context, int socket, const std::string& host)
    : socket_(socket), session_(SSL_new(context.handle())) {
  if (session_ == nullptr) throw std::bad_alloc();
  BIO* const bio = BIO_new(socket_method());
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, &socket_);
  BIO_set_init(bio, 1);
  SSL_set_bio(session_.get(), bio, bio);
  SSL_set_connect_state(session_.get());
  if (!require_host(host))
    throw std::invalid_argument("TLS: no certificate can be verified for the host '" + host + "'");
}

/// Requires a certificate for `host`. Rejects an empty host, which to OpenSSL means that any name is accepted.
bool TlsSession::require_host(const std::string& host) {
  if (host.empty()) return false;
  X509_VERIFY_PARAM* const parameters = SSL_get0_param(session_.get());
  if (is_address(host)) return X509_VERIFY_PARAM_set1_ip_asc(parameters, host.c_str()) == 1;
  if (X509_VERIFY_PARAM_set1_host(parameters, host.data(), host.size()) != 1) return false;
  // Equivalent to SSL_set_tlsext_host_name, without its C cast.
  return SSL_ctrl(session_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                  const_cast<char*>(host.c_str())) == 1;
}

std::uint64_t TlsSession::received() const { return BIO_number_read(SSL_get_rbio(session_.get())); }

Result<TlsSession::Step> TlsSession::handle_result(int result) {
  if (result > 0) return Step{static_cast<std::size_t>(result), false};
  const int system_error = errno;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ: return Step{};
    case SSL_ERROR_WANT_WRITE: return Step{0, true};
    case SSL_ERROR_ZERO_RETURN: return Error{ErrorCode::Unavailable, {}, "the server closed the connection"};
    default: break;
  }
  const long verify_result = SSL_get_verify_result(session_.get());
  std::string reason = "TLS: ";
  if (verify_result != X509_V_OK)
    reason += std::string("the server's certificate was rejected: ") + X509_verify_cert_error_string(verify_result);
  else if (ERR_peek_error() != 0)
    reason += last_error_text();
  else
    reason += system_error != 0 ? std::strerror(system_error) : "the server closed the connection";
  ERR_clear_error();
  return Error{ErrorCode::Unavailable, {}, std::move(reason)};
}

Result<bool> TlsSession::handshake() {
  ERR_clear_error();
  errno = 0;
  const auto step = KBASE_TRY(handle_result(SSL_do_handshake(session_.get())));
  return step.bytes != 0;
}

Result<TlsSession::Step> TlsSession::send(std::string_view bytes) {
  ERR_clear_error();
  errno = 0;
  return handle_result(SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size())));
}

Result<TlsSession::Step> TlsSession::receive(std::span<char> buffer) {
  ERR_clear_error();
  errno = 0;
  return handle_result(SSL_read(session_.get(), buffer.data(), static_cast<int>(buffer.size())));
}

}  // namespace kbase::redis
