// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/http/server_options.hpp"
#include "app/config/settings.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::composition {

/// Returns the options of the HTTP server from the configuration and the capabilities of the stores, without `site`.
http::ServerOptions server_options(const config::Settings& settings, const ports::ItemStore& items,
                                   const ports::SearchIndex& index);

/// Returns the options of the admin listener. Requires `settings.admin.port`.
http::ServerOptions admin_options(const config::Settings& settings);

}  // namespace kbase::composition
