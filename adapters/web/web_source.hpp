// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "adapters/content/folder_source.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/content_source.hpp"
#include "ports/driven/http_client.hpp"
#include "ports/driven/markup.hpp"

namespace kbase::web {

/// Which pages of a site are read, and how fast.
struct CrawlOptions {
  std::string limit_to;  ///< only pages below this address; empty: below the folder of the sitemap
  unsigned max_pages = 10'000;
  double requests_per_second = 5;  ///< 0: no limit
};

/// What a crawl needs of the program. The members must outlive the source.
struct CrawlServices {
  const ports::Markup& markup;
  const ports::Clock& clock;
  /// Returns a client that may connect to the origin of `url`.
  std::function<Result<std::unique_ptr<ports::HttpClient>>(const std::string& url)> client;
  std::function<void(std::chrono::milliseconds)> pause;
  std::string cache_file;  ///< keeps responses for the next run; empty: none are kept
};

/// Opens the page at `name`, or the pages of the sitemap there (docs/content/web-sites.md), without a request. Follows
/// robots.txt and stays within the origin of `name`. InvalidArgument: `name` or `limit_to` is not an address, or they
/// have different origins.
Result<std::unique_ptr<ports::ContentSource>> open_site(std::string name, const content::SourceOptions& options,
                                                        const CrawlOptions& crawl, CrawlServices services);

}  // namespace kbase::web
