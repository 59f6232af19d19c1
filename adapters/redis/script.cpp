// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/script.hpp"

#include <openssl/evp.h>

#include <array>
#include <new>
#include <vector>

namespace kbase::redis {
namespace {

std::string sha1_of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha1(), nullptr) != 1) throw std::bad_alloc();
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (unsigned i = 0; i < size; ++i) {
    digits += kDigits[bytes[i] / 16];
    digits += kDigits[bytes[i] % 16];
  }
  return digits;
}

}  // namespace

Script::Script(std::string_view text) : text_(text), digest_(sha1_of(text)) {}

Commands Script::call(Form form, std::string_view key, std::initializer_list<std::string_view> arguments) const {
  const bool is_whole = form == Form::Whole;
  std::vector<std::string_view> words{is_whole ? "EVAL" : "EVALSHA", is_whole ? text_ : std::string_view(digest_), "1",
                                      key};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Commands commands;
  commands.add(words);
  return commands;
}

}  // namespace kbase::redis
