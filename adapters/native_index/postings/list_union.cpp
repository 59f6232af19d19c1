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

void ListUnion::add(const ShortList& list) {
  list.visit_windows(
      [this](std::uint32_t window, std::span<const std::uint16_t> documents, const std::uint8_t* impacts) {
        if (window < windows_) insert(window, documents, impacts);
      });
}

void ListUnion::add(const PostingList& list) {
  for (std::uint32_t i = 0; i < list.windows(); ++i)
    if (const Window window = list.window(i); window.number() < windows_) add(window);
}

void ListUnion::insert(std::uint32_t window, std::span<const std::uint16_t> documents,
                       const std::uint8_t* list_impacts) {
  std::uint64_t* const set = words(window);
  std::uint8_t* const here = impacts(window);
  for (const std::uint16_t document : documents) {
    set[document / 64] |= std::uint64_t{1} << (document % 64);
    here[document] = std::max(here[document], *list_impacts++);
  }
}

void ListUnion::add(const Window& window) {
  if (!window.is_bitmap()) return insert(window.number(), window.array(), window.impacts().data());
  for (const Span& span : window.spans())
    insert(window.number(), window.documents(span, scratch_), window.impacts().data() + span.begin);
}

MemoryPostingList ListUnion::take() {
  LongListWriter list;
  documents_.resize(kWindowDocuments);
  united_impacts_.resize(kWindowDocuments);
  for (std::uint32_t window = 0; window < windows_; ++window) {
    const std::span<std::uint64_t, kWindowWords> set(words(window), kWindowWords);
    std::uint8_t* const by_document = impacts(window);
    const std::size_t size = kernels().count(set.data());
    if (size == 0) continue;
    if (size > format::kBitmapPostings) {
      kernels().compact(by_document, kWindowDocuments, united_impacts_.data());
      list.add(window, set, {united_impacts_.data(), size});
      std::fill_n(by_document, kWindowDocuments, std::uint8_t{0});
    } else {
      kernels().list(set.data(), kWindowWords, 0, documents_.data());
      for (std::size_t i = 0; i < size; ++i)
        united_impacts_[i] = std::exchange(by_document[documents_[i]], std::uint8_t{0});
      list.add(window, {documents_.data(), size}, {united_impacts_.data(), size});
    }
    std::fill(set.begin(), set.end(), 0);
  }
  return MemoryPostingList(list);
}

}  // namespace kbase::native_index
