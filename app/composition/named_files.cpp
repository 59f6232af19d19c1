// SPDX-License-Identifier: Apache-2.0
#include "app/composition/named_files.hpp"

#include <string>

#include "app/composition/explorer_site.hpp"
#include "app/composition/upstreams.hpp"

namespace kbase::composition {

model::Status check_named_files(const config::Settings& settings) {
  if (const std::string defect = defect_of_pages(settings.explorer); !defect.empty())
    return model::invalid_argument("explorer.path", defect);
  if (const std::string defect = defect_of_ca_file(settings.upstream); !defect.empty())
    return model::invalid_argument("upstream.ca_file", defect);
  return {};
}

}  // namespace kbase::composition
