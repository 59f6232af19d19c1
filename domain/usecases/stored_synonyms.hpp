// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/synonyms.hpp"
#include "ports/driven/item_store.hpp"

namespace kbase::usecases {

/// Returns the synonyms of a base; none if its storage keeps none. Errors: those of ItemStore::synonyms().
Result<std::vector<model::Synonyms>> read_synonyms(ports::Call& call, ports::ItemStore& items);

/// Passes all synonyms of a base to its writer. Errors: those of ItemWriter::set_synonyms().
Status write_synonyms(ports::Call& call, ports::ItemWriter& writer, std::span<const model::Synonyms> synonyms);

/// Adds synonyms, replaces those with their key, or removes these (see model::is_removal). Returns whether `all`
/// changed.
bool put_synonyms(std::vector<model::Synonyms>& all, model::Synonyms added);

}  // namespace kbase::usecases
