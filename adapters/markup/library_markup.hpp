// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ports/driven/markup.hpp"
#include "ports/driven/page_markup.hpp"

namespace kbase::markup {

/// Reads Markdown with md4c (CommonMark 0.31 and the extensions of GitHub) after plain_markdown() has removed the
/// notations of generators, and HTML with libxml2. Thread-safe.
class LibraryMarkup final : public ports::Markup, public ports::PageMarkup {
 public:
  model::Document document(std::string_view content, model::Format format) const override;
  std::string html(std::string_view content, model::Format format, const ports::PageOptions& options) const override;
  model::PageHead head(std::string_view html) const override;
  std::string main_part(std::string_view html, std::string_view address) const override;
  std::string line(std::string_view markdown) const override;
};

}  // namespace kbase::markup
