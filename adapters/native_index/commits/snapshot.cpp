// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/snapshot.hpp"

#include <xxhash.h>
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string_view>
#include <utility>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "adapters/text/query.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kTierFractions[] = {256, 64, 16, 4};  // one in this many documents

/// Minimum sample size for the tier bounds, in segments that have as many documents.
constexpr std::size_t kSample = 8'192;

/// Returns the views of every nth document, in descending order.
std::vector<std::uint64_t> sample_views(const std::vector<std::uint64_t>& views) {
  const std::size_t step = std::max<std::size_t>(1, views.size() / kSample);
  std::vector<std::uint64_t> sample;
  for (std::size_t document = 0; document < views.size(); document += step) sample.push_back(views[document]);
  std::sort(sample.begin(), sample.end(), std::greater<>());
  return sample;
}

using Histogram = std::array<std::uint64_t, 256>;

/// Returns the languages in which items are stemmed, sorted by descending number of items, then by name.
std::vector<text::Language> sort_languages(const Histogram& items) {
  std::vector<text::Language> languages;
  for (std::size_t i = 1; i < text::kLanguages; ++i)
    if (items[i] > 0) languages.push_back(static_cast<text::Language>(i));
  std::sort(languages.begin(), languages.end(), [&](text::Language a, text::Language b) {
    const std::uint64_t one = items[static_cast<std::size_t>(a)];
    const std::uint64_t other = items[static_cast<std::size_t>(b)];
    return one != other ? one > other : text::name_of(a) < text::name_of(b);
  });
  return languages;
}

// Layout: "kbasemft", format u32, XXH3-64 of the rest u64; settings (size, bytes), store id, revision, next_segment,
// number of segments; per segment its number, the number of words of its deleted set, the form of the set
// u8, and the set: its words u64, or, if that is smaller, the number of deleted documents and their distances. Other
// numbers are varints.
constexpr std::string_view kMagic = "kbasemft";
constexpr std::uint32_t kFormat = 2;
constexpr std::uint64_t kMaxWords = (std::uint64_t{1} << 32) / 64;

enum class SetForm : std::uint8_t { Words, Distances };

void append(ByteWriter& out, const DocumentSet& set) {
  out.varint(set.words().size());
  const bool few = set.size() < set.words().size() * 4;  // a distance rarely takes more than two bytes
  out.u8(static_cast<std::uint8_t>(few ? SetForm::Distances : SetForm::Words));
  if (!few) {
    for (const std::uint64_t word : set.words()) out.u64(word);
    return;
  }
  out.varint(set.size());
  std::uint32_t before = 0;
  set.for_each([&](std::uint32_t document) {
    out.varint(document - before);
    before = document;
  });
}

DocumentSet read_set(ByteReader& in) {
  const std::uint64_t words = in.varint();
  const auto form = static_cast<SetForm>(in.u8());
  const std::uint64_t min_bytes = form == SetForm::Words ? words * 8 : 0;
  if (words > kMaxWords || min_bytes > in.remaining()) {
    in.fail();
    return {};
  }
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(words));
  if (form == SetForm::Words) {
    for (std::uint64_t& word : bits) word = in.u64();
    return DocumentSet(std::move(bits));
  }
  std::uint64_t document = 0;
  for (std::uint64_t left = in.varint(); left > 0 && !in.failed(); --left) {
    document += in.varint();
    if (document >= words * 64)
      in.fail();
    else
      bits[document / 64] |= std::uint64_t{1} << (document % 64);
  }
  return DocumentSet(std::move(bits));
}

}  // namespace

bool has_live_word(const LiveSegment& live, const TermEntry& entry) {
  if (!entry.is_word || live.deleted->size() == 0) return entry.is_word;
  const WordPostings words = live.segment->words().find(entry);
  const PostingList list = live.segment->list(entry);
  if (words.are_all()) return count_live(list, *live.deleted) > 0;
  std::size_t rank = 0;
  for (std::uint32_t i = 0; i < list.windows(); ++i) {
    const Window window = list.window(i);
    for (WindowCursor posting(window); posting.document() != WindowCursor::kEnd; posting.next(), ++rank)
      if (words.contains(rank) && !live.deleted->contains(window.number() * kWindowDocuments + posting.document()))
        return true;
  }
  return false;
}

