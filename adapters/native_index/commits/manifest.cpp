// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/manifest.hpp"

#include <xxhash.h>

#include <bit>
#include <string_view>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/files/files.hpp"

namespace kbase::native_index {
namespace {

// Layout: "kbasemft", format u32, XXH3-64 of the rest u64; settings (size, bytes), store id, revision, pivot f32,
// next_segment, number of segments; per segment its number, the number of words of its deleted set, the form of the set
// u8, and the set: its words u64, or, if that is smaller, the number of deleted documents and their distances. Other
// numbers are varints.
constexpr std::string_view kMagic = "kbasemft";
constexpr std::uint32_t kFormat = 1;
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

std::string encode_manifest(const Manifest& manifest) {
  std::string content;
  ByteWriter out(content);
  out.varint(manifest.settings.size());
  out.bytes(manifest.settings);
  for (const std::uint8_t byte : manifest.store_id) out.u8(byte);
  out.varint(manifest.revision);
  out.u32(std::bit_cast<std::uint32_t>(manifest.pivot));
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
  manifest.pivot = std::bit_cast<float>(in.u32());
  manifest.next_segment = in.varint();
  for (std::uint64_t left = in.varint(); left > 0 && !in.failed(); --left) {
    const std::uint64_t number = in.varint();
    manifest.segments.push_back({number, read_set(in)});
  }
  if (in.failed() || !in.at_end() || !(manifest.pivot >= 1)) return corrupt_error("manifest: invalid content");
  return manifest;
}

}  // namespace kbase::native_index
