// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "ports/driven/code_host.hpp"

namespace kbase::ports {

/// Writes what it is told about one user as the text that clients get. One thread.
class UserWriter : public UserVisitor {
 public:
  /// The whole text. Once, after the profile was told.
  virtual std::string finish() = 0;
};

/// Any thread.
class UserWriters {
 public:
  virtual ~UserWriters() = default;

  virtual std::unique_ptr<UserWriter> begin() const = 0;
};

}  // namespace kbase::ports
