// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ports/driven/markup.hpp"

namespace kbase::tests {

/// A markup in which the text of a document is its content, and a line that begins with "# " is a section.
class PlainMarkup final : public ports::Markup {
 public:
  model::Document document(std::string_view content, model::Format) const override {
    model::Document document;
    document.text = content;
    for (std::size_t begin = 0; begin < content.size();
         begin = std::min(content.find('\n', begin), content.size() - 1) + 1) {
      if (!content.substr(begin).starts_with("# ")) continue;
      const std::string heading(content.substr(begin + 2, content.find('\n', begin) - begin - 2));
      if (document.heading.empty()) document.heading = heading;
      document.sections.push_back({1, heading, "to-" + std::to_string(document.sections.size()), begin});
    }
    return document;
  }

  model::PageHead head(std::string_view) const override { return {}; }

  std::string main_part(std::string_view html, std::string_view) const override { return std::string(html); }

  std::string line(std::string_view markdown) const override { return std::string(markdown); }
};

inline const PlainMarkup kPlainMarkup;

}  // namespace kbase::tests
