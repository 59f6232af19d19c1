// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/dictionary/dictionary.hpp"

namespace native_index = kbase::native_index;

namespace {

/// Builds a valid dictionary from the lines of `text`.
std::string written(std::string_view text) {
  std::vector<std::string_view> terms;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    terms.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  std::string section;
  native_index::DictionaryWriter writer(section);
  for (const std::string_view term : terms) writer.add(term, {static_cast<std::uint32_t>(term.size()), terms.size()});
  writer.finish();
  return section;
}

void use(std::string_view section, std::string_view word) {
  const auto dictionary = native_index::Dictionary::open(std::as_bytes(std::span(section)));
  if (!dictionary) return;
  dictionary->find(word);
  std::uint64_t terms = 0;
  for (auto term = dictionary->prefix(word.substr(0, 2)); term.next();)
    if (!term.term().starts_with(word.substr(0, 2)) || ++terms > dictionary->terms()) std::abort();
  for (const std::string_view mark : {"", "\1"})
    dictionary->find_near(word, 2, mark, [](const auto& near) {
      if (near.distance > 2) std::abort();
    });
}

}  // namespace

/// The low five bits of the first byte are the length of the searched word, which follows. If its high bit is set, the
/// rest is a section. Otherwise the rest is the words of a valid dictionary, and the last three bytes damage one byte
/// of it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.size() < 3) return 0;
  const bool given = (data[0] & 0x80) != 0;
  const std::string_view word = input.substr(1, data[0] & 0x1F);
  input.remove_prefix(1 + word.size());
  if (given || input.size() < 3) {
    use(input, word);
    return 0;
  }
  std::string section = written(input.substr(0, input.size() - 3));
  use(section, word);
  const auto byte = [&](std::size_t from_end) {
    return std::size_t{static_cast<unsigned char>(*(input.end() - from_end))};
  };
  const std::size_t at = byte(3) << 8 | byte(2);
  section[at % section.size()] = input.back();
  const std::vector<char> exact(section.begin(), section.end());  // without the byte after the end of a string
  use({exact.data(), exact.size()}, word);
  return 0;
}