ViewCounts::ViewCounts(std::vector<std::uint64_t> views) : views_(std::move(views)) {
  const std::vector<std::uint64_t> sample = sample_views(views_);
  for (const std::size_t fraction : kTierFractions) {
    const std::uint64_t min_views = sample.size() < fraction ? 0 : sample[sample.size() / fraction - 1];
    const bool is_known = !tiers_.empty() && tiers_.back().min_views == min_views;
    if (min_views == 0 || is_known) continue;  // tier would contain all documents, or equal the one before
    tiers_.push_back({min_views, DocumentSet(static_cast<std::uint32_t>(views_.size()))});
  }
  if (tiers_.empty()) return;
  for (std::uint32_t document = 0; document < views_.size(); ++document)
    for (auto tier = tiers_.rbegin(); tier != tiers_.rend() && views_[document] >= tier->min_views; ++tier)
      tier->documents.insert(document);
}

void count_documents(Snapshot& snapshot) {
  Histogram items{};
  snapshot.documents = 0;
  for (const LiveSegment& each : snapshot.segments) {
    const auto languages = each.segment->columns().languages();
    for (const std::uint8_t language : languages) ++items[language];
    each.deleted->for_each([&](std::uint32_t document) { --items[languages[document]]; });
    snapshot.documents += each.documents();
  }
  snapshot.languages = sort_languages(items);
  const auto min_items = text::kMinLanguageShare * static_cast<double>(snapshot.documents);
  const auto first_minor = std::find_if(snapshot.languages.begin(), snapshot.languages.end(), [&](text::Language each) {
    return static_cast<double>(items[static_cast<std::size_t>(each)]) < min_items;
  });
  const auto count = std::min<std::ptrdiff_t>(first_minor - snapshot.languages.begin(), text::kMaxQueryLanguages);
  snapshot.other_languages.assign(snapshot.languages.begin() + count, snapshot.languages.end());
  snapshot.languages.resize(static_cast<std::size_t>(count));
}

std::string encode_manifest(const Manifest& manifest) {
  std::string content;
  ByteWriter out(content);
  out.varint(manifest.settings.size());
  out.bytes(manifest.settings);
  for (const std::uint8_t byte : manifest.store_id) out.u8(byte);
  out.varint(manifest.revision);
  out.varint(manifest.next_segment);
  out.varint(manifest.segments.size());
  for (const SegmentRecord& segment : manifest.segments) {
    out.varint(segment.number);
    append(out, segment.deleted);
  }
  std::string file(kMagic);
  ByteWriter head(file);
  head.u32(kFormat);
  head.u64(XXH3_64bits(content.data(), content.size()));
  head.bytes(content);
  return file;
}

Result<Manifest> decode_manifest(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (in.bytes(kMagic.size()) != kMagic) return corrupt_error("manifest: not a manifest file");
  if (const std::uint32_t format = in.u32(); format != kFormat && !in.failed())
    return Error{ErrorCode::Unsupported, "The search index was built by another version of kbase. Rebuild it.",
                 "manifest: format " + std::to_string(format)};
  const std::uint64_t checksum = in.u64();
  const std::string_view content = as_text(bytes.subspan(in.position()));
  if (in.failed() || XXH3_64bits(content.data(), content.size()) != checksum)
    return corrupt_error("manifest: wrong checksum");

  Manifest manifest;
  manifest.settings = in.bytes(in.varint());
  for (std::uint8_t& byte : manifest.store_id) byte = in.u8();
  manifest.revision = in.varint();
  manifest.next_segment = in.varint();
  for (std::uint64_t left = in.varint(); left > 0 && !in.failed(); --left) {
    const std::uint64_t number = in.varint();
    manifest.segments.push_back({number, read_set(in)});
  }
  if (in.failed() || !in.at_end()) return corrupt_error("manifest: invalid content");
  return manifest;
}

}  // namespace kbase::native_index
