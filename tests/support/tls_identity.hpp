// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

typedef struct ssl_ctx_st SSL_CTX;

namespace kbase::tests {

/// A server's key and self-signed certificate for one name, created in each run so that it never expires.
class TlsIdentity {
 public:
  /// `name` is the host name that clients use, "localhost". Throws std::runtime_error.
  explicit TlsIdentity(const std::string& name);

  /// The certificate that a client must trust, in PEM.
  const std::string& certificate() const { return certificate_; }

  /// Writes the certificate to a file in `folder` and returns its path.
  std::string certificate_in(const std::filesystem::path& folder) const;

  /// The private key in PEM, for a server in a separate process.
  const std::string& key() const { return key_; }

  SSL_CTX* context() const { return context_.get(); }

 private:
  std::shared_ptr<SSL_CTX> context_;
  std::string certificate_;
  std::string key_;
};

}  // namespace kbase::tests
