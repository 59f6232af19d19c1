// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "adapters/redis/reply.hpp"

namespace kbase::redis {

/// A Lua script about one key: the whole of it happens in the server, between two commands of others.
class Script {
 public:
  /// The text outlives it.
  explicit Script(std::string_view text);

  std::string_view text() const { return text_; }

  enum class Form {
    ByDigest,  ///< NOSCRIPT, with nothing done, where the server does not know it
    Whole,     ///< sends the text, which the server then knows
  };
  Commands call(Form form, std::string_view key, std::initializer_list<std::string_view> arguments) const;

 private:
  const std::string_view text_;
  const std::string digest_;  // SHA-1 in hexadecimal digits, the script's name for EVALSHA
};

}  // namespace kbase::redis
