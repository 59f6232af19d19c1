// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/state.hpp"

#include <charconv>

namespace kbase::opensearch {
namespace {

std::string hex(const model::StoreId& store_id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const std::uint8_t byte : store_id) {
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 0x0F];
  }
  return digits;
}

std::optional<model::StoreId> store_id_in(std::string_view digits) {
  model::StoreId store_id;
  if (digits.size() != 2 * store_id.size()) return std::nullopt;
  for (std::size_t i = 0; i < store_id.size(); ++i) {
    const char* const begin = digits.data() + 2 * i;
    const auto [end, wrong] = std::from_chars(begin, begin + 2, store_id[i], 16);
    if (wrong != std::errc() || end != begin + 2) return std::nullopt;
  }
  return store_id;
}

}  // namespace

Json document_of(const State& state) {
  return {{"kind", kState},
          {"state",
           {{"lineage", hex(state.store_id)},
            {"revision", state.revision},
            {"views_revision", state.views_revision},
            {"open", state.is_open},
            {"swept", state.swept}}}};
}

std::optional<FoundState> state_in(const Json& hit) {
  const Json& stored = member(member(hit, "_source"), "state");
  const auto store_id = store_id_in(text(stored, "lineage"));
  const auto revision = number(stored, "revision");
  const auto views_revision = number(stored, "views_revision");
  if (!store_id || !revision || !views_revision || text(hit, "_index").empty()) return std::nullopt;
  FoundState found;
  found.state.store_id = *store_id;
  found.state.revision = *revision;
  found.state.views_revision = *views_revision;
  found.state.is_open = member(stored, "open") == true;
  found.state.swept = static_cast<std::int64_t>(number(stored, "swept").value_or(0));
  found.index = text(hit, "_index");
  found.sequence = number(hit, "_seq_no").value_or(0);
  found.term = number(hit, "_primary_term").value_or(0);
  return found;
}

}  // namespace kbase::opensearch
