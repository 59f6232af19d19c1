// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/store/details.hpp"

#include "adapters/native_index/files/section_file.hpp"

namespace kbase::native_index {
namespace {

// Layout: the title, the URL, the language and the version; the number of tags and the tags; the number of sections and
// the sections. Each text follows its size; sizes and numbers are varints.

void append_text(std::string& packed, std::string_view text) {
  ByteWriter(packed).varint(text.size());
  packed += text;
}

void append_list(std::string& packed, model::TextList list) {
  ByteWriter(packed).varint(list.size());
  for (const std::string_view text : list) append_text(packed, text);
}

void read_list(ByteReader& reader, std::vector<std::string_view>& list) {
  list.clear();
  for (std::uint64_t left = reader.varint(); left > 0 && !reader.failed(); --left)
    list.push_back(reader.bytes(reader.varint()));
}

}  // namespace

void pack_details(const model::ItemView& item, std::string& packed) {
  packed.clear();
  for (const std::string_view text : {item.title, item.url, item.language, item.version}) append_text(packed, text);
  append_list(packed, item.tags);
  append_list(packed, item.sections);
}

bool unpack_details(std::string_view packed, Details& details) {
  ByteReader reader(packed);
  for (std::string_view* const text : {&details.title, &details.url, &details.language, &details.version})
    *text = reader.bytes(reader.varint());
  read_list(reader, details.tags);
  read_list(reader, details.sections);
  return !reader.failed() && reader.at_end();
}

}  // namespace kbase::native_index
