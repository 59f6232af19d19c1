// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "adapters/http/server.hpp"
#include "app/config/settings.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::composition {

/// Returns why the configured explorer folder is unusable. Empty: it is usable, or none is configured.
std::string find_site_defect(const config::Explorer& settings);

/// Returns the pages served in addition to the API: `index.html` of the explorer's folder at /, `docs/index.html` at
/// /docs, and every other file below /explorer/. In HTML files it fills in the contents of the elements `<meta
/// name="kbase-base" content="...">` (the API's base path) and `kbase-name` (the name of the knowledge base).
///
/// Empty if the explorer is disabled, or if the program was installed without it; the latter is logged as a warning.
/// Error: Unsupported if the configured folder has no `index.html`, is larger than 16 MiB (the pages are kept in
/// memory), or cannot be read.
Result<std::vector<http::SiteFile>> load_explorer_site(const config::Settings& settings, ports::EventLog& log);

}  // namespace kbase::composition
