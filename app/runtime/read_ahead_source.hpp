// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ports/driven/content_source.hpp"
#include "ports/driven/markup.hpp"

namespace kbase::runtime {

/// Documents that were made before they are asked for. One thread at a time.
class PreparedMarkup final : public ports::Markup {
 public:
  /// `markup` must outlive the object.
  explicit PreparedMarkup(const ports::Markup& markup) : markup_(markup) {}

  const ports::Markup& markup() const { return markup_; }

  /// The next document() of `content`, the same bytes at the same place, is `document`, which it moves from. Null
  /// `document`: it is made when it is asked for.
  void offer(std::string_view content, model::Document* document) {
    content_ = content;
    document_ = document;
  }

  model::Document document(std::string_view content, model::Format format) const override {
    if (document_ != nullptr && content.data() == content_.data() && content.size() == content_.size())
      return std::move(*std::exchange(document_, nullptr));
    return markup_.document(content, format);
  }
  model::PageHead head(std::string_view html) const override { return markup_.head(html); }
  std::string main_part(std::string_view html, std::string_view address) const override {
    return markup_.main_part(html, address);
  }
  std::string line(std::string_view markdown) const override { return markup_.line(markdown); }

 private:
  const ports::Markup& markup_;
  std::string_view content_;
  mutable model::Document* document_ = nullptr;
};

/// Reads a source on a separate thread, at most a few thousand records ahead, so that reading and storing run in
/// parallel. The thread also makes the documents of the items when storing is slower. Returns the records and errors of
/// `source`.
class ReadAheadSource final : public ports::ContentSource {
 public:
  /// Both must outlive the object. `prepared` must be the markup that the visitor uses.
  ReadAheadSource(ports::ContentSource& source, PreparedMarkup& prepared) : source_(source), prepared_(prepared) {}

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
  PreparedMarkup& prepared_;
};

}  // namespace kbase::runtime
