// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/content_source.hpp"

namespace kbase::runtime {

/// A source that is read on a thread of its own, a few thousand records ahead at most, so that reading and storing
/// share the machine's cores. Records and errors come as from the source itself, which outlives this object.
class ReadAheadSource final : public ports::ContentSource {
 public:
  explicit ReadAheadSource(ports::ContentSource& source) : source_(source) {}

  std::string_view name() const override { return source_.name(); }
  std::string_view wanted() const override { return source_.wanted(); }
  std::optional<double> progress() const override { return source_.progress(); }
  model::Status read(ports::Call& call, model::Visitor<ports::ContentRecord> visitor) override;

 private:
  ports::ContentSource& source_;
};

}  // namespace kbase::runtime
