// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;

namespace kbase::redis {

struct TlsFiles {
  std::string authorities;  ///< PEM of those that certificates must lead to; empty: the system's
  std::string certificate;  ///< PEM of this client's own chain; empty: it shows none
  std::string key;          ///< PEM of the certificate's key
};

/// What all TLS connections share. Any thread.
class TlsContext {
 public:
  /// InvalidArgument that names the setting whose file cannot be used.
  static model::Result<std::shared_ptr<const TlsContext>> make(const TlsFiles& files);

  SSL_CTX* handle() const { return handle_.get(); }

 private:
  explicit TlsContext(std::shared_ptr<SSL_CTX> handle) : handle_(std::move(handle)) {}
  std::shared_ptr<SSL_CTX> handle_;
};

/// TLS on a connected socket that does not block. The server's certificate must be one of `host`. One thread at a time.
class TlsSession {
 public:
  /// What a step came to: bytes that were moved, or that the socket has to be readable or writable first.
  struct Step {
    std::size_t bytes = 0;
    bool wants_write = false;
  };

  /// `socket` outlives this, `host` is a name or an address. Throws std::invalid_argument where it is neither, so that
  /// no certificate could be checked against it.
  TlsSession(const TlsContext& context, int socket, const std::string& host);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  /// True: it is done.
  model::Result<bool> shake_hands();

  /// How many bytes the server has sent, those of the handshake too.
  std::uint64_t received() const;

  /// Unavailable with the reason: the session has ended.
  model::Result<Step> send(std::string_view bytes);
  model::Result<Step> receive(std::span<char> room);

 private:
  struct Free {
    void operator()(SSL* session) const noexcept;
  };
  bool expect(const std::string& host);
  model::Result<Step> step_of(int result);

  int socket_;
  std::unique_ptr<SSL, Free> session_;
};

}  // namespace kbase::redis
