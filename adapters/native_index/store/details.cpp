// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/store/details.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "adapters/native_index/files/section_file.hpp"

namespace kbase::native_index {
namespace {

// Layout: the title, the URL, the language and the version; if a tag is repeated, the number of tags and the tags, else
// 0; the encoded sections. Each text follows its size; sizes and numbers are varints. Empty members at the end are left
// out.

void append_text(std::string& packed, std::string_view text) {
  ByteWriter(packed).varint(text.size());
  packed += text;
}

bool has_repeated(model::TextList tags) {
  for (std::size_t i = 1; i < tags.size(); ++i)
    if (std::find(tags.begin(), tags.begin() + static_cast<std::ptrdiff_t>(i), tags[i]) !=
        tags.begin() + static_cast<std::ptrdiff_t>(i))
      return true;
  return false;
}

/// Returns the text that begins at the byte `at`, and moves there behind it. nullopt: it is incomplete.
std::optional<std::string_view> read_text_at(std::string_view packed, std::size_t& at) {
  if (at >= packed.size()) return std::nullopt;
  ByteReader reader(packed.substr(at));
  const std::string_view text = reader.bytes(reader.varint());
  if (reader.failed()) return std::nullopt;
  at += reader.position();
  return text;
}

}  // namespace

void pack_details(const model::ItemView& item, std::string& packed) {
  packed.clear();
  std::size_t end = 0;
  for (const std::string_view text : {item.title, item.url, item.language, item.version}) {
    append_text(packed, text);
    if (!text.empty()) end = packed.size();
  }
  const model::TextList tags = has_repeated(item.tags) ? item.tags : model::TextList();
  ByteWriter(packed).varint(tags.size());
  for (const std::string_view tag : tags) append_text(packed, tag);
  for (const std::string_view section : item.sections) append_text(packed, section);
  if (tags.empty() && item.sections.empty()) packed.resize(end);
}

bool unpack_details(std::string_view packed, Details& details) {
  ByteReader reader(packed);
  for (std::string_view* const text : {&details.title, &details.url, &details.language, &details.version})
    *text = reader.at_end() ? std::string_view() : reader.bytes(reader.varint());
  details.tags.clear();
  const std::uint64_t tags = reader.at_end() ? 0 : reader.varint();
  while (details.tags.size() < tags && !reader.failed()) details.tags.push_back(reader.bytes(reader.varint()));
  details.sections = reader.position();
  return !reader.failed();
}

std::size_t SectionFinder::add(std::string_view packed) {
  std::size_t at = 0;
  while (!is_done_) {
    const auto text = read_text_at(packed, at);
    if (!text) break;
    auto section = model::decode_section(*text);
    if (!section) continue;
    is_done_ = section->begin > place_;
    if (!is_done_) section_ = std::move(section);
  }
  return at;
}

SectionOffsets::SectionOffsets(std::string_view packed) : packed_(packed) {
  if (Details details; unpack_details(packed, details)) last_ = next_ = details.sections;
}

std::size_t SectionOffsets::at(std::size_t place) {
  for (std::size_t end = next_;; next_ = end) {
    const auto text = read_text_at(packed_, end);
    const auto section = text ? model::decode_section(*text) : std::nullopt;
    if (!section || section->begin > place) return last_;
    last_ = next_;
  }
}

}  // namespace kbase::native_index
