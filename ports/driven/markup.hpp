// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/model/document.hpp"

namespace kbase::ports {

/// Turns what authors write into what readers read. Pure functions of their arguments; any thread.
class Markup {
 public:
  virtual ~Markup() = default;

  /// Returns the text and the sections of `content`, which must be valid UTF-8. Malformed markup is text. Code, names
  /// in code and the text of links stay. Comments, tags, directives, shortcodes, imports, link targets and entities do
  /// not. The time is linear in the size of the content, whatever its nesting.
  virtual model::Document document(std::string_view content, model::Format format) const = 0;

  /// Returns what the head of an HTML page says.
  virtual model::PageHead head(std::string_view html) const = 0;

  /// Returns the main part of an HTML page as HTML: `<main>`, else `<article>`, else the body without navigation.
  /// Addresses in it are absolute; `address` is that of the page.
  virtual std::string main_part(std::string_view html, std::string_view address) const = 0;

  /// Returns a text written in Markdown, such as a title, as plain text in one line.
  virtual std::string line(std::string_view markdown) const = 0;
};

}  // namespace kbase::ports
