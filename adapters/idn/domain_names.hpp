// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/mailer.hpp"

namespace kbase::idn {

/// Converts domain names with libidn2. Thread-safe.
class DomainNames final : public ports::DomainNames {
 public:
  std::optional<std::string> to_ascii(std::string_view name) const override;
};

}  // namespace kbase::idn
