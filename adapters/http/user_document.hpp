// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/user_writer.hpp"

namespace kbase::http {

/// Writer of code-hosting users as the JSON object `data` of a response (docs/guide/code-host-users.md).
class UserDocuments final : public ports::UserWriters {
 public:
  std::unique_ptr<ports::UserWriter> begin() const override;
};

}  // namespace kbase::http
