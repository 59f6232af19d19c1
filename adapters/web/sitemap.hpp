// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/model/day.hpp"

namespace kbase::web {

/// A sitemap or an index of sitemaps (sitemaps.org, protocol 0.9).
struct Sitemap {
  struct Entry {
    std::string address;  ///< as written
    std::optional<model::Day> modified;
  };
  bool is_index = false;  ///< the entries are sitemaps, not pages
  std::vector<Entry> entries;
};

/// Whether `text` is XML, so that it may be a sitemap.
bool is_xml(std::string_view text);

/// Why a text is not a sitemap.
struct SitemapDefect {
  std::uint64_t line = 0;  ///< 0: the text as a whole
  std::string reason;
};

std::variant<Sitemap, SitemapDefect> parse_sitemap(std::string_view text);

}  // namespace kbase::web
