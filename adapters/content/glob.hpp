// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbase::content {

/// Whether `path` matches `pattern`: `*` and `?` match within a segment, `**` any number of segments, `[a-z]` and
/// `[!a-z]` one character. The time is at most the product of both lengths.
bool matches_glob(std::string_view pattern, std::string_view path);

/// Whether a path below the source is selected by one of the patterns. A pattern without a slash matches the name of a
/// file or of a folder above it; one with a slash matches from the source on, and everything below what it names.
bool is_selected(const std::vector<std::string>& patterns, std::string_view path);

/// The rules of one .gitignore or .kbaseignore (gitignore(5)).
class IgnoreRules {
 public:
  explicit IgnoreRules(std::string_view text);

  enum class Verdict { None, Ignored, Kept };

  /// `path` is relative to the folder of the file. The last rule that matches decides; None: no rule matches.
  Verdict verdict(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::string pattern;
    bool is_negated = false, folders_only = false, is_anchored = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace kbase::content
