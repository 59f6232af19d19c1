// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::web {

/// What a robots.txt (RFC 9309) allows a crawler to request.
class Robots {
 public:
  /// Everything is allowed.
  Robots() = default;

  /// Takes the rules for `product`, a name in lower case, else those for all crawlers. Lines that are no rules are
  /// ignored, as is everything after the first 512 KiB (section 2.5).
  Robots(std::string_view text, std::string_view product);

  /// Whether the path with its query may be requested: the longest rule that matches decides, and `Allow` wins over an
  /// equal `Disallow` (section 2.2.2).
  bool allows(std::string_view target) const;

  /// The pause between two requests that the site asks for (`Crawl-delay`, not part of the RFC), at most one minute.
  std::chrono::milliseconds delay() const { return delay_; }

  const std::vector<std::string>& sitemaps() const { return sitemaps_; }

 private:
  struct Rule {
    std::string pattern;
    bool allows = false;
  };

  std::vector<Rule> rules_;
  std::vector<std::string> sitemaps_;
  std::chrono::milliseconds delay_{0};
};

}  // namespace kbase::web
