// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/model/document.hpp"
#include "ports/driven/call.hpp"

namespace kbase::content {

/// A text made from a file of another format.
struct Converted {
  std::string text;
  model::Format format = model::Format::Html;
};

/// Converts notebooks itself, and other files by programs that are installed: pandoc, asciidoctor and pdftotext. They
/// run without a shell and within bounds, and pandoc in its sandbox, so a file cannot make it read others. Thread-safe.
class Converters {
 public:
  /// `commands`: see SourceOptions::converters. They have precedence. Without `runs_programs` only notebooks are known.
  explicit Converters(const std::map<std::string, std::string>& commands = {}, bool runs_programs = true);

  /// Whether files with this ending are converted, if the program is installed.
  bool knows(std::string_view ending) const;

  /// Whether files with the ending are left out because no program runs.
  bool misses_program(std::string_view ending) const;

  /// Returns the Debian package with the program that the ending needs; empty: it is installed.
  std::string missing_package(std::string_view ending) const;

  /// Converts the bytes of the file at `path`. InvalidArgument: the program reports an error, or exceeds its bounds, or
  /// a command needs the path of a compressed file.
  Result<Converted> convert(std::string_view ending, const std::filesystem::path& path, std::string_view bytes,
                            const ports::Call& call) const;

 private:
  bool is_installed(const std::string& program) const;
  Result<Converted> run(const std::vector<std::string>& command, const std::filesystem::path& path,
                        std::string_view bytes, const ports::Call& call) const;

  std::map<std::string, std::vector<std::string>, std::less<>> commands_;  // words of configured commands, by ending
  std::map<std::string, bool, std::less<>> installed_;
  const bool runs_programs_;
};

}  // namespace kbase::content
