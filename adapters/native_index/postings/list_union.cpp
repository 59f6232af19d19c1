// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/list_union.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {

void ListUnion::begin(std::uint32_t windows) {
  windows_ = windows;
  words_.resize(std::max(words_.size(), std::size_t{windows} * kWindowWords));
  impacts_.resize(std::max(impacts_.size(), std::size_t{windows} * kWindowDocuments));
}

void ListUnion::add(const PostingList& list) {
  for (std::uint32_t i = 0; i < list.windows(); ++i)
    if (const Window window = list.window(i); window.number() < windows_) add(window);
}

void ListUnion::add(const Window& window) {
  std::uint8_t* const here = impacts(window.number());
  if (!window.is_bitmap()) {
    std::uint64_t* const set = words(window.number());
    for (const std::uint16_t document : window.array()) set[document / 64] |= std::uint64_t{1} << (document % 64);
    raise(here, window.array(), window.impacts().data());
    return;
  }
  window.unite_into(words(window.number()));
  for (const Span& span : window.spans())
    raise(here, window.documents(span, scratch_), window.impacts().data() + span.begin);
}

void ListUnion::raise(std::uint8_t* impacts, std::span<const std::uint16_t> documents,
                      const std::uint8_t* list_impacts) {
  for (const std::uint16_t document : documents) impacts[document] = std::max(impacts[document], *list_impacts++);
}

MemoryPostingList ListUnion::take() {
  LongListWriter list;
  documents_.resize(kWindowDocuments);
  united_impacts_.resize(kWindowDocuments);
  for (std::uint32_t window = 0; window < windows_; ++window) {
    std::uint64_t* const set = words(window);
    std::uint8_t* const by_document = impacts(window);
    const std::size_t size = kernels().list(set, kWindowWords, 0, documents_.data());
    if (size == 0) continue;
    for (std::size_t i = 0; i < size; ++i)
      united_impacts_[i] = std::exchange(by_document[documents_[i]], std::uint8_t{0});
    std::fill_n(set, kWindowWords, 0);
    list.add(window, {documents_.data(), size}, {united_impacts_.data(), size});
  }
  return MemoryPostingList(list);
}

}  // namespace kbase::native_index
