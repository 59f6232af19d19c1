// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

typedef struct ssl_ctx_st SSL_CTX;

namespace kbase::tests {

/// A server's key and certificate, signed by itself for one name and made anew in each run, so that nothing expires.
class TlsIdentity {
 public:
  /// `name` as clients ask for it, "localhost". Throws std::runtime_error.
  explicit TlsIdentity(const std::string& name);

  /// What a client must trust, in PEM.
  const std::string& certificate() const { return certificate_; }

  /// The same in a file of the folder, for clients that are told of one.
  std::string certificate_in(const std::filesystem::path& folder) const;

  /// The key in PEM, for a server that is a program of its own.
  const std::string& key() const { return key_; }

  SSL_CTX* context() const { return context_.get(); }

 private:
  std::shared_ptr<SSL_CTX> context_;
  std::string certificate_;
  std::string key_;
};

}  // namespace kbase::tests
