// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/store/details.hpp"

#include <algorithm>
#include <cstddef>

#include "adapters/native_index/files/section_file.hpp"

namespace kbase::native_index {
namespace {

// Layout: the title, the URL, the language and the version; if a tag is repeated, the number of tags and the tags, else
// 0; the number of sections and the sections. Each text follows its size; sizes and numbers are varints. Empty members
// at the end are left out.

void append_text(std::string& packed, std::string_view text) {
  ByteWriter(packed).varint(text.size());
  packed += text;
}

void append_list(std::string& packed, model::TextList list) {
  ByteWriter(packed).varint(list.size());
  for (const std::string_view text : list) append_text(packed, text);
}

bool has_repeated(model::TextList tags) {
  for (std::size_t i = 1; i < tags.size(); ++i)
    if (std::find(tags.begin(), tags.begin() + static_cast<std::ptrdiff_t>(i), tags[i]) !=
        tags.begin() + static_cast<std::ptrdiff_t>(i))
      return true;
  return false;
}

void read_list(ByteReader& reader, std::vector<std::string_view>& list) {
  list.clear();
  if (reader.at_end()) return;
  for (std::uint64_t left = reader.varint(); left > 0 && !reader.failed(); --left)
    list.push_back(reader.bytes(reader.varint()));
}

}  // namespace

void pack_details(const model::ItemView& item, std::string& packed) {
  packed.clear();
  std::size_t end = 0;
  for (const std::string_view text : {item.title, item.url, item.language, item.version}) {
    append_text(packed, text);
    if (!text.empty()) end = packed.size();
  }
  for (const model::TextList list : {has_repeated(item.tags) ? item.tags : model::TextList(), item.sections}) {
    append_list(packed, list);
    if (!list.empty()) end = packed.size();
  }
  packed.resize(end);
}

bool unpack_details(std::string_view packed, Details& details) {
  ByteReader reader(packed);
  for (std::string_view* const text : {&details.title, &details.url, &details.language, &details.version})
    *text = reader.at_end() ? std::string_view() : reader.bytes(reader.varint());
  read_list(reader, details.tags);
  read_list(reader, details.sections);
  return !reader.failed() && reader.at_end();
}

}  // namespace kbase::native_index
