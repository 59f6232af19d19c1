// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "domain/model/synonyms.hpp"

namespace kbase::ports {

/// The synonyms of the base, as far as this server has read them. Any thread; never blocks.
class SynonymSource {
 public:
  virtual ~SynonymSource() = default;

  /// Never null.
  virtual std::shared_ptr<const model::SynonymTable> current() const = 0;
};

}  // namespace kbase::ports
