// SPDX-License-Identifier: Apache-2.0
#include "adapters/spelling/dictionaries.hpp"

#include <iconv.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <hunspell/hunspell.hxx>
#include <optional>
#include <system_error>

namespace kbase::spelling {
namespace {

constexpr std::string_view kUtf8 = "UTF-8";
constexpr std::size_t kMaxWordBytes = 256;

/// Converts from UTF-8. nullopt: the encoding is unknown or lacks a character.
std::optional<std::string> encode(std::string_view word, const std::string& encoding) {
  if (encoding == kUtf8) return std::string(word);
  const iconv_t converter = ::iconv_open(encoding.c_str(), kUtf8.data());
  if (converter == reinterpret_cast<iconv_t>(-1)) return std::nullopt;  // NOLINT: iconv_open's error value
  std::string input(word);
  std::string output(word.size() * 4, '\0');
  char* from = input.data();
  char* to = output.data();
  std::size_t left = input.size(), space = output.size();
  const std::size_t converted = ::iconv(converter, &from, &left, &to, &space);
  ::iconv_close(converter);
  if (converted == static_cast<std::size_t>(-1) || left > 0) return std::nullopt;
  output.resize(output.size() - space);
  return output;
}

/// Returns the word with a capital at its start.
std::string capitalize(std::string_view word) {
  std::int32_t first = 0;
  const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(word.data()),
                                                  static_cast<utf8proc_ssize_t>(word.size()), &first);
  if (bytes <= 0) return std::string(word);
  std::array<utf8proc_uint8_t, 4> capital{};
  const utf8proc_ssize_t length = utf8proc_encode_char(utf8proc_toupper(first), capital.data());
  return std::string(capital.begin(), capital.begin() + length).append(word.substr(static_cast<std::size_t>(bytes)));
}

}  // namespace

/// One dictionary, read at the first question. Not thread-safe.
class Dictionary {
 public:
  Dictionary(std::filesystem::path affixes, std::filesystem::path words)
      : affixes_(std::move(affixes)), words_(std::move(words)) {}

  std::string name() const { return affixes_.stem(); }

  bool has(std::string_view word) {
    if (!hunspell_) hunspell_.emplace(affixes_.c_str(), words_.c_str());
    const auto is_right = [this](const std::string& each) {
      const auto encoded = encode(each, hunspell_->get_dict_encoding());
      return encoded && hunspell_->spell(*encoded);
    };
    return is_right(std::string(word)) || is_right(capitalize(word));
  }

 private:
  std::filesystem::path affixes_, words_;
  std::optional<Hunspell> hunspell_;
};

Dictionaries::Dictionaries(const std::filesystem::path& folder) {
  std::error_code failed;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed))
    if (file->path().extension() == ".aff" && !file->is_symlink(failed)) files.push_back(file->path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& affixes : files) {
    std::filesystem::path words = affixes;
    words.replace_extension(".dic");
    if (!std::filesystem::is_regular_file(words, failed)) continue;
    const std::string name = affixes.stem();
    by_language_[name.substr(0, name.find_first_of("_-"))].push_back(std::make_unique<Dictionary>(affixes, words));
  }
}

Dictionaries::~Dictionaries() = default;

bool Dictionaries::has(std::string_view word, const std::string& language) {
  if (word.empty() || word.size() > kMaxWordBytes) return false;
  const auto dictionaries = by_language_.find(language);
  if (dictionaries == by_language_.end()) return false;
  const std::lock_guard lock(mutex_);
  return std::any_of(dictionaries->second.begin(), dictionaries->second.end(),
                     [word](const auto& each) { return each->has(word); });
}

std::string Dictionaries::names() const {
  std::string names;
  for (const auto& [language, dictionaries] : by_language_)
    for (const auto& each : dictionaries) names += (names.empty() ? "" : " ") + each->name();
  return names;
}

}  // namespace kbase::spelling
