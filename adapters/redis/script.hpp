// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "adapters/redis/reply.hpp"

namespace kbase::redis {

/// A Lua script on one key. The server runs it atomically.
class Script {
 public:
  /// `text` must outlive the script.
  explicit Script(std::string_view text);

  std::string_view text() const { return text_; }

  enum class Form {
    ByDigest,  ///< EVALSHA; a server that does not know the script replies NOSCRIPT and does nothing
    Whole,     ///< EVAL with the text, which the server then caches
  };
  Commands call(Form form, std::string_view key, std::initializer_list<std::string_view> arguments) const;

 private:
  const std::string_view text_;
  const std::string digest_;  // hexadecimal SHA-1, the name of the script for EVALSHA
};

}  // namespace kbase::redis
