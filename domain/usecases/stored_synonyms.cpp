// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/stored_synonyms.hpp"

#include <algorithm>
#include <utility>

#include "domain/base/result.hpp"

namespace kbase::usecases {

Result<std::vector<model::Synonyms>> read_synonyms(ports::Call& call, ports::ItemStore& items) {
  std::vector<model::Synonyms> all;
  if (!items.capabilities().synonyms) return all;
  KBASE_TRY(items.synonyms(call, [&all](const model::SynonymsView& each) {
    all.emplace_back(each);
    return Visit::Continue;
  }));
  return all;
}

Status write_synonyms(ports::Call& call, ports::ItemWriter& writer, std::span<const model::Synonyms> synonyms) {
  std::vector<std::vector<std::string_view>> words(synonyms.size());
  std::vector<model::SynonymsView> views;
  std::vector<const model::SynonymsView*> pointers;
  views.reserve(synonyms.size());
  for (std::size_t i = 0; i < synonyms.size(); ++i) {
    views.push_back(synonyms[i].view(words[i]));
    pointers.push_back(&views.back());
  }
  return writer.set_synonyms(call, pointers);
}

bool put_synonyms(std::vector<model::Synonyms>& all, model::Synonyms added) {
  const model::SynonymsKey key = added.key();
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const model::Synonyms& each) { return each.key() == key; });
  const bool is_known = known != all.end();
  if (added.is_removal() ? !is_known : is_known && *known == added) return false;
  if (added.is_removal())
    all.erase(known);
  else if (is_known)
    *known = std::move(added);
  else
    all.push_back(std::move(added));
  return true;
}

}  // namespace kbase::usecases
