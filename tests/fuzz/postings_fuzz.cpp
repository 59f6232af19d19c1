// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"

namespace kbase::native_index {
namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

void read_positions(const Window& window, std::uint32_t rank) {
  const PositionReader reader = window.positions(rank);
  PositionReader copy = reader;
  std::size_t read = 0;
  for (std::uint32_t position = 0; copy.next(position);) ++read;
  demand(read <= reader.encoded().size());
}

void walk(const Window& window) {
  WindowCursor cursor(window);
  std::uint32_t last = 0;
  for (std::uint32_t steps = 0; cursor.document() != WindowCursor::kEnd; ++steps) {
    demand(steps <= kWindowDocuments && cursor.rank() < window.count());
    cursor.impact();
    last = cursor.document();
    cursor.next_at_or_after(last + 1 + steps % 50);
  }
}

void combine(const Window& window) {
  static WindowSet set;
  static std::vector<std::uint16_t> room(kWindowDocuments);
  static std::vector<std::uint8_t> impacts(kWindowDocuments);
  static const std::vector<std::uint16_t> asked = [] {
    std::vector<std::uint16_t> some;
    for (std::uint32_t i = 0; i < kWindowDocuments; i += 97) some.push_back(static_cast<std::uint16_t>(i));
    return some;
  }();
  window.unite_into(set.words.data());
  window.subtract_from(set.words.data());
  demand(window.count_in(set.words.data()) <= kWindowDocuments);
  window.intersect_into(set.words.data());
  demand(window.intersect(asked, room.data()).size() <= asked.size());
  window.impacts_of(asked, impacts.data());
  window.contains(500);
  std::vector<std::uint16_t> ranks{0};
  if (window.count() > 1) ranks.push_back(static_cast<std::uint16_t>(window.count() - 1));
  window.documents_at(ranks, ranks.data());
  window.max_impact();
  demand(window.rank(500) <= window.count());
}

void read_spans(const Window& window) {
  Window::SpanScratch scratch;
  for (const Span& span : window.spans()) {
    demand(span.begin <= span.end && span.end <= window.count());
    demand(window.documents(span, scratch).size() <= span.end - span.begin);
    window.span(span.number);
  }
}

void read(const PostingList& list) {
  constexpr std::uint32_t kMaxLookedAt = 20;  // windows of a list, and postings of a window whose positions are read
  list.top_impact(20);
  for (std::uint32_t i = 0; i < std::min(list.windows(), kMaxLookedAt); ++i) {
    const Window window = list.window(i);
    if (window.count() == 0) continue;
    read_spans(window);
    combine(window);
    walk(window);
    for (std::uint32_t rank = 0; rank < window.count(); rank += 1 + window.count() / kMaxLookedAt)
      read_positions(window, rank);
  }
  const std::vector<std::uint64_t> set(kWindowWords * 2, ~std::uint64_t{0});
  list.count_in(set);
  list.window_numbered(1);
}

/// Valid lists to be damaged, each in its own sections: one document; a short list in several windows; a long list of
/// arrays; a list with a bitmap.
std::vector<PostingWriter::Output> sound_lists() {
  std::vector<PostingWriter::Output> lists;
  for (const auto& [bound, step] : {std::pair{8U, 1U}, {200'000U, 3'000U}, {150'000U, 190U}, {66'000U, 15U}}) {
    PostingWriter writer;
    for (std::uint32_t document = 7, n = 0; document < bound; document += step, ++n)
      writer.term().add(document, static_cast<std::uint8_t>(1 + n % 255), std::vector<std::uint32_t>{n % 100, 200 + n});
    writer.finish_term();
    lists.push_back(writer.take_output());
  }
  return lists;
}

/// Applies the input as changes of four bytes: position (24 bits), new value.
void damage(std::span<std::byte> bytes, std::span<const std::uint8_t> changes) {
  for (; changes.size() >= 4; changes = changes.subspan(4)) {
    const std::size_t place = changes[0] | std::size_t{changes[1]} << 8 | std::size_t{changes[2]} << 16;
    bytes[place % bytes.size()] = std::byte{changes[3]};
  }
}

}  // namespace
}  // namespace kbase::native_index

/// The first byte selects whether the rest is a section or changes to a valid list. All memory has the exact size.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase::native_index;
  static const std::vector<PostingWriter::Output> sound = sound_lists();
  if (size == 0) return 0;
  const std::size_t choice = data[0] % (sound.size() + 1);
  const std::span<const std::uint8_t> rest(data + 1, size - 1);
  std::vector<std::byte> postings;
  std::vector<std::byte> positions;
  if (choice == sound.size()) {
    const std::span<const std::byte> raw = std::as_bytes(rest);
    postings.assign(raw.begin(), raw.end());
    positions = postings;
  } else {
    postings = sound[choice].postings;
    positions = sound[choice].positions;
    damage(postings, rest);
  }
  for (const std::uint64_t offset : {0U, 2U, 8U})
    if (const auto list = PostingList::open(postings, offset, positions)) read(*list);
  return 0;
}
