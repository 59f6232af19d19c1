// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/page_ids.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace kbase::usecases {
namespace {

constexpr std::size_t kMaxCompared = 500;

/// The source that owns a stored item; nullopt: there is no such item.
Result<std::optional<std::string>> owner_of(ports::Call& call, ports::ItemStore& items, std::string_view id) {
  std::optional<std::string> owner;
  const auto found = items.get(call, id, [&](const model::ItemView& item) {
    owner = item.source;
    return Visit::Stop;
  });
  if (!found && found.error().code != ErrorCode::NotFound) return found.error();
  return owner;
}

}  // namespace

Status choose_page_ids(ports::Call& call, ports::ItemStore& items, ports::ContentSource& source, std::string_view owner,
                       ports::PageIdChoice choice) {
  if (choice == ports::PageIdChoice::ByName) source.use_names_as_ids();
  if (choice != ports::PageIdChoice::AsBefore) return {};
  std::vector<ports::PageIds> ids = source.page_ids();
  if (ids.size() > kMaxCompared) ids.resize(kMaxCompared);
  std::size_t owned = 0, unowned = 0;  // stored pages with ids by name
  for (const ports::PageIds& each : ids) {
    const auto by_path = KBASE_TRY(owner_of(call, items, each.by_path));
    if (by_path && *by_path == owner) return {};
    const auto by_name = KBASE_TRY(owner_of(call, items, each.by_name));
    if (!by_name) continue;
    if (*by_name == owner) ++owned;
    if (by_name->empty()) ++unowned;
  }
  if (owned > 0) {
    source.use_names_as_ids();
    return {};
  }
  if (unowned == 0) return {};
  return invalid_argument("ids",
                          std::to_string(unowned) + (unowned == 1 ? " page is" : " pages are") +
                              " stored under the name of the file, as kbase 1.0 did; --ids name keeps these ids, "
                              "and --ids path gives new ones by path; the choice is needed once");
}

}  // namespace kbase::usecases
