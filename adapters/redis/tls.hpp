// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;

namespace kbase::redis {

struct TlsFiles {
  std::string authorities;  ///< PEM file of trusted authorities; empty: those of the system
  std::string certificate;  ///< PEM file of the client's certificate chain; empty: no client certificate
  std::string key;          ///< PEM file of the certificate's private key
};

/// Settings shared by all TLS connections. Thread-safe.
class TlsContext {
 public:
  /// InvalidArgument: a file cannot be used; the error names its setting.
  static Result<std::shared_ptr<const TlsContext>> make(const TlsFiles& files);

  SSL_CTX* handle() const { return handle_.get(); }

 private:
  explicit TlsContext(std::shared_ptr<SSL_CTX> handle) : handle_(std::move(handle)) {}
  std::shared_ptr<SSL_CTX> handle_;
};

/// TLS on a connected nonblocking socket. Requires a server certificate for `host`. Not thread-safe.
class TlsSession {
 public:
  /// Result of a step: the number of bytes moved, or 0 if the socket must first become readable or writable.
  struct Step {
    std::size_t bytes = 0;
    bool wants_write = false;
  };

  /// `socket` must outlive this object. `host` is a name or an address; throws std::invalid_argument if it is neither,
  /// because no certificate could be checked against it.
  TlsSession(const TlsContext& context, int socket, const std::string& host);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  /// True: the handshake is complete.
  Result<bool> handshake();

  /// Number of bytes received from the server, including the handshake.
  std::uint64_t received() const;

  /// Unavailable: the session has ended; the detail has the reason.
  Result<Step> send(std::string_view bytes);
  Result<Step> receive(std::span<char> buffer);

 private:
  struct Deleter {
    void operator()(SSL* session) const noexcept;
  };
  bool require_host(const std::string& host);
  Result<Step> handle_result(int result);

  int socket_;
  std::unique_ptr<SSL, Deleter> session_;
};

}  // namespace kbase::redis
