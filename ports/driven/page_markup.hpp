// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/model/document.hpp"

namespace kbase::ports {

/// What must be known to show a content in a page.
struct PageOptions {
  std::string_view title;    ///< of the page; a first heading that repeats it is left out
  std::string_view address;  ///< public address of the content, to which relative ones refer; empty: it has none
  /// Returns the address of another page that a relative link means; empty: it means none, and `address` is looked at.
  FunctionRef<std::string(std::string_view target)> link;
};

/// Turns what authors write into a part of a page. Pure functions of their arguments; any thread.
class PageMarkup {
 public:
  virtual ~PageMarkup() = default;

  /// Returns `content`, which must be valid UTF-8, as HTML that is safe to be part of a page: without scripts, styles,
  /// forms and what Markup::document() leaves out. Headings have the anchors of its sections. The time is linear in the
  /// size of the content, whatever its nesting.
  virtual std::string html(std::string_view content, model::Format format, const PageOptions& options) const = 0;
};

}  // namespace kbase::ports
