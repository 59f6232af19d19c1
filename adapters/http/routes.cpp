// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/routes.hpp"

#include <array>

namespace kbase::http {
namespace {

using model::Scope;

constexpr std::array<Route, 13> kRoutes = {{
    {"/search", Method::Get, Work::Search, Scope::Read, Key::Optional, Quota::Counted, get_search},
    {"/suggest", Method::Get, Work::Search, Scope::Read, Key::Optional, Quota::Counted, get_suggestions},
    {"/categories", Method::Get, Work::Catalog, Scope::Read, Key::Optional, Quota::Counted, get_categories},
    {"/category/{id}", Method::Get, Work::Catalog, Scope::Read, Key::Optional, Quota::Counted, get_category},
    {"/item/{id}", Method::Get, Work::Catalog, Scope::Read, Key::Optional, Quota::Counted, get_item},
    {"/item/{id}/related", Method::Get, Work::CatalogAndSearch, Scope::Read, Key::Optional, Quota::Counted,
     get_related},
    {"/popular", Method::Get, Work::CatalogAndSearch, Scope::Read, Key::Optional, Quota::Counted, get_popular},
    {"/recent", Method::Get, Work::Catalog, Scope::Read, Key::Optional, Quota::Counted, get_recent},
    {"/stats", Method::Get, Work::Statistics, Scope::Read, Key::Optional, Quota::Counted, get_statistics},
    {"/health", Method::Get, Work::Health, Scope::Read, Key::Optional, Quota::Free, get_health},
    {"/openapi.json", Method::Get, Work::Description, Scope::Read, Key::Optional, Quota::Counted, get_description},
    {"/external/codehost/{username}", Method::Get, Work::Codehost, Scope::Codehost, Key::Optional, Quota::Counted,
     get_codehost_user},
    {"/external/llm", Method::Post, Work::Llm, Scope::Llm, Key::Required, Quota::CountedExactly, post_completion},
}};

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

}  // namespace kbase::http
