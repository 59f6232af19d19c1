// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adapters/content/content_source.hpp"
#include "adapters/web/web_source.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {

/// Opens a source of an import: a web address by web::open_site(), any other name by content::open_source(). The
/// converters are those of the settings. Settings, platform and back ends must outlive the source. Errors: those of the
/// two functions.
Result<std::unique_ptr<ports::ContentSource>> open_source(const std::string& name, content::SourceOptions options,
                                                          const web::CrawlOptions& crawl,
                                                          const config::Settings& settings, const Platform& platform,
                                                          Backends& backends, const ports::Call& call);

}  // namespace kbase::composition
