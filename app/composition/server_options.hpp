// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/http/server_options.hpp"
#include "app/config/settings.hpp"
#include "ports/driven/item_store.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::composition {

/// What the HTTP adapter is to do by the configuration, and by what the stores behind it can; without its site.
http::ServerOptions server_options(const config::Settings& settings, const ports::ItemStore& items,
                                   const ports::SearchIndex& index);

/// The same for the operator's listener; `settings.admin.port` is set.
http::ServerOptions admin_options(const config::Settings& settings);

}  // namespace kbase::composition
