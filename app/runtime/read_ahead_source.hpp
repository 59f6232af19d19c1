// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/content_source.hpp"

namespace kbase::runtime {

/// Reads a source on a separate thread, at most a few thousand records ahead, so that reading and storing run in
/// parallel. Returns the records and errors of `source`, which must outlive this object.
class ReadAheadSource final : public ports::ContentSource {
 public:
  explicit ReadAheadSource(ports::ContentSource& source) : source_(source) {}

  std::string_view name() const override { return source_.name(); }
  std::string_view owner() const override { return source_.owner(); }
  std::vector<ports::PageIds> page_ids() const override { return source_.page_ids(); }
  void use_names_as_ids() override { source_.use_names_as_ids(); }
  ports::SourceNotes notes() const override { return source_.notes(); }
  std::string_view expected_content() const override { return source_.expected_content(); }
  std::optional<double> progress() const override { return source_.progress(); }
  Status read(ports::Call& call, Visitor<ports::ContentRecord> visitor) override;

 private:
  ports::ContentSource& source_;
};

}  // namespace kbase::runtime
