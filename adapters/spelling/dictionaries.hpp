// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::spelling {

class Dictionary;

/// The spelling dictionaries in a folder: `en_US.aff` with `en_US.dic`, `de.aff` with `de.dic` and so on, as Debian's
/// packages hunspell-* install them. They know which words are not mistyped. Thread-safe.
class Dictionaries {
 public:
  /// Lists the folder; an empty path or a missing folder has no dictionaries. A dictionary is read when it is first
  /// needed, which takes tens of milliseconds and some megabytes.
  explicit Dictionaries(const std::filesystem::path& folder);
  ~Dictionaries();

  /// Whether a dictionary of the language has the word, or has it with a capital. `language`: an ISO 639-1 code. False
  /// without a dictionary, or if it cannot be read.
  bool has(std::string_view word, const std::string& language);

  /// Returns the names of all dictionaries, such as "de_DE en_US".
  std::string names() const;

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<Dictionary>>, std::less<>> by_language_;
};

}  // namespace kbase::spelling
