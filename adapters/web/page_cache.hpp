// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/content/byte_stream.hpp"
#include "domain/base/text.hpp"

namespace kbase::web {

/// The fields of a response that are kept with its body, so that the next run can ask whether it has changed.
struct Validator {
  std::string etag, modified;  ///< fields ETag and Last-Modified; empty: absent
  std::string type, robots;    ///< fields Content-Type and X-Robots-Tag

  bool is_usable() const { return !etag.empty() || !modified.empty(); }
};

/// The responses of the last run of a crawl, in one file, and those of the current run, in the file that replaces it.
/// A cache that cannot be read is empty, and one that cannot be written is abandoned: it only saves time. Not
/// thread-safe.
class PageCache {
 public:
  /// `file` need not exist, nor its folder. Empty: nothing is kept.
  explicit PageCache(std::string file);

  /// Returns the validator of the last run's response. nullopt: there was none.
  std::optional<Validator> find(std::string_view address) const;

  /// Returns the body of the last run's response. nullopt: there was none, or the file is damaged.
  std::optional<std::string> body(std::string_view address);

  /// Keeps a response of this run for the next one.
  void put(std::string_view address, const Validator& validator, std::string_view body);

  /// Replaces the file by what this run has put, and by the responses of the last run that this one did not put if
  /// `keeps_others`: it did not come to its end.
  void finish(bool keeps_others);

  /// Why the file could not be written; empty: it could.
  const std::string& defect() const { return defect_; }

 private:
  struct Entry {
    Validator validator;
    std::uint64_t offset = 0, bytes = 0, plain_bytes = 0;
    bool is_put = false;  ///< this run has put a response of this address
  };

  void read();
  std::optional<std::string> packed(const Entry& entry);
  void append(std::string_view address, const Validator& validator, std::string_view packed, std::uint64_t plain_bytes);

  const std::string file_;
  std::ifstream last_;
  TextMap<Entry> entries_;
  std::unique_ptr<OutputFile> next_;
  std::string defect_;
};

}  // namespace kbase::web
