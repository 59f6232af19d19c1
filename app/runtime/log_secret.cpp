// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/log_secret.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "adapters/content/output_file.hpp"

namespace kbase::runtime {
namespace {

constexpr std::size_t kSecretBytes = 32;

model::Error unreadable(const std::filesystem::path& file) {
  return {model::ErrorCode::Unavailable, "cannot read " + file.string() + ": " + std::strerror(errno), {}, {}, {}};
}

model::Result<std::string> read_secret(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) return unreadable(file);
  std::string secret(std::istreambuf_iterator<char>(stream), {});
  if (stream.bad()) return unreadable(file);
  if (secret.size() == kSecretBytes) return secret;
  return model::Error{
      model::ErrorCode::Corrupt,
      file.string() + " is not the secret that kbase put there; restore it, or remove it to get another one",
      {},
      {},
      {}};
}

model::Status keep_secret(const std::filesystem::path& path, std::string_view secret) {
  auto file = content::OutputFile::open(path.string(), content::OutputFile::Readers::OwnerOnly);
  if (!file) return file.error();
  if (auto written = (*file)->write(secret); !written) return written;
  return (*file)->finish();
}

}  // namespace

model::Result<std::string> log_secret(const std::filesystem::path& file, ports::Random& random) {
  std::error_code failed;
  if (std::filesystem::exists(file, failed)) return read_secret(file);
  std::array<std::uint8_t, kSecretBytes> bytes;
  random.fill(bytes);
  const std::string secret(bytes.begin(), bytes.end());
  if (auto kept = keep_secret(file, secret); !kept) return kept.error();
  return secret;
}

}  // namespace kbase::runtime
