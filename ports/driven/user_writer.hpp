// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ports/driven/code_host.hpp"

namespace kbase::ports {

/// Formats the data of one user as the response text for clients. Single-threaded.
class UserWriter : public UserVisitor {
 public:
  /// Returns the whole text. Call it once, after the profile was passed.
  virtual std::string finish() = 0;
};

/// Creates user writers. Any thread.
class UserWriters {
 public:
  virtual ~UserWriters() = default;

  virtual std::unique_ptr<UserWriter> begin() const = 0;
};

}  // namespace kbase::ports
