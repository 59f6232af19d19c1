// SPDX-License-Identifier: Apache-2.0
#include "app/composition/content_sources.hpp"

#include <thread>

#include "adapters/web/web_address.hpp"
#include "domain/base/encoding.hpp"

namespace kbase::composition {
namespace {

/// Returns the file that keeps the responses of the site for the next import.
std::string cache_file(const config::Settings& settings, const Platform& platform, std::string_view name) {
  constexpr std::size_t kBytes = 16;
  const auto hash = platform.digest.sha256(name);
  return settings.data_dir + "/web/" + to_hex(std::span(hash).first(kBytes)) + ".pages";
}

}  // namespace

Result<std::unique_ptr<ports::ContentSource>> open_source(const std::string& name, content::SourceOptions options,
                                                          const web::CrawlOptions& crawl,
                                                          const config::Settings& settings, const Platform& platform,
                                                          Backends& backends, const ports::Call& call) {
  options.converters = settings.content.converters;
  if (!web::is_address(name))
    return content::open_source(name, options, platform.markup, model::day_of(platform.clock.now()), call);
  web::CrawlServices services{
      platform.markup, platform.clock, [&backends](const std::string& url) { return backends.open_web_client(url); },
      [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }, cache_file(settings, platform, name)};
  return web::open_site(name, options, crawl, std::move(services));
}

}  // namespace kbase::composition
