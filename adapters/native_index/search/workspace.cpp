// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/workspace.hpp"

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {

std::span<const std::uint16_t> listed(const WindowMatches& matches, Workspace& workspace) {
  return matches.is_set() ? listed(matches.set(), workspace) : matches.documents();
}

std::span<const std::uint16_t> listed(const WindowSet& set, Workspace& workspace) {
  workspace.listed.resize(kWindowDocuments);
  return {workspace.listed.data(), kernels().list(set.words.data(), kWindowWords, 0, workspace.listed.data())};
}

}  // namespace kbase::native_index
