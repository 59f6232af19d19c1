// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/user_writer.hpp"

namespace kbase::http {

/// Writes users of the code host as the JSON object that is the `data` of an answer (docs/guide/code-host-users.md).
class UserDocuments final : public ports::UserWriters {
 public:
  std::unique_ptr<ports::UserWriter> begin() const override;
};

}  // namespace kbase::http
