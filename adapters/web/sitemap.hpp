// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
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

/// Parses a sitemap. `name` is its name in messages. InvalidArgument: the text is not XML, or its first element is not
/// that of a sitemap.
Result<Sitemap> parse_sitemap(std::string_view text, std::string_view name);

}  // namespace kbase::web
