// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace kbase::tls {

/// Returns the file with the certificate authorities of this system, or nullptr if none is known. OpenSSL and libcurl
/// know only the file of the distribution that built them, and an archive of kbase also runs on others. The paths are
/// those of Debian, Fedora, Enterprise Linux, openSUSE and Alpine (Go's crypto/x509/root_linux.go).
inline const char* find_system_authorities() {
  static constexpr std::array<const char*, 5> kFiles = {
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};
  std::error_code ignored;
  const auto found =
      std::ranges::find_if(kFiles, [&](const char* file) { return std::filesystem::exists(file, ignored); });
  return found == kFiles.end() ? nullptr : *found;
}

}  // namespace kbase::tls
