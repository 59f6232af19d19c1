// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "adapters/http/site.hpp"
#include "app/config/settings.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::composition {

/// Why the folder of the configuration has no pages. Empty: it has, or none is named.
std::string defect_of_pages(const config::Explorer& settings);

/// The pages beside the interface: `index.html` of the explorer's folder at /, `docs/index.html` at /docs, and every
/// file below /explorer/. HTML learns the interface's base path and the knowledge base's name from the elements
/// `<meta name="kbase-base" content="...">` and `kbase-name`, whose contents are filled in here.
///
/// Empty where there is to be none, or where the program was installed without it, which the log says.
/// Unsupported: the configured folder has no `index.html`, or is too large to be kept in memory.
model::Result<std::vector<http::SiteFile>> explorer_site(const config::Settings& settings, ports::EventLog& log);

}  // namespace kbase::composition
